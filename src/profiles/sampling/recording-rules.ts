// Which requests are recorded: the options of an application and the settings of the environment,
// made into one complete record.

import type { RecordingContext } from '../../http/config/variables.ts'
import { checkNames } from '../../base/options/check-options.ts'
import { parseMediaType } from '../../base/http/media-type.ts'
import type { Reply } from '../../base/http/reply.ts'

/** The option `recording` of `profiler()`. */
export interface RecordingOptions {
  /** Share of the requests that are recorded, 0 to 1; decided before any work. `APP_RECORD_SAMPLE` wins. Default 1. */
  readonly sampleRate?: number
  /** Shares for paths and everything below them; the longest path that matches counts: `{ '/health': 0 }`. Default: none. */
  readonly paths?: Readonly<Record<string, number>>
  /**
   * Requests that are recorded in a second at most, in the long run; ten times as many at once after a quiet time. `Infinity` for
   * no limit. Default 200; no limit in `test`.
   */
  readonly maxPerSecond?: number
  /** Requests at least this long count as slow, in milliseconds; `false` for none. Default 500. */
  readonly slowMs?: number | false
}

/** What the environment says about which requests are recorded. Without a key no signed header counts. */
type RecordingSettings = Pick<RecordingContext, 'mode' | 'sampleRate' | 'signingKey'>

export interface RecordingRules extends Pick<RecordingSettings, 'mode' | 'signingKey'> {
  readonly sampleRate: number
  /** Longest path first. */
  readonly paths: readonly (readonly [path: string, rate: number])[]
  /** Requests at least this long count as slow, in milliseconds; `null`: none does. */
  readonly slowMs: number | null
  /** `null`: as many as come. */
  readonly pace: RateLimits | null
}

/** How many requests may be recorded. */
export interface RateLimits {
  /** In the long run. */
  readonly perSecond: number
  /** At once, after a quiet time. */
  readonly burst: number
}

const names: readonly (keyof RecordingOptions)[] = ['sampleRate', 'paths', 'maxPerSecond', 'slowMs']

/** Makes the rules. Throws a TypeError that names an option that is unknown or out of range. */
export function resolveRecordingRules(
  options: RecordingOptions,
  settings: RecordingSettings,
  environment: string,
): RecordingRules {
  checkNames('recording', options, names)
  const { sampleRate, paths = {}, maxPerSecond, slowMs = defaultSlowMs } = options
  const rate = share('recording.sampleRate', sampleRate ?? 1)
  const own = Object.entries(paths).map(([path, value]) => pathRate(path, value))
  return {
    mode: settings.mode,
    signingKey: settings.signingKey,
    sampleRate: settings.sampleRate ?? rate,
    paths: own.toSorted(([one], [other]) => other.length - one.length),
    slowMs: slowMs === false ? null : milliseconds('recording.slowMs', slowMs),
    pace: paceLimits(maxPerSecond, environment),
  }
}

function paceLimits(given: number | undefined, environment: string): RateLimits | null {
  const perSecond = given ?? (environment === 'test' ? Infinity : 200)
  if (typeof perSecond !== 'number' || !(perSecond > 0))
    throw outOfRange('recording.maxPerSecond', perSecond, 'a number above 0, or Infinity')
  return perSecond === Infinity ? null : { perSecond, burst: Math.max(1, perSecond * 10) }
}

function pathRate(path: string, rate: number): readonly [string, number] {
  if (!path.startsWith('/')) throw outOfRange('recording.paths', path, 'paths that begin with "/"')
  return [path, share(`recording.paths[${JSON.stringify(path)}]`, rate)]
}

function share(name: string, value: number): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value
  throw outOfRange(name, value, 'a number from 0 to 1')
}

function milliseconds(name: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value
  throw outOfRange(name, value, 'a number of milliseconds above 0')
}

function outOfRange(name: string, value: unknown, allowed: string): TypeError {
  return new TypeError(`Option "${name}" is ${JSON.stringify(value) ?? String(value)}; allowed: ${allowed}`)
}

export interface Outcome {
  /** Status of the response; 0 if none left. */
  readonly status: number
  /** Class of what was thrown, or `null`. */
  readonly errorClass: string | null
  /** Lines of its log of level `error` and above. */
  readonly logErrorCount: number
}

/** Requests at least this long count as slow by default, in milliseconds. */
export const defaultSlowMs = 500

/**
 * Whether a request failed: a status from 500, no response, an error line in its log, or something thrown that did not become a 4xx.
 * A 404 is thrown too, but is not an error of the application.
 */
export function isErrorOutcome({ status, errorClass, logErrorCount }: Outcome): boolean {
  return status >= 500 || status === 0 || logErrorCount > 0 || (errorClass !== null && status < 400)
}

/** Whether a response is a WebSocket or a stream of events: those end when one side has enough, so a long one is not slow. */
export function isOpenEnded(reply: Pick<Reply, 'status' | 'header'>): boolean {
  return reply.status === 101 || parseMediaType(reply.header('content-type')).essence === 'text/event-stream'
}
