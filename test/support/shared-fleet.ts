// A fleet in one process: samplers of a test really share a budget, second by second of a clock that the test moves.

import type { Fleet, FleetReport, FleetShare } from '../../src/profiler/fleet.ts'
import { demandClass, processesOf, shareOf, type DemandClass } from '../../src/profiler/fleet-share.ts'

export class SharedFleet {
  readonly #now: () => number
  /** Second → demand class → what processes reported for it. */
  readonly #seconds = new Map<number, Map<number, DemandClass>>()
  readonly #errors = new Map<string, number>()
  /** Reports that arrived. */
  reports = 0
  /** Rejects instead of answering, with this message. */
  outage: string | null = null

  /** `now` is the clock of the store, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** What one process is given. */
  member(): Fleet {
    const own = new Map<number, number>()
    return { exchange: async (report) => this.#exchange(report, own) }
  }

  #exchange({ budget, demand, errors }: FleetReport, own: Map<number, number>): FleetShare {
    if (this.outage !== null) throw new Error(this.outage)
    this.reports += 1
    const second = Math.floor(this.#now() / 1000)
    for (const coming of [second + 1, second + 2]) {
      if (own.has(coming)) continue
      own.set(coming, demand)
      this.#add(coming, demand)
    }
    const minute = Math.floor(second / 60)
    const reported = [...(this.#seconds.get(second)?.values() ?? [])]
    return {
      perSecond: shareOf(budget, reported, own.get(second) ?? null),
      processes: Math.max(1, processesOf(reported)),
      errors: new Map([...errors].map(([family, count]) => [family, this.#count(`${minute} ${family}`, count)])),
    }
  }

  #add(second: number, demand: number): void {
    const classes = this.#seconds.get(second) ?? new Map<number, DemandClass>()
    this.#seconds.set(second, classes)
    const known = classes.get(demandClass(demand)) ?? { processes: 0, demand: 0 }
    classes.set(demandClass(demand), { processes: known.processes + 1, demand: known.demand + demand })
  }

  #count(key: string, more: number): number {
    const count = (this.#errors.get(key) ?? 0) + more
    this.#errors.set(key, count)
    return count
  }
}
