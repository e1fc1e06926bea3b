// Names that hold secrets, in every spelling, and names that only look like it.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import { SensitiveKeys } from '../../../src/framework/redact/sensitive-key.ts'

const keys = new SensitiveKeys()

const sensitive =
  'password passwd pwd pass passphrase secret client_secret token my_token id_token refresh_token access_token api_key apikey key ' +
  'private_key authorization auth bearer credential credentials session sessionid sid phpsessid connect.sid csrf xsrf _csrf_token ' +
  'otp totp mfa pin cvv cvc card cardnumber pan iban account_number ssn signature sig x-amz-signature jwt assertion saml ' +
  'saml_anything samlresponse nonce mysql_pwd dsn connection_string'

const harmless =
  'name keyboard monkey passage tokenizer author pinned spin japan company sigma design status session_count cardinal panel code ' +
  'state keys id url path method route request_uri __proto__ constructor'

describe('SensitiveKeys', () => {
  for (const name of sensitive.split(' ')) {
    it(`knows ${name} in every spelling`, () => {
      const camel = name.replace(/[_.-](\w)/g, (_, letter: string) => letter.toUpperCase())
      for (const spelling of [
        name,
        name.toUpperCase(),
        name.replace(/_/g, '-'),
        name.replace(/_/g, ' '),
        camel,
        `user[${name}]`,
        `a.${name}`,
      ]) {
        assert.ok(keys.matches(spelling), spelling)
      }
    })
  }

  for (const name of harmless.split(' ')) {
    it(`leaves ${name} alone`, () => assert.equal(keys.matches(name), false))
  }

  it('takes a code for a secret only beside a state', () => {
    assert.equal(
      keys.matches('code', (sibling) => sibling === 'state'),
      true,
    )
    assert.equal(
      keys.matches('Code', (sibling) => sibling === 'other'),
      false,
    )
  })

  it('gives the same verdict again and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ minLength: 300, maxLength: 400 })), (name) => {
        assert.equal(keys.matches(name), keys.matches(name))
        assert.equal(keys.matches(`${name}password`), true)
      }),
      { numRuns: 200 },
    )
  })
})
