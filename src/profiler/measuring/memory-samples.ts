// Reads how much memory the process uses, no more often than needed.

import { getHeapStatistics } from 'node:v8'
import type { MemorySample } from './request-meter.ts'

/** How long a reading of the heap stays fresh, in milliseconds; each one costs microseconds. */
const heapFreshMs = 5
const heapFreshWhenBusyMs = 50
/** This many readings within a second are many. */
const busyReadings = 20
/** The same for resident memory, which is read from a file of the operating system. */
const residentFreshMs = 1000

/** Reads the counters of the process. */
export class MemorySamples {
  #last: MemorySample = { atMs: Number.NEGATIVE_INFINITY, heapUsed: 0, heapLimit: 0, resident: 0 }
  #residentAtMs = Number.NEGATIVE_INFINITY
  #resident = 0
  /** Readings of the heap since resident memory was read. */
  #readings = 0

  /** The memory now. */
  read(nowMs: number): MemorySample {
    const ageMs = nowMs - this.#last.atMs
    if (ageMs < heapFreshMs || (ageMs < heapFreshWhenBusyMs && this.#readings >= busyReadings)) return this.#last
    this.#readings += 1
    if (nowMs - this.#residentAtMs >= residentFreshMs) {
      this.#readings = 1
      this.#residentAtMs = nowMs
      this.#resident = process.memoryUsage.rss()
    }
    const { used_heap_size: heapUsed, heap_size_limit: heapLimit } = getHeapStatistics()
    this.#last = { atMs: nowMs, heapUsed, heapLimit, resident: this.#resident }
    return this.#last
  }
}
