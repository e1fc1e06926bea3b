// Decides which requests are recorded and which profiles are kept.

import { performance } from 'node:perf_hooks'
import type { HttpRequest } from '../../framework/http/request.ts'
import type { Log } from '../../framework/log/logger.ts'
import { traceDice, Traces, type Draw } from '../capture/trace-context.ts'
import type { Fleet } from '../fleet.ts'
import { FleetPace, type FleetPaceState } from './fleet-pace.ts'
import type { RecordingPause } from '../recording-pause.ts'
import { LoadShedder, OwnCost, type LoadSample } from './load-shedder.ts'
import { isWithin, tokenHeader, tokenProblem, type TokenProblem } from './signed-token.ts'
import { errorGroupOf, keepReason, profilesOf, type JudgedRequest, type KeepReason } from './keep-reason.ts'
import type { RateLimits, RecordingRules } from './recording-rules.ts'

interface SamplerOptions {
  readonly rules: RecordingRules
  /** Called when recording stops under load. Default: nothing. */
  readonly log?: Log | undefined
  /** The processes that share the store. Default: there are none, and only the dice decide. */
  readonly fleet?: Fleet | undefined
  /** What the dice go by. Default: traces that nobody else asks for. */
  readonly traces?: Traces
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
  /** Not recorded: recording was paused by hand. */
  readonly paused: number
  /** Recorded and not kept: an ordinary one that the dice left out; beyond this process's share of what a store takes. */
  readonly notKept: number
  readonly overShare: number
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
  readonly #fleet: FleetPace | null
  readonly #traces: Traces
  readonly #now: () => number
  readonly #recordsAll: boolean
  readonly #keepsAll: boolean
  /** Requests with a signed header that counted. */
  readonly #asked = new WeakSet<HttpRequest>()
  readonly #counts = {
    recorded: 0,
    asked: 0,
    kept: 0,
    sampledOut: 0,
    overPace: 0,
    notAsked: 0,
    paused: 0,
    notKept: 0,
    overShare: 0,
  }
  /** While it is set, only requests with a signed token are recorded. */
  pause: RecordingPause | null = null
  readonly #keptFor: Record<KeepReason, number> = { error: 0, slow: 0, 'n+1': 0 }
  readonly #refusedTokens: Record<TokenProblem, number> = {
    malformed: 0,
    forged: 0,
    expired: 0,
    'valid for too long': 0,
    'for another path': 0,
  }

  constructor({ rules, log, fleet, traces = new Traces(), now = Date.now }: SamplerOptions) {
    this.rules = rules
    this.#traces = traces
    this.#now = now
    const { mode, sampleRate, paths, signingKey, keep, pace, fleetPerSecond: budget, stepAside: limits } = rules
    this.#aside = limits === null ? null : new LoadShedder({ limits, cost: this.cost, log })
    this.#pace = pace === null ? null : new RateLimiter(pace)
    // What was asked for by name is not paced, and on demand there is nothing else.
    this.#fleet =
      fleet === undefined || budget === null || mode === 'on-demand' ? null : new FleetPace({ fleet, budget })
    this.#recordsAll = mode === 'all' && sampleRate === 1 && paths.length === 0 && signingKey === null
    this.#keepsAll = keep.rate === 1
  }

  /** Begins to watch the load, if the rules name a limit, and to share the pace, if a store is shared. */
  start(): void {
    this.#aside?.start()
    this.#fleet?.start()
  }

  stop(): void {
    this.#aside?.stop()
    this.#fleet?.stop()
  }

  /** Whether a request is recorded; one that is not costs nothing else. */
  mayBegin(context: HttpRequest): boolean {
    if (this.#aside?.misses() === true) return false
    const { asked } = this.#counts
    if (!this.#isWanted(context)) return false
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

  /**
   * Whether the profiles of a request that has ended are kept. What a signed header asked for always is, and so is what a rule names;
   * the dice decide about the rest. Where processes share a store, a rule names the first errors of a family only, and all but these
   * must fit the share of this process.
   */
  keeps(request: JudgedRequest): boolean {
    const isKept =
      (this.#counts.asked > 0 && this.#asked.has(request.request)) ||
      this.#isFirstError(request) ||
      this.#isLeft(request)
    if (isKept) this.#counts.kept += 1
    return isKept
  }

  get counts(): SamplerCounts {
    return {
      ...this.#counts,
      steppedAside: this.#aside?.missed ?? 0,
      keptFor: { ...this.#keptFor },
      refusedTokens: { ...this.#refusedTokens },
    }
  }

  /** The share of this process; `null` if no store is shared. */
  get fleet(): FleetPaceState | null {
    return this.#fleet?.state ?? null
  }

  /** What the watch of the load saw last; `null` if the rules name no limit. */
  get aside(): SheddingState | null {
    if (this.#aside === null) return null
    const { reason, times, sample } = this.#aside
    return { reason, times, ...sample }
  }

  #isWanted(context: HttpRequest): boolean {
    if (this.#recordsAll && this.pause === null) return true
    const { signingKey } = this.rules
    if (signingKey !== null && this.#hasToken(context, signingKey)) {
      this.#counts.asked += 1
      this.#asked.add(context)
      return true
    }
    if (this.pause === null) return this.#isChosen(context)
    this.#counts.paused += 1
    return false
  }

  #isChosen(context: HttpRequest): boolean {
    const { mode } = this.rules
    if (mode === 'on-demand') {
      this.#counts.notAsked += 1
      return false
    }
    const rate = this.#rateOf(context.path)
    if (rate === 1 || (rate > 0 && this.#dice(context, 'record') < rate)) return true
    this.#counts.sampledOut += 1
    return false
  }

  #isFirstError(request: JudgedRequest): boolean {
    const { errors, rate } = this.rules.keep
    if (this.#fleet === null || !errors) return false
    const family = errorGroupOf(request)
    if (family === null || !this.#fleet.takeFirst(family, profilesOf(request))) return false
    if (!this.#keepsAll && this.#dice(request.request, 'keep') >= rate) this.#keptFor.error += 1
    return true
  }

  /** What dice and share leave. */
  #isLeft(request: JudgedRequest): boolean {
    const { keep } = this.rules
    let reason: KeepReason | null = null
    if (!this.#keepsAll && this.#dice(request.request, 'keep') >= keep.rate) {
      reason = keepReason(request, this.#fleet === null ? keep : { ...keep, errors: false })
      if (reason === null) {
        this.#counts.notKept += 1
        return false
      }
    }
    if (this.#fleet?.take(profilesOf(request), () => this.#dice(request.request, 'share')) === false) {
      this.#counts.overShare += 1
      return false
    }
    if (reason !== null) this.#keptFor[reason] += 1
    return true
  }

  #dice(request: HttpRequest, draw: Draw): number {
    return traceDice(this.#traces.of(request).traceId, draw)
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

  /** Whether one more request may be recorded. Looks at the clock only if nothing is left. */
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
