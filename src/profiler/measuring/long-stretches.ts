// The newest stretches of the process that were long enough to be in the way of others. One ring for all requests.

import type { RequestMeter } from './request-meter.ts'

/** A stretch in which nothing else could run. */
export interface LongStretch {
  /** Whose it was; `undefined` for work outside every recorded request. */
  readonly meter: RequestMeter | undefined
  readonly fromMs: number
  readonly toMs: number
}

/** Stretches kept at most. */
const size = 64
/** Stretches that are named for one wait, at most. */
const maxFound = 8
/** Overlaps below this, in milliseconds, are not worth a line. */
const minOverlapMs = 1

/** Finds out who was in whose way. */
export class LongStretches {
  readonly #ring: LongStretch[] = []
  #next = 0
  #newestEndMs = Number.NEGATIVE_INFINITY

  /** Adds a stretch; they end one after another. */
  add(stretch: LongStretch): void {
    this.#ring[this.#next] = stretch
    this.#next = (this.#next + 1) % size
    this.#newestEndMs = stretch.toMs
  }

  /** Notes on both sides which stretches of others fell between the two times while `meter` waited. */
  blame(meter: RequestMeter, fromMs: number, toMs: number): void {
    if (this.#newestEndMs <= fromMs) return
    const found: LongStretch[] = []
    // From the newest back; they end one after another.
    for (let back = 1; back <= this.#ring.length && found.length < maxFound; back += 1) {
      const stretch = this.#ring[(this.#next - back + size) % size]
      if (stretch === undefined || stretch.toMs <= fromMs) break
      if (stretch.meter === meter) continue
      if (Math.min(stretch.toMs, toMs) - Math.max(stretch.fromMs, fromMs) >= minOverlapMs) found.push(stretch)
    }
    for (const stretch of found.reverse()) {
      const times = { fromMs: Math.max(stretch.fromMs, fromMs), toMs: Math.min(stretch.toMs, toMs) }
      meter.note('blockers', { request: stretch.meter?.request ?? null, ...times })
      stretch.meter?.note('victims', { request: meter.request, ...times })
    }
  }
}
