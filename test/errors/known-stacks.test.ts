// The frames of a stack that comes again.

import assert from 'node:assert/strict'
import { mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { StackFrames } from '../../src/errors/stack-frames.ts'

let root = ''
before(() => void (root = realpathSync(mkdtempSync(join(tmpdir(), 'stacks-')))))
after(() => rmSync(root, { recursive: true }))

const bounds = { maxFrames: 10, maxExcerpts: 10 }

/** A file of the project, and a stack with a call of its second line. */
function stackIn(name: string, message: string): string {
  writeFileSync(join(root, name), 'one()\ntwo()\nthree()\n')
  return `Error: ${message}\n    at two (${root}/${name}:2:1)\n    at run (node:internal/main:1:1)`
}

describe('KnownStacks', () => {
  it('give the same list for the same calls under another message', () => {
    const frames = new StackFrames(root)
    const stack = stackIn('a.ts', 'one')
    const first = frames.read(stack, 'one', bounds)
    assert.equal(first[0]?.excerpt?.lines.length, 4)
    assert.equal(frames.read(stack.replace('one', 'another'), 'another', bounds), first)
  })

  it('are read again within other bounds', () => {
    const frames = new StackFrames(root)
    const stack = stackIn('b.ts', 'x')
    assert.ok(frames.read(stack, 'x', bounds)[0]?.excerpt)
    assert.equal(frames.read(stack, 'x', { ...bounds, maxExcerpts: 0 })[0]?.excerpt, null)
    assert.equal(frames.read(stack, 'x', { ...bounds, maxFrames: 1 }).length, 1)
  })

  it('are read again when a file has changed', () => {
    const frames = new StackFrames(root, { recheckMs: 0 })
    const stack = stackIn('c.ts', 'x')
    const first = frames.read(stack, 'x', bounds)
    utimesSync(join(root, 'c.ts'), 1, 1)
    const second = frames.read(stack, 'x', bounds)
    assert.notEqual(second, first)
    assert.equal(second[0]?.excerpt?.changedSince, 'loaded')
  })

  it('are read again as long as own code has no source', () => {
    const frames = new StackFrames(root, { recheckMs: 0 })
    const stack = stackIn('d.ts', 'x')
    rmSync(join(root, 'd.ts'))
    assert.equal(frames.read(stack, 'x', bounds)[0]?.excerpt, null)
    assert.notEqual(frames.read(stack, 'x', bounds), frames.read(stack, 'x', bounds))
  })
})
