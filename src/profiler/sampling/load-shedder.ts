// Stops recording while the process is busy, and adds up what recording costs.

import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { recordingResumed, recordingSteppedAside } from '../../framework/log/profiler-lines.ts'
import type { Log } from '../../framework/log/logger.ts'
import type { StepAsideLimits } from './recording-rules.ts'

/** Why recording steps aside. */
type AsideReason = 'event loop late' | 'recording too costly'

export interface LoadSample {
  /** Mean delay of the event loop since the last look, in milliseconds. */
  readonly loopDelayMs: number
  /** Share of the time since then that was spent on recording, 0 to 1. */
  readonly share: number
}

interface LoadShedderOptions {
  readonly limits: StepAsideLimits
  readonly cost: OwnCost
  /** Called when recording stops and when it starts again. Default: nothing. */
  readonly log?: Log | undefined
}

/** How often is looked, in milliseconds. */
const lookMs = 1000
/** Shortest and longest rest, in looks. The rest doubles when recording had to stop again soon after it went on. */
const shortestRest = 5
const longestRest = 60
/** After this many checks without a reason, recording counts as stable again. */
const proven = 30
/** How fine the event loop is watched, in milliseconds. */
const resolution = 20

/** Decides whether there is time to record. */
export class LoadShedder {
  readonly #options: LoadShedderOptions
  #timer: NodeJS.Timeout | undefined
  #delays: ReturnType<typeof monitorEventLoopDelay> | undefined
  #lastLookMs = 0
  #lastCostMs = 0
  #reason: AsideReason | null = null
  #sample: LoadSample = { loopDelayMs: 0, share: 0 }
  #looksInState = 0
  #rest = shortestRest
  #times = 0
  #missed = 0
  #missedBefore = 0

  constructor(options: LoadShedderOptions) {
    this.#options = options
  }

  /** Why nothing is recorded now; `null` while recording continues. */
  get reason(): AsideReason | null {
    return this.#reason
  }

  get sample(): LoadSample {
    return this.#sample
  }

  get times(): number {
    return this.#times
  }

  /** How many requests were not recorded for it. */
  get missed(): number {
    return this.#missed
  }

  /** Whether a request is not to be recorded; such a request is counted. */
  misses(): boolean {
    if (this.#reason === null) return false
    this.#missed += 1
    return true
  }

  /** Begins to look. The timer holds no process. */
  start(): void {
    this.#delays = monitorEventLoopDelay({ resolution })
    this.#delays.enable()
    this.#lastLookMs = performance.now()
    this.#lastCostMs = this.#options.cost.totalMs
    this.#timer = setInterval(() => this.#look(), lookMs)
    this.#timer.unref()
  }

  /** Stops to look; recording stays as it is. */
  stop(): void {
    clearInterval(this.#timer)
    this.#delays?.disable()
  }

  /** Decides by one sample. Called by the timer. */
  judge(sample: LoadSample): void {
    this.#sample = sample
    this.#looksInState += 1
    if (this.#reason === null) this.#watch(sample)
    else this.#waitForQuiet(sample)
  }

  #look(): void {
    const now = performance.now()
    const { totalMs } = this.#options.cost
    const mean = this.#delays === undefined || this.#delays.count === 0 ? 0 : this.#delays.mean / 1e6 - resolution
    this.#delays?.reset()
    // A blocked loop gives the histogram no turn to note it before this timer: its own lateness tells.
    const elapsedMs = now - this.#lastLookMs
    const loopDelayMs = Math.max(0, mean, (elapsedMs - lookMs) / 2)
    const share = Math.min(1, Math.max(0, totalMs - this.#lastCostMs) / Math.max(1, elapsedMs))
    this.#lastLookMs = now
    this.#lastCostMs = totalMs
    this.judge({ loopDelayMs, share })
  }

  #watch(sample: LoadSample): void {
    const { limits, log } = this.#options
    const reason = reasonOf(sample, limits)
    if (reason === null) {
      if (this.#looksInState === proven) this.#rest = shortestRest
      return
    }
    if (this.#times > 0 && this.#looksInState < proven) this.#rest = Math.min(longestRest, this.#rest * 2)
    this.#reason = reason
    this.#looksInState = 0
    this.#times += 1
    this.#missedBefore = this.#missed
    log?.write(recordingSteppedAside({ reason, ...sample, restMs: this.#rest * lookMs }))
  }

  // What recording costs cannot be seen while there is none, so it rests for a fixed time. The delay must halve.
  #waitForQuiet({ loopDelayMs }: LoadSample): void {
    const { limits, log } = this.#options
    if (this.#looksInState < this.#rest || loopDelayMs > limits.loopDelayMs / 2) return
    this.#reason = null
    this.#looksInState = 0
    log?.write(recordingResumed({ missed: this.#missed - this.#missedBefore }))
  }
}

function reasonOf({ loopDelayMs, share }: LoadSample, limits: StepAsideLimits): AsideReason | null {
  if (loopDelayMs > limits.loopDelayMs) return 'event loop late'
  return share > limits.share && limits.share < 1 ? 'recording too costly' : null
}

/** In the order they happen. */
export type CostPart = 'begin' | 'collect' | 'write'

export interface PartCost {
  readonly count: number
  /** Main-thread time, in milliseconds. */
  readonly totalMs: number
}

/** Adds up. One object for the life of a profiler. */
export class OwnCost {
  readonly parts: Readonly<Record<CostPart, { -readonly [Sum in keyof PartCost]: number }>> = {
    begin: { count: 0, totalMs: 0 },
    collect: { count: 0, totalMs: 0 },
    write: { count: 0, totalMs: 0 },
  }

  /** Counts one piece of work that began at `startedMs` (`performance.now()`) and ends now. `count` if it was for several. */
  add(part: CostPart, startedMs: number, count = 1): void {
    const sums = this.parts[part]
    sums.count += count
    sums.totalMs += performance.now() - startedMs
  }

  /** All of it so far, in milliseconds. */
  get totalMs(): number {
    const { begin, collect, write } = this.parts
    return begin.totalMs + collect.totalMs + write.totalMs
  }
}
