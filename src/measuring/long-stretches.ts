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
    for (const stretch of this.#ring) {
      if (stretch.meter === meter) continue
      if (Math.min(stretch.toMs, toMs) - Math.max(stretch.fromMs, fromMs) >= minOverlapMs) found.push(stretch)
    }
    for (const stretch of found.sort((one, other) => one.fromMs - other.fromMs)) {
      const times = { fromMs: Math.max(stretch.fromMs, fromMs), toMs: Math.min(stretch.toMs, toMs) }
      meter.note('blockers', { request: stretch.meter?.request ?? null, ...times })
      stretch.meter?.note('victims', { request: meter.request, ...times })
    }
  }
}
