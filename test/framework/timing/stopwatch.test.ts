import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Stopwatch, type StopwatchOptions } from '../../../src/base/timing/stopwatch.ts'
import { pick } from '../../support/pick.ts'

describe('Stopwatch', () => {
  it('measures spans from its own start, each inside the newest one that runs', () => {
    const { stopwatch, clock } = started()
    clock.ms += 1
    const outer = stopwatch.start({ name: 'outer', category: 'controller' })
    clock.ms += 2
    const inner = stopwatch.start({ name: 'inner', category: 'listener' })
    clock.ms += 3
    inner.end()
    outer.end('error')
    stopwatch.start({ name: 'after', kind: 'client', attributes: { 'http.request.method': 'GET' } })
    assert.deepEqual(stopwatch.spans(), [
      span({ id: 1, name: 'outer', category: 'controller', startMs: 1, durationMs: 5, status: 'error' }),
      span({ id: 2, parentId: 1, name: 'inner', category: 'listener', startMs: 3, durationMs: 3, status: 'ok' }),
      span({
        id: 3,
        name: 'after',
        kind: 'client',
        category: 'app',
        startMs: 6,
        durationMs: null,
        attributes: { 'http.request.method': 'GET' },
      }),
    ])
  })

  it('goes on inside the span that still runs, whatever ended out of order', () => {
    const { stopwatch } = started()
    const first = stopwatch.start({ name: 'first' })
    const second = stopwatch.start({ name: 'second' })
    const third = stopwatch.start({ name: 'third' })
    second.end()
    third.end()
    stopwatch.start({ name: 'fourth' }).end()
    first.end()
    stopwatch.start({ name: 'fifth' })
    assert.deepEqual(pick(stopwatch.spans(), 'parentId'), [null, 1, 2, 1, null])
  })

  it('ends a span once, and adds to its attributes', () => {
    const { stopwatch, clock } = started()
    const running = stopwatch.start({ name: 'a' })
    clock.ms += 2
    running.end()
    clock.ms += 2
    running.end('error')
    running.setAttribute('rows', 3)
    running.setAttribute('cached', true)
    assert.deepEqual(stopwatch.spans(), [
      span({ id: 1, name: 'a', startMs: 0, durationMs: 2, status: 'ok', attributes: { rows: 3, cached: true } }),
    ])
  })

  it('starts work that is told of late where it began, and never before itself', () => {
    const { stopwatch, clock } = started()
    clock.ms += 10
    stopwatch.start({ name: 'a', startMs: 6 })
    stopwatch.start({ name: 'b', startMs: -30 })
    assert.deepEqual(pick(stopwatch.spans(), 'startMs'), [6, 0])
  })

  it('keeps so many spans and counts the others, which change nothing', () => {
    const { stopwatch } = started({ maxSpans: 1 })
    const kept = stopwatch.start({ name: 'kept' })
    const left = stopwatch.start({ name: 'left out' })
    left.setAttribute('rows', 1)
    left.end()
    stopwatch.start({ name: 'left out' }).end()
    kept.end()
    assert.equal(stopwatch.droppedSpans, 2)
    assert.deepEqual(pick(stopwatch.spans(), 'name', 'status'), [['kept', 'ok']])
  })

  it('gives the duration of the first span of a category, also while it runs', () => {
    const { stopwatch, clock } = started()
    const running = stopwatch.start({ name: 'handler', category: 'controller' })
    clock.ms += 4
    assert.equal(stopwatch.durationOf('controller'), 4)
    clock.ms += 3
    running.end()
    assert.equal(stopwatch.durationOf('controller'), 7)
    assert.equal(stopwatch.durationOf('store'), null)
  })

  it('stands still for work that does not count', () => {
    const { stopwatch, clock } = started()
    const running = stopwatch.start({ name: 'handler', category: 'controller' })
    clock.ms += 4
    const during = stopwatch.standFor(() => {
      clock.ms += 10
      return stopwatch.standFor(() => {
        clock.ms += 20
        return [stopwatch.elapsedMs(), stopwatch.stoodMs]
      })
    })
    assert.deepEqual(during, [4, 30])
    clock.ms += 3
    running.end()
    assert.deepEqual([stopwatch.durationOf('controller'), stopwatch.elapsedMs(), stopwatch.stoodMs], [7, 7, 30])
    assert.throws(() =>
      stopwatch.standFor(() => {
        throw new Error('no')
      }),
    )
    clock.ms += 1
    assert.equal(stopwatch.elapsedMs(), 8)
  })

  it('forgets its spans, running ones too', () => {
    const { stopwatch } = started()
    const running = stopwatch.start({ name: 'a' })
    stopwatch.forget()
    running.end()
    stopwatch.start({ name: 'b' })
    assert.deepEqual(pick(stopwatch.spans(), 'name', 'parentId'), [['b', null]])
  })
})

function started(options: StopwatchOptions = {}): { stopwatch: Stopwatch; clock: { ms: number } } {
  const clock = { ms: 1000 }
  return { stopwatch: new Stopwatch({ ...options, now: () => clock.ms }), clock }
}

function span(facts: object): object {
  return { parentId: null, kind: 'internal', category: 'app', status: 'unset', attributes: {}, ...facts }
}
