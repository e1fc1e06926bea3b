import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { OwnCost, LoadShedder } from '../../../src/profiler/sampling/load-shedder.ts'
import { LineList } from '../../support/exchange.ts'
import { until } from '../../support/until.ts'

const quiet = { loopDelayMs: 1, share: 0.01 }
const late = { loopDelayMs: 80, share: 0.01 }
const costly = { loopDelayMs: 1, share: 0.4 }

function watch(log = new LineList()): LoadShedder {
  return new LoadShedder({ limits: { loopDelayMs: 50, share: 0.1 }, cost: new OwnCost(), log })
}

/** Looks until recording goes on, and says how many it took. */
function looksUntilBack(aside: LoadShedder, sample = quiet): number {
  let looks = 0
  while (aside.reason !== null && looks < 500) {
    aside.judge(sample)
    looks += 1
  }
  return looks
}

describe('LoadShedder', () => {
  it('records while there is time', () => {
    const aside = watch()
    for (let look = 0; look < 100; look++) aside.judge({ loopDelayMs: 50, share: 0.1 })
    assert.equal(aside.reason, null)
    assert.equal(aside.misses(), false)
    assert.equal(aside.missed, 0)
  })

  it('steps aside when the event loop is late, counts what it misses, and says both', () => {
    const log = new LineList()
    const aside = watch(log)
    aside.judge(late)
    assert.equal(aside.reason, 'event loop late')
    for (let request = 0; request < 7; request++) assert.equal(aside.misses(), true)
    assert.equal(looksUntilBack(aside), 5)
    assert.equal(aside.misses(), false)
    assert.equal(aside.missed, 7)
    assert.deepEqual(
      log.lines.map(({ level, context }) => [level, context['reason'] ?? context['missed']]),
      [
        ['warn', 'event loop late'],
        ['info', 7],
      ],
    )
  })

  it('steps aside when recording takes too much of the main thread', () => {
    const aside = watch()
    aside.judge(costly)
    assert.equal(aside.reason, 'recording too costly')
    assert.equal(looksUntilBack(aside), 5)
  })

  it('stays aside until the delay has halved', () => {
    const aside = watch()
    aside.judge(late)
    for (let look = 0; look < 50; look++) aside.judge({ loopDelayMs: 26, share: 0 })
    assert.equal(aside.reason, 'event loop late')
    aside.judge({ loopDelayMs: 25, share: 0 })
    assert.equal(aside.reason, null)
  })

  it('rests longer each time it came back too early, a minute at most, and forgets that after half a minute of quiet', () => {
    const aside = watch()
    const rests: number[] = []
    for (let round = 0; round < 7; round++) {
      aside.judge(costly)
      rests.push(looksUntilBack(aside))
    }
    assert.deepEqual(rests, [5, 10, 20, 40, 60, 60, 60])
    for (let look = 0; look < 30; look++) aside.judge(quiet)
    aside.judge(costly)
    assert.equal(looksUntilBack(aside), 5)
    assert.equal(aside.times, 8)
  })

  it('knows no limit where none is given', () => {
    const aside = new LoadShedder({ limits: { loopDelayMs: Infinity, share: 1 }, cost: new OwnCost() })
    aside.judge({ loopDelayMs: 1e9, share: 1 })
    assert.equal(aside.reason, null)
  })

  it('sees a loop that is blocked', async () => {
    const aside = new LoadShedder({ limits: { loopDelayMs: 5, share: 1 }, cost: new OwnCost() })
    aside.start()
    try {
      await until(() => {
        const end = performance.now() + 60
        while (performance.now() < end);
        return aside.reason !== null
      })
      assert.equal(aside.reason, 'event loop late')
      assert.ok(aside.sample.loopDelayMs > 5)
    } finally {
      aside.stop()
    }
  })

  it('sees what recording costs', async () => {
    const cost = new OwnCost()
    const aside = new LoadShedder({ limits: { loopDelayMs: Infinity, share: 0.05 }, cost })
    aside.start()
    try {
      await until(() => {
        const started = performance.now()
        while (performance.now() < started + 20);
        cost.add('collect', started)
        return aside.reason !== null
      })
      assert.equal(aside.reason, 'recording too costly')
      assert.ok(aside.sample.share > 0.05 && aside.sample.share <= 1)
    } finally {
      aside.stop()
    }
  })
})
