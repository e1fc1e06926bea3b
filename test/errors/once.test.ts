import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { once } from '../../src/errors/once.ts'

describe('once', () => {
  it('makes nothing before it is asked, and one thing for all who ask', () => {
    let calls = 0
    const value = once(() => {
      calls += 1
      return undefined
    })
    assert.equal(calls, 0)
    assert.deepEqual([value(), value(), calls], [undefined, undefined, 1])
  })

  it('tries again after a failure', () => {
    const answers = [() => assert.fail('not yet'), () => 'there']
    const value = once(() => answers.shift()?.())
    assert.throws(value, /not yet/)
    assert.equal(value(), 'there')
  })
})
