import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Fleet } from '../../../src/profiler/fleet.ts'
import { FleetPace } from '../../../src/profiler/sampling/fleet-pace.ts'
import { SharedFleet } from '../../support/shared-fleet.ts'

const budget = 160
const stepMs = 5

/** A process of the simulation. */
interface Simulated {
  readonly pace: FleetPace
  /** Milliseconds at which it kept a profile. */
  readonly kept: number[]
  asked: number
}

/** Processes that share a budget on a clock that only the test moves. Each asks as often as `demand` says, by chance. */
class Simulation {
  now = 0
  readonly fleet = new SharedFleet(() => this.now)
  readonly processes: readonly Simulated[]
  #seed = 42

  constructor(count: number) {
    const options = { budget, now: () => this.now, wallClock: () => this.now }
    this.processes = Array.from({ length: count }, () => ({
      pace: new FleetPace({ ...options, fleet: this.fleet.member() }),
      kept: [],
      asked: 0,
    }))
  }

  async run(seconds: number, demand: (index: number, second: number) => number): Promise<void> {
    for (const end = this.now + seconds * 1000; this.now < end; this.now += stepMs) {
      for (const [index, process] of this.processes.entries()) {
        if ((this.now + index * 95) % 800 === 0) await process.pace.report()
        const expected = (demand(index, this.now / 1000) * stepMs) / 1000
        for (let left = expected; left > 0; left -= 1) if (this.random() < left) this.#ask(process)
      }
    }
  }

  /** A number from 0, below 1, the same ones in each run (an LCG). */
  readonly random = (): number => {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0
    return this.#seed / 2 ** 32
  }

  #ask({ pace, kept }: Simulated): void {
    const process = this.processes.find((one) => one.pace === pace)
    if (process !== undefined) process.asked += 1
    if (pace.take(1, this.random)) kept.push(this.now)
  }

  /** The most that all processes kept in any ten seconds. */
  get mostInTenSeconds(): number {
    const all = this.processes.flatMap(({ kept }) => kept).toSorted((one, other) => one - other)
    let [most, first] = [0, 0]
    for (const [last, time] of all.entries()) {
      while (time - (all[first] ?? 0) >= 10_000) first += 1
      most = Math.max(most, last - first + 1)
    }
    return most
  }

  /** What was kept of what was asked for, 0 to 1. */
  keptPart(index: number): number {
    const process = this.processes[index]
    return process === undefined ? 0 : process.kept.length / process.asked
  }
}

describe('FleetPace: eight processes', () => {
  const most = budget * 10 * 1.05
  const scenes: Readonly<Record<string, (index: number, second: number) => number>> = {
    'are loud from the start': () => 200,
    'are quiet, then all loud at once': (_, second) => (second < 15 ? 0.5 : 200),
    'are loud in turns': (index, second) => (Math.floor(second / 3) % 8 === index ? 800 : 5),
    'change places': (index, second) => (Math.floor(second / 5) % 2 === index % 2 ? 300 : 1),
  }
  for (const [scene, demand] of Object.entries(scenes)) {
    it(`never keep more than the budget and 5 % over ten seconds when they ${scene}`, async () => {
      const simulation = new Simulation(8)
      await simulation.run(40, demand)
      assert.ok(simulation.mostInTenSeconds <= most, `${simulation.mostInTenSeconds} of ${most}`)
    })
  }

  it('use what they may use', async () => {
    const simulation = new Simulation(8)
    await simulation.run(40, () => 200)
    assert.ok(simulation.mostInTenSeconds >= budget * 10 * 0.9, String(simulation.mostInTenSeconds))
  })

  it('keep all of the quiet ones beside a loud one, which gets the rest', async () => {
    const simulation = new Simulation(8)
    await simulation.run(60, (index) => (index === 0 ? 400 : 4))
    for (let index = 1; index < 8; index += 1) assert.ok(simulation.keptPart(index) > 0.97)
    const loud = simulation.processes[0]?.kept.length ?? 0
    assert.ok(loud / 60 > budget / 2, `${loud / 60} a second`)
  })
})

describe('FleetPace', () => {
  function paceOf(fleet: Fleet, now: () => number): FleetPace {
    return new FleetPace({ fleet, budget, now, wallClock: now })
  }

  it('goes on with its last share while the store is away, and says since when and why', async () => {
    const simulation = new Simulation(2)
    await simulation.run(5, () => 200)
    const [process] = simulation.processes
    const before = process?.pace.state
    simulation.fleet.outage = 'nobody there'
    const since = simulation.now
    await simulation.run(5, () => 200)
    const away = process?.pace.state
    assert.equal(away?.perSecond, before?.perSecond)
    assert.equal(away?.processes, 2)
    assert.equal(away?.failure?.reason, 'nobody there')
    assert.ok((away?.failure?.since ?? 0) >= since && (away?.failure?.since ?? 0) <= since + 800)
    assert.ok(simulation.mostInTenSeconds <= budget * 10 * 1.05)
    simulation.fleet.outage = null
    await simulation.run(2, () => 200)
    assert.equal(process?.pace.state.failure, null)
  })

  it('keeps a tenth of the budget until the store has spoken, so that many may start without it', async () => {
    const simulation = new Simulation(8)
    simulation.fleet.outage = 'not there yet'
    await simulation.run(10, () => 200)
    assert.equal(simulation.processes[0]?.pace.state.perSecond, budget / 10)
    assert.equal(simulation.processes[0]?.pace.state.processes, null)
    assert.ok(simulation.mostInTenSeconds <= budget * 10)
  })

  it('keeps the same traces as others, as far as each may', async () => {
    const simulation = new Simulation(2)
    const traces = Array.from({ length: 4000 }, () => simulation.random())
    const kept = simulation.processes.map(() => new Set<number>())
    for (const trace of traces) {
      for (const [index, { pace }] of simulation.processes.entries()) {
        if (simulation.now % 800 === 0) await pace.report()
        // The second one is asked for each trace twice, so it may keep half as many.
        for (let count = 0; count <= index; count += 1) if (pace.take(1, () => trace)) kept[index]?.add(trace)
      }
      simulation.now += stepMs
    }
    const [first = new Set(), second = new Set()] = kept
    const whole = first.intersection(second).size
    assert.ok(second.size > 500, String(second.size))
    assert.ok(whole / second.size > 0.8, `${whole} of ${second.size}`)
  })

  it('counts the profiles of a request, not the request', async () => {
    let now = 0
    const pace = paceOf(new SharedFleet(() => now).member(), () => now)
    for (; now < 4000; now += 800) await pace.report()
    let kept = 0
    for (const end = now + 10_000; now < end; now += 10) if (pace.take(4, () => 0)) kept += 1
    assert.ok(kept * 4 <= pace.state.perSecond * 10 + budget * 0.4 + 4, String(kept))
    assert.ok(kept > 300, String(kept))
  })

  it('sends one report at a time, and never rejects', async () => {
    let calls = 0
    const { promise, reject } = Promise.withResolvers<never>()
    const pace = paceOf({ exchange: async () => ((calls += 1), promise) }, () => 0)
    const reports = [pace.report(), pace.report(), pace.report()]
    reject(new Error('gone'))
    await Promise.all(reports)
    assert.equal(calls, 1)
    assert.equal(pace.state.failure?.reason, 'gone')
  })
})

describe('FleetPace.takeFirst', () => {
  it('keeps the first 20 errors of a family in a minute from all processes together, and few more, and again in the next', async () => {
    const simulation = new Simulation(4)
    const report = async (): Promise<void> => {
      for (const { pace } of simulation.processes) await pace.report()
    }
    const keptInAMinute = async (): Promise<number> => {
      let kept = 0
      for (let second = 0; second < 60; second += 1) {
        await report()
        for (const { pace } of simulation.processes) if (pace.takeFirst('TypeError in src/prices.ts:12', 2)) kept += 1
        simulation.now += 1000
      }
      return kept
    }
    for (; simulation.now < 60_000; simulation.now += 1000) await report()
    for (const kept of [await keptInAMinute(), await keptInAMinute()]) assert.ok(kept >= 20 && kept < 24, String(kept))
  })

  it('keeps the first one wherever it happens, though the share is used up', async () => {
    const simulation = new Simulation(8)
    await simulation.run(5, () => 200)
    for (const { pace } of simulation.processes) {
      while (pace.take(1, () => 0));
      assert.equal(pace.takeFirst('TypeError', 2), true)
    }
  })

  it('does not let a flood of families go beyond the budget', async () => {
    const simulation = new Simulation(8)
    await simulation.run(5, () => 200)
    const start = simulation.now
    let kept = 0
    for (let count = 0; simulation.now < start + 10_000; simulation.now += stepMs) {
      for (const [index, { pace }] of simulation.processes.entries()) {
        if ((simulation.now + index * 95) % 800 === 0) await pace.report()
        if (pace.takeFirst(`error ${(count += 1)}`, 1)) kept += 1
      }
    }
    assert.ok(kept <= budget * 10 * 1.05, String(kept))
    assert.ok(kept >= budget * 5, String(kept))
  })
})
