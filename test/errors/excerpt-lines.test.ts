import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { excerptLines, nearLines } from '../../src/errors/excerpt-lines.ts'
import { makeExcerpt, makeFrame } from '../support/error-view.ts'

describe('nearLines', () => {
  it('finds the lines of a smaller radius among all, wherever the excerpt ends', () => {
    for (const line of [1, 3, 8, 14, 15]) {
      const frame = makeFrame({ line, excerpt: makeExcerpt(1, 15) })
      for (const radius of [0, 2, 4, 7]) {
        assert.deepEqual(
          nearLines(frame, excerptLines(frame), radius),
          excerptLines(frame, radius),
          `${line}, ${radius}`,
        )
      }
    }
  })
  it('keeps the mark of a file that has changed', () => {
    const frame = makeFrame({ line: 8, excerpt: { ...makeExcerpt(1, 15), changedSince: 'loaded' } })
    const near = nearLines(frame, excerptLines(frame), 1)
    assert.deepEqual(near, excerptLines(frame, 1))
    assert.match(near[3] ?? '', /has changed since it was loaded/)
  })
  it('gives nothing where there is no source', () => {
    const frame = makeFrame({ excerpt: null })
    assert.deepEqual(nearLines(frame, excerptLines(frame), 4), [])
  })
})
