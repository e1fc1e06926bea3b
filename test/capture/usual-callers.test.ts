// The callers that are known by a name.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { UsualCaller } from '../../src/capture/usual-caller.ts'
import { UsualCallers } from '../../src/capture/usual-callers.ts'

const make = (): UsualCaller => new UsualCaller(8)

describe('UsualCallers', () => {
  it('knows a caller again by its name', () => {
    const callers = new UsualCallers()
    const known = callers.of('pg SELECT ?', make)
    assert.equal(callers.of('pg SELECT ?', make), known)
    assert.notEqual(callers.of('pg SELECT 1', make), known)
  })

  it('forgets rather than to grow without a bound', () => {
    const callers = new UsualCallers()
    const first = callers.of('0', make)
    for (let name = 1; name <= 500; name += 1) callers.of(String(name), make)
    assert.notEqual(callers.of('0', make), first)
  })
})
