// Decides which requests are recorded and which profiles are kept.

import { performance } from 'node:perf_hooks'
import type { HttpRequest } from '../../framework/http/request.ts'
import type { Exchange } from '../../framework/kernel/exchange.ts'
import type { Log } from '../../framework/log/logger.ts'
import { isErrorOutcome } from '../../framework/recording/outcome.ts'
import type { Queries } from '../capture/queries.ts'
import { errorClassOf } from '../collectors/exception.ts'
import { outcomeOf } from '../assemble-profile.ts'
import { LoadShedder, OwnCost, type LoadSample } from './load-shedder.ts'
import { isWithin, tokenHeader, tokenProblem, type TokenProblem } from './signed-token.ts'
import type { KeepRules, RateLimits, RecordingRules } from './recording-rules.ts'

export interface SamplerOptions {
  readonly rules: RecordingRules
  /** Told when recording steps aside. Default: nobody. */
  readonly log?: Log | undefined
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
  readonly cost: OwnCost = new OwnCost()
  readonly #aside: LoadShedder | null
  readonly #pace: RateLimiter | null
  readonly #random: () => number
  readonly #now: () => number
  readonly #recordsAll: boolean
  readonly #keepsAll: boolean
  readonly #counts = { recorded: 0, asked: 0, kept: 0, sampledOut: 0, overPace: 0, notAsked: 0, notKept: 0 }
  readonly #keptFor: Record<KeepReason, number> = { error: 0, slow: 0, 'n+1': 0 }
  readonly #refusedTokens: Record<TokenProblem, number> = {
    malformed: 0,
    forged: 0,
    expired: 0,
    'valid for too long': 0,
    'for another path': 0,
  }

  constructor({ rules, log, random = Math.random, now = Date.now }: SamplerOptions) {
    this.rules = rules
    this.#random = random
    this.#now = now
    const { mode, sampleRate, paths, signingKey, keep, pace, stepAside: limits } = rules
    this.#aside = limits === null ? null : new LoadShedder({ limits, cost: this.cost, log })
    this.#pace = pace === null ? null : new RateLimiter(pace)
    this.#recordsAll = mode === 'all' && sampleRate === 1 && paths.length === 0 && signingKey === null
    this.#keepsAll = keep.rate === 1
  }

  /** Begins to watch the load, where the rules name a limit. */
  start(): void {
    this.#aside?.start()
  }

  stop(): void {
    this.#aside?.stop()
  }

  /** Whether a request is recorded; one that is not costs nothing else. */
  mayBegin(context: HttpRequest): boolean {
    if (this.#aside?.misses() === true) return false
    const { asked } = this.#counts
    if (!this.#recordsAll && !this.#isChosen(context)) return false
    // Who asks for one request gets it; floods of requests carry no token.
    if (this.#counts.asked === asked && this.#pace?.take() === false) {
      this.#counts.overPace += 1
      return false
    }
    this.#counts.recorded += 1
    return true
  }

  /** Whether requests are left out because there are too many of them at this moment. */
  get isShedding(): boolean {
    return this.#pace?.isUsedUp === true || (this.#aside !== null && this.#aside.reason !== null)
  }

  /** Whether the profiles of a request that has ended are kept. What a rule names always is; the dice decide about the rest. */
  keeps(request: JudgedRequest): boolean {
    if (!this.#keepsAll && this.#random() >= this.rules.keep.rate) {
      const reason = keepReason(request, this.rules.keep)
      if (reason === null) {
        this.#counts.notKept += 1
        return false
      }
      this.#keptFor[reason] += 1
    }
    this.#counts.kept += 1
    return true
  }

  get counts(): SamplerCounts {
    return {
      ...this.#counts,
      steppedAside: this.#aside?.missed ?? 0,
      keptFor: { ...this.#keptFor },
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
    if (signingKey !== null && this.#hasToken(context, signingKey)) {
      this.#counts.asked += 1
      return true
    }
    if (mode === 'on-demand') {
      this.#counts.notAsked += 1
      return false
    }
    const rate = this.#rateOf(context.path)
    if (rate === 1 || (rate > 0 && this.#random() < rate)) return true
    this.#counts.sampledOut += 1
    return false
  }

  // A field that is there twice is not what the command line writes.
  #hasToken(context: HttpRequest, key: NonNullable<RecordingRules['signingKey']>): boolean {
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

/** Why a profile is worth keeping whatever the dice say. */
export type KeepReason = 'error' | 'slow' | 'n+1'

/** What is looked at of a request that was recorded and has ended. */
export type JudgedRequest = Pick<Exchange, 'reply' | 'sent' | 'recording' | 'children'>

/** The first reason that a request or one of its sub-requests gives; `null` for an ordinary one. An N+1 is looked for last. */
export function keepReason(request: JudgedRequest, rules: KeepRules): KeepReason | null {
  if (rules.errors && anyOf(request, isError)) return 'error'
  const { slowMs } = rules
  if (slowMs !== null && (request.recording?.durationMs ?? 0) >= slowMs) return 'slow'
  return rules.nPlusOne && anyOf(request, hasNPlusOne) ? 'n+1' : null
}

function anyOf(request: JudgedRequest, test: (request: JudgedRequest) => boolean): boolean {
  return test(request) || request.children.some((child) => anyOf(child, test))
}

function isError(request: JudgedRequest): boolean {
  const { reply, sent, recording } = request
  return isErrorOutcome(
    outcomeOf({
      status: reply?.status,
      sent,
      errorClass: recording === undefined ? null : errorClassOf(recording),
      records: recording?.logger.records ?? [],
    }),
  )
}

/** Of one request, its sub-requests apart. */
function hasNPlusOne({ recording }: JudgedRequest): boolean {
  // Only the capture keeps something under this name.
  const queries = recording?.kept('database') as Queries | undefined
  return queries?.toData().findings.some(({ kind }) => kind === 'n+1') ?? false
}

export class RateLimiter {
  readonly #limits: RateLimits
  readonly #now: () => number
  #left: number
  #refilledAt: number

  /** `now` is a monotonic clock in milliseconds. */
  constructor(limits: RateLimits, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
    this.#left = limits.burst
    this.#refilledAt = now()
  }

  /** Whether one more request may be recorded. Looks at the clock only where nothing is left. */
  take(): boolean {
    if (this.#left < 1 && !this.#refill()) return false
    this.#left -= 1
    return true
  }

  /** Whether the last one that asked found nothing left. */
  get isUsedUp(): boolean {
    return this.#left < 1
  }

  #refill(): boolean {
    const { perSecond, burst } = this.#limits
    const now = this.#now()
    this.#left = Math.min(burst, this.#left + ((now - this.#refilledAt) / 1000) * perSecond)
    this.#refilledAt = now
    return this.#left >= 1
  }
}
