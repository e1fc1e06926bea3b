// Which requests are recorded and what is kept of them: the options of an application and the settings of the environment,
// made into one complete record that also knows where each value comes from.

import { formatCount, formatRate } from '../../framework/html/components.ts'
import type { RecordingContext } from '../../framework/config/recording-variables.ts'
import { defaultBounds } from '../../stores/engine-options.ts'
import { defaultSlowMs } from '../../framework/recording/outcome.ts'

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
  /**
   * Profiles that all processes of a shared store keep in a second at most; `Infinity` for no limit. `APP_RECORD_FLEET_PER_SECOND` wins.
   * Default: a sixtieth of the profiles that the store keeps, so that none goes within its first minute; no limit in `test`.
   */
  readonly fleetPerSecond?: number
  /** What is kept of what was recorded, decided when all is known. */
  readonly keep?: {
    /** Share of the ordinary profiles that are kept, 0 to 1. Default 1. */
    readonly rate?: number
    /** Errors are always kept. Default true. */
    readonly errors?: boolean
    /** Requests at least this long are slow and always kept; `false` for none. Default 500. */
    readonly slowMs?: number | false
    /** Requests with an N+1 are always kept. Default true. */
    readonly nPlusOne?: boolean
  }
  /** When recording steps aside; `false` for never. Default: never in `dev` and `test`, the given limits in `prod`. */
  readonly stepAside?:
    | false
    | {
        /** Mean delay of the event loop over a second, in milliseconds. Default 50. */
        readonly loopDelayMs?: number
        /** Share of the main thread's time that recording may take, above 0 to 1. Default 0.1. */
        readonly share?: number
      }
}

/** What the environment says about which requests are recorded. Without a key no signed header counts. */
export type RecordingSettings = Pick<
  RecordingContext,
  'mode' | 'sampleRate' | 'signingKey' | 'fleetPerSecond' | 'maxProfiles'
>

export interface RecordingRules extends Pick<RecordingSettings, 'mode' | 'signingKey'> {
  readonly sampleRate: number
  /** Longest path first. */
  readonly paths: readonly (readonly [path: string, rate: number])[]
  readonly keep: KeepRules
  /** `null`: as many as come. */
  readonly pace: RateLimits | null
  /** Profiles that all processes of a shared store keep in a second at most; `null`: as many as come. */
  readonly fleetPerSecond: number | null
  /** `null`: recording never steps aside. */
  readonly stepAside: StepAsideLimits | null
  /** The same for people. */
  readonly limits: readonly LimitInForce[]
}

/** What is kept of what was recorded. */
export interface KeepRules {
  /** Share of the ordinary profiles that are kept, 0 to 1. */
  readonly rate: number
  /** Whether errors are always kept: statuses of 500 and above or no response, thrown errors other than a 4xx, error lines in the log. */
  readonly errors: boolean
  /** Requests at least this long are slow and always kept, in milliseconds; `null`: none is. */
  readonly slowMs: number | null
  /** Whether requests with an N+1 are always kept. */
  readonly nPlusOne: boolean
}

/** How many requests may be recorded. */
export interface RateLimits {
  /** In the long run. */
  readonly perSecond: number
  /** At once, after a quiet time. */
  readonly burst: number
}

/** Load above which recording steps aside. */
export interface StepAsideLimits {
  /** Mean delay of the event loop over a second, in milliseconds; `Infinity` for no limit. */
  readonly loopDelayMs: number
  /** Share of the main thread's time over a second that recording may take, 0 to 1; 1 for no limit. */
  readonly share: number
}

/** One rule or bound, for people. */
export interface LimitInForce {
  readonly name: string
  readonly value: string
  /** `default`, `option keep.rate`, `APP_RECORD_SAMPLE`. */
  readonly from: string
}

/** Makes the rules. Throws a TypeError that names an option out of range. */
export function resolveRecordingRules(
  { sampleRate, paths = {}, maxPerSecond, fleetPerSecond, keep = {}, stepAside }: RecordingOptions,
  settings: RecordingSettings,
  environment: string,
): RecordingRules {
  const rate = share('recording.sampleRate', sampleRate ?? 1)
  const own = Object.entries(paths).map(([path, value]) => pathRate(path, value))
  const slow = keep.slowMs ?? defaultSlowMs
  const rules = {
    mode: settings.mode,
    signingKey: settings.signingKey,
    sampleRate: settings.sampleRate ?? rate,
    paths: own.toSorted(([one], [other]) => other.length - one.length),
    keep: {
      rate: share('recording.keep.rate', keep.rate ?? 1),
      errors: keep.errors ?? true,
      slowMs: slow === false ? null : milliseconds('recording.keep.slowMs', slow),
      nPlusOne: keep.nPlusOne ?? true,
    },
    pace: paceLimits(maxPerSecond, environment),
    fleetPerSecond: fleetBudget(fleetPerSecond, settings, environment),
    stepAside: stepAsideLimits(stepAside, environment),
  }
  const from = (option: string, given: unknown): string => (given === undefined ? 'default' : `option ${option}`)
  return {
    ...rules,
    // Made on demand: text for people must not slow down a start.
    get limits() {
      return [
        { name: 'Recorded', value: recorded(rules.mode), from: rules.mode === 'all' ? 'default' : 'APP_RECORD' },
        {
          name: 'Share of requests recorded',
          value: percent(rules.sampleRate),
          from: settings.sampleRate === null ? from('recording.sampleRate', sampleRate) : 'APP_RECORD_SAMPLE',
        },
        ...rules.paths.map(([path, value]) => ({
          name: `Share recorded of ${path}`,
          value: percent(value),
          from: 'option recording.paths',
        })),
        {
          name: 'Signed header',
          value: rules.signingKey === null ? 'not accepted' : 'accepted',
          from: rules.signingKey === null ? 'default' : 'APP_RECORD_SECRET',
        },
        {
          name: 'Share of other profiles written',
          value: percent(rules.keep.rate),
          from: from('recording.keep.rate', keep.rate),
        },
        { name: 'Always written', value: alwaysKept(rules.keep), from: from('recording.keep', given(keep)) },
        {
          name: 'Requests recorded per second',
          value: paced(rules.pace),
          from: from('recording.maxPerSecond', maxPerSecond),
        },
        {
          name: 'Profiles kept per second by all processes of a shared store',
          value: rules.fleetPerSecond === null ? 'no limit' : formatRate(rules.fleetPerSecond),
          from:
            settings.fleetPerSecond === null
              ? from('recording.fleetPerSecond', fleetPerSecond)
              : 'APP_RECORD_FLEET_PER_SECOND',
        },
        { name: 'Pauses under load', value: stepsAside(rules.stepAside), from: from('recording.stepAside', stepAside) },
      ]
    },
  }
}

function paceLimits(given: number | undefined, environment: string): RateLimits | null {
  const perSecond = given ?? (environment === 'test' ? Infinity : 200)
  if (typeof perSecond !== 'number' || !(perSecond > 0))
    throw outOfRange('recording.maxPerSecond', perSecond, 'a number above 0, or Infinity')
  return perSecond === Infinity ? null : { perSecond, burst: Math.max(1, perSecond * 10) }
}

function fleetBudget(given: number | undefined, settings: RecordingSettings, environment: string): number | null {
  if (given !== undefined && (typeof given !== 'number' || !(given > 0)))
    throw outOfRange('recording.fleetPerSecond', given, 'a number above 0, or Infinity')
  const kept = environment === 'test' ? Infinity : (settings.maxProfiles ?? defaultBounds.maxCount)
  const budget = settings.fleetPerSecond ?? given ?? kept / 60
  return budget === Infinity ? null : budget
}

function stepAsideLimits(given: RecordingOptions['stepAside'], environment: string): StepAsideLimits | null {
  // In development the request that blocks the process is the one to look at.
  if (given === false || (given === undefined && environment !== 'prod')) return null
  const { loopDelayMs = 50, share: most = 0.1 } = given ?? {}
  if (most === 0) throw outOfRange('recording.stepAside.share', most, 'a number above 0, up to 1')
  return {
    loopDelayMs: loopDelayMs === Infinity ? loopDelayMs : milliseconds('recording.stepAside.loopDelayMs', loopDelayMs),
    share: share('recording.stepAside.share', most),
  }
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

function given(keep: NonNullable<RecordingOptions['keep']>): object | undefined {
  return keep.errors === undefined && keep.slowMs === undefined && keep.nPlusOne === undefined ? undefined : keep
}

function recorded(mode: RecordingSettings['mode']): string {
  return mode === 'all' ? 'every sampled request' : 'requests with a signed header only'
}

function alwaysKept({ errors, slowMs, nPlusOne }: KeepRules): string {
  const kept = [
    ...(errors ? ['errors'] : []),
    ...(slowMs === null ? [] : [`${slowMs} ms and slower`]),
    ...(nPlusOne ? ['N+1'] : []),
  ]
  return kept.join(', ') || 'nothing'
}

function paced(pace: RateLimits | null): string {
  if (pace === null) return 'no limit'
  return `${formatCount(pace.perSecond)}, ${formatCount(pace.burst)} in a burst`
}

function stepsAside(limits: StepAsideLimits | null): string {
  if (limits === null) return 'never'
  return [
    ...(limits.loopDelayMs === Infinity ? [] : [`event loop late by ${limits.loopDelayMs} ms`]),
    ...(limits.share === 1 ? [] : [`recording takes ${percent(limits.share)} of the main thread`]),
  ].join(', or ')
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))} %`
}
