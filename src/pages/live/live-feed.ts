// Wakes the live lists when there may be something new: at once for profiles of this process, once a second for those of
// others. While nobody listens there is no timer and no listener.

import { clearInterval, clearTimeout, setInterval, setTimeout } from '../../base/timing/builtins.ts'
import type { ProfileReader } from '../../profiles/profile-store.ts'

export interface LiveFeedOptions {
  /** Streams at a time. Default 16. */
  readonly maxStreams?: number
  /** How often the store is asked for what other processes kept. Default 1000. */
  readonly pollMs?: number
  /** How long profiles of this process are gathered before they are told. Default 150. */
  readonly gatherMs?: number
}

export class LiveFeed {
  readonly #profiles: ProfileReader
  readonly #options: Required<LiveFeedOptions>
  readonly #streams = new Set<AbortController>()
  readonly #waiting = new Set<() => void>()
  #poll: NodeJS.Timeout | undefined
  #gather: NodeJS.Timeout | undefined
  #unwatch: (() => void) | undefined
  #isClosed = false

  constructor(profiles: ProfileReader, options: LiveFeedOptions = {}) {
    this.#profiles = profiles
    this.#options = { maxStreams: 16, pollMs: 1000, gatherMs: 150, ...options }
  }

  get openStreams(): number {
    return this.#streams.size
  }

  /** A place for one more stream, to be aborted when it ends; `null` if there is none left, or at shutdown. */
  open(): AbortController | null {
    if (this.#isClosed || this.#streams.size >= this.#options.maxStreams) return null
    const stream = new AbortController()
    this.#streams.add(stream)
    stream.signal.addEventListener('abort', () => this.#leave(stream), { once: true })
    if (this.#streams.size === 1) this.#begin()
    return stream
  }

  /** Resolves when it is time to look, or when the stream has ended. */
  change(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true })
    })
  }

  /** Ends every stream, so that none holds up a server that closes; none is opened any more. */
  close(): void {
    this.#isClosed = true
    for (const stream of this.#streams) stream.abort()
  }

  #begin(): void {
    const { pollMs, gatherMs } = this.#options
    this.#poll = setInterval(() => this.#wake(), pollMs)
    this.#poll.unref()
    this.#unwatch = this.#profiles.watch?.(() => {
      this.#gather ??= setTimeout(() => this.#wake(), gatherMs)
      this.#gather.unref()
    })
  }

  #leave(stream: AbortController): void {
    this.#streams.delete(stream)
    if (this.#streams.size > 0) return
    clearInterval(this.#poll)
    clearTimeout(this.#gather)
    this.#gather = undefined
    this.#unwatch?.()
  }

  #wake(): void {
    clearTimeout(this.#gather)
    this.#gather = undefined
    for (const wake of this.#waiting) wake()
  }
}
