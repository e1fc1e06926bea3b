// What the answer of a called service may say about its own profile.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { calledProfile } from '../../../src/observe/outgoing/http-client-data.ts'
import { Redactor } from '../../../src/base/redact/redactor.ts'

const called = 'https://prices.example:8443/list?page=1'

describe('calledProfile', () => {
  it('names the profile that the answer names', () => {
    const expected = { token: 'abc123', link: 'https://prices.example:8443/_profiler/abc123' }
    assert.deepEqual(named('abc123', '/_profiler/abc123'), expected)
    assert.deepEqual(named('abc123', 'https://prices.example:8443/_profiler/abc123'), expected)
    assert.deepEqual(calledProfile(called, ['X-Debug-Token', 'abc123'], new Redactor()), {
      token: 'abc123',
      link: null,
    })
    assert.equal(calledProfile(called, ['content-type', 'text/plain'], new Redactor()), null)
  })

  it('follows no link that leads away from the called service', () => {
    const away = [
      'javascript:alert(1)',
      'data:text/html,x',
      '//evil.example/x',
      'https://evil.example/_profiler/abc123',
      'http://prices.example:8443/_profiler/abc123',
      'https://prices.example/_profiler/abc123',
      'https://user:pass@prices.example:8443/_profiler/abc123',
      'https://[',
    ]
    assert.deepEqual(
      away.map((link) => named('abc123', link)?.link),
      away.map(() => null),
    )
  })

  it('takes nothing for a token that does not look like one', () => {
    for (const token of ['', '<script>', 'a b', 'x'.repeat(65)]) assert.equal(named(token, '/'), null)
  })
})

function named(token: string, link: string): ReturnType<typeof calledProfile> {
  return calledProfile(called, ['x-debug-token', token, 'x-debug-token-link', link], new Redactor())
}
