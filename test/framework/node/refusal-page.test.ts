import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { refusalBytes } from '../../../src/http/node/refusal-page.ts'

describe('refusalBytes', () => {
  const limits = { maxHeaderBytes: 16_384, headersTimeout: 7000, requestTimeout: 45_000 }

  it('names the time limits of the server', () => {
    const refused = { code: 'ERR_HTTP_REQUEST_TIMEOUT', reason: '', bytes: new Uint8Array(0) }
    const message = refusalBytes(408, refused, limits)
    assert.match(message, /^HTTP\/1\.1 408 Request Timeout\r\n/)
    assert.match(message, /header fields have 7 seconds, all of it has 45 seconds/)
  })

  it('names the longest header field, and never its value', () => {
    const bytes = Buffer.from(`GET / HTTP/1.1\r\nHost: a.example\r\nCookie: ${'secret'.repeat(4000)}\r\n`)
    const message = refusalBytes(431, { code: 'HPE_HEADER_OVERFLOW', reason: '', bytes }, limits)
    assert.match(message, /The longest one is Cookie with 24,000 bytes\./)
    assert.match(message, /Request headers exceed the limit of 16,384 bytes/)
    assert.doesNotMatch(message, /secret/)
  })
})
