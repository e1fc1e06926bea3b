// Source around a frame as lines of plain text.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { excerptLines } from '../../src/errors/trace-lines.ts'
import { makeExcerpt, makeFrame } from '../support/error-view.ts'

describe('excerptLines', () => {
  it('gives the lines within the radius, wherever the excerpt ends', () => {
    for (const [line, radius, first, last] of [
      [1, 2, 1, 3],
      [8, 4, 4, 12],
      [15, 7, 8, 15],
      [8, 0, 8, 8],
    ] as const) {
      const lines = excerptLines(makeFrame({ line, excerpt: makeExcerpt(1, 15) }), radius)
      const numbers = lines.map((text) => Number(/ (\d+) \|/.exec(text)?.[1]))
      assert.deepEqual([numbers[0], numbers.at(-1), lines.length], [first, last, last - first + 1])
      assert.ok(lines.find((text) => text.startsWith('>'))?.includes(` ${line} |`))
    }
  })

  it('ends with the mark of a file that has changed', () => {
    for (const [changedSince, said] of [
      ['loaded', /has changed since it was loaded: these lines are from before/],
      ['started', /has changed since the process started: these lines may not be those that ran/],
    ] as const) {
      const frame = makeFrame({ line: 8, excerpt: { ...makeExcerpt(1, 15), changedSince } })
      assert.match(excerptLines(frame, 1)[3] ?? '', said)
    }
  })

  it('gives nothing where there is no source', () => {
    assert.deepEqual(excerptLines(makeFrame({ excerpt: null })), [])
  })
})
