import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LoopWatch, type ProcessorTimes } from '../../../src/measuring/loop-watch.ts'
import { maxHindrances, maxStretches, type RequestMeter } from '../../../src/measuring/request-meter.ts'
import { HandClocks } from '../../support/loop-clocks.ts'
import { pick } from '../../support/pick.ts'

const nameOf = (name: string): RequestMeter['request'] => ({ token: name, method: 'GET', path: `/${name}` })

function watched(): { readonly clocks: HandClocks; readonly watch: LoopWatch; begin(name: string): RequestMeter } {
  const clocks = new HandClocks()
  const watch = new LoopWatch(clocks)
  return { clocks, watch, begin: (name) => watch.begin(nameOf(name), { arrivedMs: clocks.now() }) }
}

describe('LoopWatch', () => {
  it('adds up the time in which code ran for a request, and not the time in which the loop waited', () => {
    const { clocks, watch, begin } = watched()
    const meter = begin('one')
    clocks.run(3)
    watch.enter(undefined)
    clocks.wait(50)
    watch.enterFromLoop(meter)
    clocks.run(2)
    watch.end(meter)
    assert.equal(meter.ownMs, 5)
    assert.equal(meter.loopWaitMs, 0)
    assert.deepEqual(meter.times, [0, 3, 53, 55])
  })

  it('takes waiting out of a stretch that nothing else ended', () => {
    const { clocks, watch, begin } = watched()
    const meter = begin('one')
    clocks.run(3)
    clocks.wait(50)
    watch.enterFromLoop(meter)
    clocks.run(2)
    watch.end(meter)
    assert.equal(meter.ownMs, 5)
  })

  it('counts as waiting for the loop what others ran since the loop last waited', () => {
    const { clocks, watch, begin } = watched()
    const victim = begin('victim')
    clocks.run(1)
    watch.enter(undefined)
    clocks.wait(10)
    const culprit = begin('culprit')
    clocks.run(80)
    watch.enterFromLoop(victim)
    watch.end(victim)
    assert.equal(victim.loopWaitMs, 80)
    assert.deepEqual(
      victim.blockers.map(({ request, fromMs, toMs }) => [request?.token, fromMs, toMs]),
      [['culprit', 11, 91]],
    )
    assert.deepEqual(
      culprit.victims.map(({ request, fromMs, toMs }) => [request?.token, fromMs, toMs]),
      [['victim', 11, 91]],
    )
  })

  it('blames nobody for a stretch after which the loop had to wait anyway', () => {
    const { clocks, watch, begin } = watched()
    const patient = begin('patient')
    watch.enter(undefined)
    begin('other')
    clocks.run(80)
    watch.enter(undefined)
    clocks.wait(5)
    watch.enterFromLoop(patient)
    watch.end(patient)
    assert.equal(patient.loopWaitMs, 0)
    assert.deepEqual(patient.blockers, [])
  })

  it('tells how late a request was read, and by whose fault', () => {
    const { clocks, watch, begin } = watched()
    clocks.wait(5)
    watch.enterFromLoop(undefined)
    const culprit = begin('culprit')
    clocks.run(30)
    const late = begin('late')
    assert.equal(late.heldBackMs, 30)
    assert.equal(late.blockers[0]?.request?.token, 'culprit')
    assert.equal(culprit.victims[0]?.request?.token, 'late')
    assert.equal(late.loopWaitMs, 0)
  })

  it('does not look further back than the last turn but one of a loop that never waits', () => {
    const { clocks, watch, begin } = watched()
    const early = begin('early')
    clocks.run(100)
    watch.enter(undefined)
    for (const ms of [10, 20]) {
      clocks.turn()
      watch.enter(early)
      clocks.run(ms)
      watch.enter(undefined)
    }
    assert.equal(begin('late').heldBackMs, 30)
  })

  it('says nothing of a stretch whose request had responded before, as far as is known', () => {
    const { clocks, watch, begin } = watched()
    clocks.wait(5)
    watch.enterFromLoop(undefined)
    const culprit = begin('culprit')
    clocks.run(100)
    watch.pause(culprit)
    clocks.turn()
    clocks.run(1)
    const late = begin('late')
    assert.deepEqual([late.heldBackMs, late.blockers, culprit.victims], [0, [], []])
  })

  it('does not look further after the response for what waits', () => {
    const { clocks, watch, begin } = watched()
    const first = begin('first')
    clocks.run(1)
    watch.end(first)
    watch.enter(undefined)
    const second = begin('second')
    clocks.run(100)
    watch.enter(first)
    assert.deepEqual([first.loopWaitMs, second.victims], [0, []])
  })

  it('counts nothing between a pause and what comes after it', () => {
    const { clocks, watch, begin } = watched()
    const meter = begin('one')
    clocks.run(2)
    watch.pause(meter)
    clocks.run(200)
    watch.goOn(meter)
    clocks.run(3)
    watch.end(meter)
    assert.deepEqual([meter.ownMs, meter.longestMs, meter.loopWaitMs], [5, 3, 0])
  })

  const stretches: Readonly<Record<string, readonly [ranMs: number, delayedMs: number | null, workMs: number]>> = {
    'all work': [90, 0, 90],
    'waiting in a synchronous call': [2, 0, 90],
    'waiting for a processor': [10, 80, 10],
    'waiting for helpers that wait for a processor': [2, 30, 2],
    'work, on a system that tells no delays': [88, null, 88],
    'any wait, on a system that tells no delays': [2, null, 2],
  }
  for (const [name, [ranMs, delayedMs, workMs]] of Object.entries(stretches)) {
    it(`takes a stretch of ${name} for ${workMs} ms of work, for itself and for those that it held up`, () => {
      let times = { ranMs: 0, delayedMs: delayedMs === null ? null : 0 } as ProcessorTimes
      const clocks = Object.assign(new HandClocks(), { processor: () => times })
      const watch = new LoopWatch(clocks)
      const [other, meter] = ['other', 'one'].map((of) => watch.begin(nameOf(of), { arrivedMs: 0 }))
      assert.ok(other !== undefined && meter !== undefined)
      clocks.run(90)
      times = { ranMs, delayedMs }
      watch.enterFromLoop(other)
      watch.end(meter)
      assert.equal(meter.longestMs, workMs)
      assert.equal(meter.delayedMs, Math.max(delayedMs ?? 0, 90 - workMs))
      const heldUpMs = meter.victims.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
      assert.equal(heldUpMs, workMs < 5 ? 0 : workMs)
    })
  }

  it('takes no synchronous wait for work in the second after the thread lacked a processor', () => {
    let times: ProcessorTimes = { ranMs: 0, delayedMs: 0 }
    const clocks = Object.assign(new HandClocks(), { processor: () => times })
    const watch = new LoopWatch(clocks)
    const longest = (delayedMs: number): number => {
      const meter = watch.begin(nameOf('one'), { arrivedMs: clocks.now() })
      clocks.run(90)
      times = { ranMs: times.ranMs + 2, delayedMs: (times.delayedMs ?? 0) + delayedMs }
      watch.end(meter)
      return meter.longestMs
    }
    assert.deepEqual([longest(0), longest(80), longest(0)], [90, 2, 2])
    clocks.run(1000)
    assert.equal(longest(0), 90)
  })

  it('blames no stretch for a pause of the system after its end', () => {
    let times: ProcessorTimes = { ranMs: 0, delayedMs: 0 }
    const clocks = Object.assign(new HandClocks(), { processor: () => times })
    const watch = new LoopWatch(clocks)
    const meter = watch.begin(nameOf('one'), { arrivedMs: 0 })
    clocks.run(6)
    Object.assign(clocks, {
      processor: () => {
        if (times.delayedMs === 0) clocks.run(200)
        return (times = { ranMs: 6, delayedMs: 200 })
      },
    })
    watch.enter(undefined)
    clocks.run(1)
    watch.enter(meter)
    clocks.run(6)
    watch.end(meter)
    assert.ok(meter.longestMs <= 6, String(meter.longestMs))
  })

  it('counts from when its connection could have been accepted, which takes a separate turn', () => {
    const { clocks, watch, begin } = watched()
    clocks.wait(5)
    watch.enterFromLoop(undefined)
    const culprit = begin('culprit')
    clocks.run(100)
    watch.enter(undefined)
    clocks.turn()
    clocks.run(1)
    const connection = watch.accept()
    clocks.run(1)
    clocks.turn()
    const late = watch.begin(nameOf('late'), { arrivedMs: clocks.now(), connection })
    assert.equal(late.heldBackMs, 100)
    assert.deepEqual(pick(late.blockers, 'request'), [culprit.request])
    // What came on it later was not ready then.
    clocks.run(10)
    clocks.turn()
    clocks.turn()
    assert.equal(watch.begin(nameOf('later'), { arrivedMs: clocks.now(), connection }).heldBackMs, 0)
  })

  it('blames nobody for what the profiler did between the arrival and the beginning', () => {
    const { clocks, watch } = watched()
    clocks.wait(5)
    watch.enterFromLoop(undefined)
    const arrivedMs = clocks.now()
    clocks.run(70)
    const meter = watch.begin(nameOf('profiled'), { arrivedMs })
    assert.deepEqual([meter.heldBackMs, meter.blockers, meter.startedMs], [0, [], arrivedMs + 70])
  })

  it('names work outside every recorded request', () => {
    const { clocks, watch, begin } = watched()
    const victim = begin('victim')
    watch.enter(undefined)
    clocks.run(40)
    watch.enter(victim)
    assert.deepEqual(victim.blockers, [{ request: null, fromMs: 0, toMs: 40 }])
  })

  it('does not blame a request for what runs after its end', () => {
    const { clocks, watch, begin } = watched()
    const ended = begin('ended')
    watch.end(ended)
    clocks.run(40)
    watch.enter(undefined)
    const late = begin('late')
    assert.equal(ended.ownMs, 0)
    assert.deepEqual(ended.victims, [])
    assert.deepEqual(late.blockers, [])
  })

  it('joins stretches that follow each other at once', () => {
    const { clocks, watch, begin } = watched()
    const meter = begin('one')
    clocks.run(1)
    watch.enter(undefined)
    clocks.run(0.01)
    watch.enter(meter)
    clocks.run(1)
    watch.end(meter)
    assert.equal(meter.stretches, 2)
    assert.equal(meter.times.length, 2)
  })

  it('keeps a bounded number of stretches and names', () => {
    const { clocks, watch, begin } = watched()
    const meter = begin('one')
    for (let index = 0; index < maxStretches + 100; index += 1) {
      clocks.run(1)
      watch.enter(undefined)
      clocks.run(6)
      watch.enter(meter)
    }
    watch.end(meter)
    assert.equal(meter.times.length, 2 * maxStretches)
    assert.equal(meter.ownMs, maxStretches + 100)
    assert.equal(meter.blockers.length, maxHindrances)
    assert.equal(meter.droppedHindrances, maxStretches + 100 - maxHindrances)
  })
})
