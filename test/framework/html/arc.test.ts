import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { timeGlyph } from '../../../src/base/html/arc.ts'

const classes = (markup: string): readonly string[] =>
  [...markup.matchAll(/<path class="([^"]+)"/g)].map(([, name = '']) => name)

describe('the drawing of where time went', () => {
  it('has one sector for each of the three, and says their times', () => {
    const markup = String(timeGlyph({ ownMs: 2, loopMs: 1, waitMs: 7 }))
    assert.deepEqual(classes(markup), ['share-own', 'share-loop', 'share-io'])
    assert.match(
      markup,
      /role="img" aria-label="Own code 2\.00 ms, waiting for the event loop 1\.00 ms, waiting for I\/O 7\.00 ms"/,
    )
  })
  it('divides the half-circle by time', () => {
    const [half = ''] = /d="[^"]+"/.exec(String(timeGlyph({ ownMs: 5, loopMs: null, waitMs: 5 }))) ?? []
    assert.match(half, /A15 15 0 0 1 15\.\d+ 1[ L.]/)
  })
  it('leaves out parts without time, and those that were not measured', () => {
    const markup = String(timeGlyph({ ownMs: 0, loopMs: null, waitMs: 4 }))
    assert.deepEqual(classes(markup), ['share-io'])
    assert.doesNotMatch(markup, /event loop/)
    assert.deepEqual(classes(String(timeGlyph({ ownMs: 0, loopMs: 0, waitMs: 0 }))), [])
  })
})
