// Reason phrases of status codes.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { statusText } from '../../../src/base/http/node-http.ts'

describe('statusText', () => {
  it('knows the registered phrases', () => {
    assert.equal(statusText(404), 'Not Found')
    assert.equal(statusText(405), 'Method Not Allowed')
    assert.equal(statusText(503), 'Service Unavailable')
  })

  it('names the class of a code without a phrase', () => {
    assert.equal(statusText(499), 'Client Error')
    assert.equal(statusText(599), 'Server Error')
    assert.equal(statusText(299), 'Success')
  })

  it('answers for what is not a status', () => {
    for (const code of [0, -1, 1000, Number.NaN]) assert.equal(statusText(code), 'Unknown Status')
  })
})
