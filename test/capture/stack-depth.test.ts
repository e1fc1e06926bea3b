// How deep stacks are caught, learnt from where callers were found.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StackDepth } from '../../src/capture/stack-depth.ts'

describe('StackDepth', () => {
  it('catches no more than is needed once the caller has stood at one place often enough', () => {
    const depth = new StackDepth(8)
    for (let time = 0; time < 7; time += 1) depth.foundAt(4)
    assert.equal(depth.frames, 8)
    depth.foundAt(4)
    assert.equal(depth.frames, 4)
  })

  it('counts anew for a caller at another place', () => {
    const depth = new StackDepth(8)
    for (let time = 0; time < 7; time += 1) depth.foundAt(4)
    depth.foundAt(6)
    depth.foundAt(4)
    assert.equal(depth.frames, 8)
  })

  it('goes back for good when less was not enough once', () => {
    const depth = new StackDepth(8)
    for (let time = 0; time < 8; time += 1) depth.foundAt(4)
    depth.foundAt(0)
    assert.equal(depth.frames, 8)
    for (let time = 0; time < 20; time += 1) depth.foundAt(4)
    assert.equal(depth.frames, 8)
  })

  it('goes on looking where no caller was among all that were caught', () => {
    const depth = new StackDepth(8)
    depth.foundAt(0)
    for (let time = 0; time < 8; time += 1) depth.foundAt(5)
    assert.equal(depth.frames, 5)
  })
})
