// Decides which requests are recorded and which profiles are kept.

import type { HttpRequest } from '../../framework/http/request.ts'
import type { Log } from '../../framework/log/logger.ts'
import { keepReason, type JudgedRequest, type KeepReason } from './keep-rules.ts'
import { OwnCost, LoadShedder, type LoadSample, type LoadShedderOptions } from './load-shedder.ts'
import { RateLimiter } from './rate-limiter.ts'
import { isWithin, tokenHeader, tokenProblem, type TokenProblem } from './signed-token.ts'
import type { RecordingRules } from './recording-rules.ts'

/** What a sampler is made of. */
export interface SamplerOptions {
  readonly rules: RecordingRules
  /** Told when recording steps aside. Default: nobody. */
  readonly log?: Log
  /** Whether a request repeats a query for each item of a list. Default: none does. */
  readonly hasNPlusOne?: (request: JudgedRequest) => boolean
  /** A number from 0, below 1. Default `Math.random`. */
  readonly random?: () => number
  /** Wall clock, milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number
}

/** What was decided so far, in requests. */
export interface SamplerCounts {
  readonly recorded: number
  /** Recorded because a signed header asked for it. */
  readonly asked: number
  /** Recorded and kept; of these, those that only a rule saved from the dice. */
  readonly kept: number
  readonly keptFor: Readonly<Record<KeepReason, number>>
  /** Not recorded: sampling, too many in a second, no time for it, nobody asked. */
  readonly sampledOut: number
  readonly overPace: number
  readonly steppedAside: number
  readonly notAsked: number
  /** Recorded and not kept: an ordinary one that the dice left out. */
  readonly notKept: number
  /** Signed headers that did not count, by reason. */
  readonly refusedTokens: Readonly<Record<TokenProblem, number>>
}

/** The load of the process as far as recording goes. */
export interface SheddingState extends LoadSample {
  readonly reason: string | null
  readonly times: number
}

/** One for the life of a profiler. */
export class Sampler {
  readonly rules: RecordingRules
  /** What recording costs. */
  readonly cost: OwnCost = new OwnCost()
  readonly #aside: LoadShedder | null
  readonly #pace: RateLimiter | null
  readonly #hasNPlusOne: (request: JudgedRequest) => boolean
  readonly #random: () => number
  readonly #now: () => number
  readonly #recordsAll: boolean
  readonly #keepsAll: boolean
  #recorded = 0
  #asked = 0
  #kept = 0
  #sampledOut = 0
  #overPace = 0
  #notAsked = 0
  #notKept = 0
  readonly #keptFor: Record<KeepReason, number> = { error: 0, slow: 0, 'n+1': 0 }
  readonly #refusedTokens: Record<TokenProblem, number> = {
    malformed: 0,
    forged: 0,
    expired: 0,
    'valid for too long': 0,
    'for another path': 0,
  }

  constructor({ rules, log, hasNPlusOne = () => false, random = Math.random, now = Date.now }: SamplerOptions) {
    this.rules = rules
    this.#hasNPlusOne = hasNPlusOne
    this.#random = random
    this.#now = now
    const { mode, sampleRate, paths, signingKey, keep, pace, stepAside: limits } = rules
    const aside: LoadShedderOptions | null =
      limits === null ? null : { limits, cost: this.cost, ...(log === undefined ? {} : { log }) }
    this.#aside = aside === null ? null : new LoadShedder(aside)
    this.#pace = pace === null ? null : new RateLimiter(pace)
    this.#recordsAll = mode === 'all' && sampleRate === 1 && paths.length === 0 && signingKey === null
    this.#keepsAll = keep.rate === 1
  }

  /** Begins to watch the load, where the rules name a limit. */
  start(): void {
    this.#aside?.start()
  }

  /** Ends it. */
  stop(): void {
    this.#aside?.stop()
  }

  /** Whether a request is recorded; one that is not costs nothing else. */
  mayBegin(context: HttpRequest): boolean {
    if (this.#aside?.misses() === true) return false
    const asked = this.#asked
    if (!this.#recordsAll && !this.#isChosen(context)) return false
    // Who asks for one request gets it; floods of requests carry no pass.
    if (this.#asked === asked && this.#pace?.take() === false) {
      this.#overPace += 1
      return false
    }
    this.#recorded += 1
    return true
  }

  /** Whether requests are left out because there are too many of them at this moment. */
  get isShedding(): boolean {
    return this.#pace?.isUsedUp === true || (this.#aside !== null && this.#aside.reason !== null)
  }

  /** Whether the profiles of a request that has ended are kept. What a rule names always is; the dice decide about the rest. */
  keeps(request: JudgedRequest): boolean {
    if (!this.#keepsAll && this.#random() >= this.rules.keep.rate) {
      const reason = keepReason(request, this.rules.keep, this.#hasNPlusOne)
      if (reason === null) {
        this.#notKept += 1
        return false
      }
      this.#keptFor[reason] += 1
    }
    this.#kept += 1
    return true
  }

  /** What was decided so far. */
  get counts(): SamplerCounts {
    return {
      recorded: this.#recorded,
      asked: this.#asked,
      kept: this.#kept,
      keptFor: { ...this.#keptFor },
      sampledOut: this.#sampledOut,
      overPace: this.#overPace,
      steppedAside: this.#aside?.missed ?? 0,
      notAsked: this.#notAsked,
      notKept: this.#notKept,
      refusedTokens: { ...this.#refusedTokens },
    }
  }

  /** What the watch of the load saw last; `null` where the rules name no limit. */
  get aside(): SheddingState | null {
    if (this.#aside === null) return null
    const { reason, times, sample } = this.#aside
    return { reason, times, ...sample }
  }

  #isChosen(context: HttpRequest): boolean {
    const { mode, signingKey } = this.rules
    if (signingKey !== null && this.#hasPass(context, signingKey)) {
      this.#asked += 1
      return true
    }
    if (mode === 'on-demand') {
      this.#notAsked += 1
      return false
    }
    const rate = this.#rateOf(context.path)
    if (rate === 1 || (rate > 0 && this.#random() < rate)) return true
    this.#sampledOut += 1
    return false
  }

  // A field that is there twice is not what the command line writes.
  #hasPass(context: HttpRequest, key: NonNullable<RecordingRules['signingKey']>): boolean {
    const [value, ...more] = context.headerValues(tokenHeader)
    if (value === undefined) return false
    const problem = more.length > 0 ? 'malformed' : tokenProblem(value, key, { path: context.path, now: this.#now() })
    if (problem !== null) this.#refusedTokens[problem] += 1
    return problem === null
  }

  #rateOf(path: string): number {
    for (const [scope, rate] of this.rules.paths) if (isWithin(path, scope)) return rate
    return this.rules.sampleRate
  }
}
