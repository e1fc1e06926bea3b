// The form of credentials is shown, and nothing of the secret.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { maskCredentials, Redactor } from '../../../src/base/redact/redactor.ts'
import { fc } from '../../support/fast-check.ts'

const secret = '0123456789abcdef0123456789abcdef'

describe('maskCredentials', () => {
  for (const [value, shown] of [
    [`Bearer ${secret}`, 'Bearer ****** (32 characters)'],
    [secret, '****** (no scheme, 32 characters)'],
    [`bearer   ${secret} `, 'bearer ****** (32 characters)'],
    [`Bearer Bearer ${secret}`, 'Bearer ****** (the scheme twice, 32 characters)'],
    [`Bearer "${secret}"`, 'Bearer ****** (in quotes, 34 characters)'],
    [`Bearer ${secret} ${secret}`, 'Bearer ****** (with blanks, 65 characters)'],
    [`${secret} Bearer`, '****** (no scheme, with blanks, 39 characters)'],
    ['Bearer', 'Bearer ****** (empty)'],
    ['', '****** (no scheme, empty)'],
    ['Bearer undefined', 'Bearer ****** (the word undefined)'],
    ['Bearer [object Promise]', 'Bearer ****** (a promise as text)'],
    ['Basic YTpi', 'Basic ****** (fewer than 8 characters)'],
    ['hunter2', '****** (no scheme, fewer than 8 characters)'],
    [`Token ${'x'.repeat(9000)}`, 'Token ****** (more than 4096 characters)'],
    [`Secret-Scheme ${secret}`, '****** (no scheme, with blanks, 46 characters)'],
  ] as const) {
    it(`shows ${JSON.stringify(value.slice(0, 50))} as ${shown}`, () => {
      assert.equal(maskCredentials(value), shown)
      assert.equal(maskCredentials(shown), shown, 'masking twice changes nothing')
      assert.equal(new Redactor().text(shown), shown)
    })
  }

  it('shows the same for all secrets of one length', () => {
    const word = fc.string({ minLength: 12, maxLength: 12 }).filter((text) => /^[\w./+-]{12}$/.test(text))
    fc.assert(fc.property(word, (text) => maskCredentials(`Bearer ${text}`) === 'Bearer ****** (12 characters)'))
  })

  it('masks the value as a whole where the application adds the header', () => {
    const headers = ['Authorization', `Bearer ${secret}`]
    assert.deepEqual(new Redactor().headers(headers), [['Authorization', 'Bearer ****** (32 characters)']])
    assert.deepEqual(new Redactor({ headers: ['authorization'] }).headers(headers), [['Authorization', '******']])
  })
})

it('text about credentials: keeps the words of a sentence', () => {
  const text = 'No bearer token: basic auth, Bearer scheme and Bearer credentials are missing'
  assert.equal(new Redactor().text(text), text)
  assert.equal(new Redactor().text(`Bearer token${secret}`), 'Bearer ******')
})
