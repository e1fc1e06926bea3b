import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Frame } from '../../../src/errors/flattened-error.ts'
import { groupFrames } from '../../../src/errors/trace-lines.ts'
import { makeFrame } from '../../support/error-view.ts'

/** Calls from a short script: `a` is own code, `x!` foreign; the name is the place. */
const calls = (script: string): Frame[] =>
  script
    .split(' ')
    .filter(Boolean)
    .map((name) => makeFrame({ functionName: name, file: name, origin: name.endsWith('!') ? 'dependency' : 'own' }))
/** Groups as text: foreign ones in round brackets, shared ones in square brackets. */
const grouped = (frames: string, outer = ''): string =>
  groupFrames(calls(frames), calls(outer))
    .map((group) => {
      if (group.kind === 'single') return group.frame.functionName
      const names = group.frames.map(({ functionName }) => functionName).join(' ')
      return group.kind === 'foreign' ? `(${names})` : `[${names}]`
    })
    .join(' ')

describe('groupFrames', () => {
  it('lets own calls stand alone and folds neighbours of foreign code', () => {
    assert.equal(grouped('a x! y! b c z!'), 'a (x! y!) b c z!')
    assert.equal(grouped('x! y! z! a'), '(x! y! z!) a')
  })
  it('keeps the first three calls in view when none is own', () => {
    assert.equal(grouped('v! w! x! y! z!'), 'v! w! x! (y! z!)')
    assert.equal(grouped('v! w! x! y!'), 'v! w! x! y!')
  })
  it('folds what the error above has too', () => {
    assert.equal(grouped('a b c d', 'x c d'), 'a b [c d]')
  })
  it('finds the shared calls where the trace of a deep cause was cut', () => {
    assert.equal(grouped('a b c d', 'x c d e f'), 'a b [c d]')
  })
  it('never folds the first own call', () => {
    assert.equal(grouped('a b c', 'a b c'), 'a [b c]')
    assert.equal(grouped('x! a b c', 'a b c'), 'x! a [b c]')
    assert.equal(grouped('x! a b', 'a b'), 'x! a b')
  })
  it('folds nothing for one shared call, or none', () => {
    assert.equal(grouped('a b', 'x b'), 'a b')
    assert.equal(grouped('a b c', 'd e f'), 'a b c')
    assert.equal(grouped('', 'a'), '')
  })
})
