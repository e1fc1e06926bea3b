import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { ensureDeepTraces } from '../../src/errors/stack-frames.ts'

describe('ensureDeepTraces', () => {
  const before = Error.stackTraceLimit
  afterEach(() => {
    Error.stackTraceLimit = before
  })

  it('makes errors capture more frames, and never fewer than before', () => {
    Error.stackTraceLimit = 10
    ensureDeepTraces(30)
    assert.equal(Error.stackTraceLimit, 30)
    Error.stackTraceLimit = Infinity
    ensureDeepTraces(30)
    assert.equal(Error.stackTraceLimit, Infinity)
  })

  it('leaves traces off where a program turned them off', () => {
    Error.stackTraceLimit = 0
    ensureDeepTraces(30)
    assert.equal(Error.stackTraceLimit, 0)
  })
})
