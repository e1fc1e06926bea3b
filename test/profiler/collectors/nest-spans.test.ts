import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nestSpans } from '../../../src/observe/collectors/events.ts'
import type { Span } from '../../../src/base/timing/stopwatch.ts'

/** `listener 0 10` as a span; parents are what a stopwatch guesses: the newest one. */
function spans(...lines: readonly string[]): readonly Span[] {
  return lines.map((line, index) => {
    const [category = '', start, end] = line.split(' ')
    return {
      id: index + 1,
      parentId: index === 0 ? null : index,
      name: `span ${index + 1}`,
      kind: 'internal',
      category,
      startMs: Number(start),
      durationMs: end === undefined ? null : Number(end) - Number(start),
      status: 'ok',
      attributes: {},
    }
  })
}

function parents(...lines: readonly string[]): (number | null)[] {
  return nestSpans(spans(...lines)).map(({ parentId }) => parentId)
}

describe('nestSpans', () => {
  it('draws work inside the listener or handler that was running all the while', () => {
    assert.deepEqual(parents('listener 0 5', 'store 1 4', 'controller 6 20', 'app 7 9', 'http 10 19'), [
      null,
      1,
      null,
      3,
      3,
    ])
  })

  it('draws calls that run side by side as siblings, the shorter one too', () => {
    assert.deepEqual(parents('controller 0 20', 'http 1 18', 'http 2 6', 'app 2 5'), [null, 1, 1, 1])
  })

  it('draws a span that outlives its parent beside it', () => {
    assert.deepEqual(parents('controller 0 10', 'app 2 15', 'app 3'), [null, null, null])
  })

  it('draws listeners side by side, never one in another', () => {
    assert.deepEqual(parents('listener 0 9', 'listener 1 5', 'sub-request 10 20', 'listener 11 12'), [
      null,
      null,
      null,
      null,
    ])
  })

  it('draws a sub-request inside the handler that made it, and work that has not ended inside what has not ended', () => {
    assert.deepEqual(parents('controller 0', 'sub-request 1 4', 'app 2'), [null, 1, 1])
  })

  it('keeps everything else of a span', () => {
    const [first] = spans('listener 0 5')
    assert.deepEqual(nestSpans([first!]), [first])
  })
})
