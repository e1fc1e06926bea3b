// Decides which requests are recorded: by the rules, or by the signed header with which somebody asks for it. That makes a request be recorded,
// and nothing else: who may open the profile is decided by the rules of access alone.

import { performance, wallMs } from '../../base/timing/builtins.ts'
import type { HttpRequest } from '../../base/http/request.ts'
import { traceDice, Traces } from '../../observe/outgoing/trace-context.ts'
import type { RecordingPause } from '../set-by-people.ts'
import type { RateLimits, RecordingRules } from './recording-rules.ts'
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'

interface SamplerOptions {
  readonly rules: RecordingRules
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
  /** Not recorded: sampling, too many in a second, nobody asked. */
  readonly sampledOut: number
  readonly overPace: number
  readonly notAsked: number
  /** Not recorded: recording was paused by hand. */
  readonly paused: number
  /** Signed headers that did not count, by reason. */
  readonly refusedTokens: Readonly<Record<TokenProblem, number>>
}

/** One for the life of a profiler. */
export class Sampler {
  readonly rules: RecordingRules
  readonly cost: OwnCost = new OwnCost()
  readonly #pace: RateLimiter | null
  readonly #traces: Traces
  readonly #now: () => number
  readonly #recordsAll: boolean
  readonly #counts = { recorded: 0, asked: 0, sampledOut: 0, overPace: 0, notAsked: 0, paused: 0 }
  /** While it is set, only requests with a signed token are recorded. */
  pause: RecordingPause | null = null
  readonly #refusedTokens: Record<TokenProblem, number> = {
    malformed: 0,
    forged: 0,
    expired: 0,
    'valid for too long': 0,
    'for another path': 0,
  }

  constructor({ rules, traces = new Traces(), now = wallMs }: SamplerOptions) {
    this.rules = rules
    this.#traces = traces
    this.#now = now
    const { mode, sampleRate, paths, signingKey, pace } = rules
    this.#pace = pace === null ? null : new RateLimiter(pace)
    this.#recordsAll = mode === 'all' && sampleRate === 1 && paths.length === 0 && signingKey === null
  }

  /** Whether a request is recorded; one that is not costs nothing else. */
  mayBegin(context: HttpRequest): boolean {
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
  get isOverPace(): boolean {
    return this.#pace?.isUsedUp === true
  }

  get counts(): SamplerCounts {
    return { ...this.#counts, refusedTokens: { ...this.#refusedTokens } }
  }

  #isWanted(context: HttpRequest): boolean {
    if (this.#recordsAll && this.pause === null) return true
    const { signingKey } = this.rules
    if (signingKey !== null && this.#hasToken(context, signingKey)) {
      this.#counts.asked += 1
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
    if (rate === 1 || (rate > 0 && traceDice(this.#traces.of(context).traceId) < rate)) return true
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

/** What recording costs the main thread. */
export class OwnCost {
  totalMs = 0

  /** Counts work that began at `startedMs` (`performance.now()`) and ends now. */
  add(startedMs: number): void {
    this.totalMs += performance.now() - startedMs
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

export const tokenHeader = 'x-debug-record'

/** A token that is valid for longer is refused, in milliseconds: 24 hours. */
export const maxTokenMs: number = 24 * 60 * 60 * 1000

/** Bytes of the path that a token may name. */
export const maxTokenPath = 512

interface TokenClaims {
  /** Until when, milliseconds since 1970; kept in whole seconds, rounded down. */
  readonly expiresAt: number
  /** For requests to this path and below: `/orders`. `/` for all. As it is sent, without query. */
  readonly path: string
}

type TokenProblem = 'malformed' | 'forged' | 'expired' | 'valid for too long' | 'for another path'

/** Makes the value of the header. Throws a RangeError for a path that cannot be used. */
export function signToken({ expiresAt, path }: TokenClaims, key: KeyObject): string {
  if (!/^\/[!-~]*$/.test(path) || /[?#]/.test(path) || path.length > maxTokenPath) {
    throw new RangeError(
      `The path ${JSON.stringify(path.slice(0, 100))} cannot be signed; allowed: a path as it is sent, from "/", without query, ${maxTokenPath} bytes at most`,
    )
  }
  const signed = `v1.${Math.floor(expiresAt / 1000)}.${Buffer.from(path).toString('base64url')}`
  return `${signed}.${signatureOf(signed, key).toString('base64url')}`
}

/**
 * Why the value of the header does not count for a request to `path` at `now`, or `null` when it does. Anything may be
 * given: the form is checked first, in linear time, then the signature in constant time, then what it says.
 */
export function tokenProblem(value: string, key: KeyObject, { path, now }: RequestToCheck): TokenProblem | null {
  if (value.length > maxValue) return 'malformed'
  const parts = form.exec(value)
  if (parts === null) return 'malformed'
  const [, signed = '', seconds = '', scope = '', signature = ''] = parts
  const given = Buffer.from(signature, 'base64url')
  const expected = signatureOf(signed, key)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged'
  const leftMs = Number(seconds) * 1000 - now
  if (leftMs <= 0) return 'expired'
  if (leftMs > maxTokenMs) return 'valid for too long'
  return isWithin(path, Buffer.from(scope, 'base64url').toString()) ? null : 'for another path'
}

interface RequestToCheck {
  /** Path as sent, without query. */
  readonly path: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** 32 bytes of signature are 43 characters. */
const form = /^(v1\.(\d{1,12})\.([\w-]+))\.([\w-]{43})$/

const maxValue = 3 + 13 + Math.ceil((maxTokenPath * 4) / 3) + 1 + 43

// The first words make our signatures useless elsewhere, and others useless here.
function signatureOf(signed: string, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(`fanlight record\n${signed}`).digest()
}

/** Whether a path is the scope or lies below it: `/orders` covers `/orders/7`, not `/orders-old`. */
export function isWithin(path: string, scope: string): boolean {
  if (!path.startsWith(scope)) return false
  return scope.endsWith('/') || path.length === scope.length || path[scope.length] === '/'
}
