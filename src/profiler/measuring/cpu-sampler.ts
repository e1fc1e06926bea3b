// Takes CPU profiles of single requests: one profile of the process is held open and each request gets one inside it, because
// the first start stops the process for some ten milliseconds and a further one does not.

import { performance } from 'node:perf_hooks'
import { startCpuProfile, type SyncCPUProfileHandle } from 'node:v8'

/** What V8 wrote, and where its clock stands against that of the process. */
export interface TakenCpuProfile {
  /** JSON of a CPU profile as V8 writes it. */
  readonly text: string
  /** When it began, on the clock of the process, in milliseconds. */
  readonly startedMs: number
}

/** A profile that is being taken. */
export interface RunningCpuProfile {
  /** Milliseconds that starting it took; nothing else could run. */
  readonly startTookMs: number
  /** Ends it. Once only. */
  stop(): TakenCpuProfile
}

/** For so long after the last request the process is sampled on, in milliseconds: sampling costs a few percent. */
const heldOpenMs = 5000
/** Requests that are sampled at a time, at most. */
const maxRunning = 4

/** One for each application. */
export class CpuSampler {
  #outer: SyncCPUProfileHandle | undefined
  #running = 0
  #timer: NodeJS.Timeout | undefined

  /** Begins a profile; `undefined` where enough are running. */
  start(): RunningCpuProfile | undefined {
    if (this.#running >= maxRunning) return undefined
    const askedMs = performance.now()
    clearTimeout(this.#timer)
    this.#outer ??= startCpuProfile()
    this.#running += 1
    const startedMs = performance.now()
    const own = startCpuProfile()
    return {
      startTookMs: performance.now() - askedMs,
      stop: () => {
        this.#running -= 1
        if (this.#running === 0) this.#closeLater()
        return { text: own.stop(), startedMs }
      },
    }
  }

  /** Samples no more. A running profile can still be stopped. */
  close(): void {
    clearTimeout(this.#timer)
    this.#outer?.stop()
    this.#outer = undefined
  }

  #closeLater(): void {
    this.#timer = setTimeout(() => this.close(), heldOpenMs)
    this.#timer.unref()
  }
}
