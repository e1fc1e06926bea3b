// How sources and applications report what a request does: queries, accesses to caches, and templates that are rendered.

import { currentExchange } from '../http/kernel/current-exchange.ts'
import { Channels, noteFailure, traced, type Message, isCallback } from '../observe/tracing-source.ts'
import { followCall, followCallback } from '../http/kernel/follow-call.ts'
import { openRecording, ownerOf, type CaptureOwner } from '../observe/owner.ts'
import { databaseName, type QueryStart, type RunningQuery } from '../observe/outgoing/queries.ts'
import { beginActivity } from '../observe/activities/begin-activity.ts'
import { cache as kind, type CacheOutcome } from './activities/cache.ts'
import { posix } from 'node:path'
import { templates } from './activities/templates.ts'
import type { KeptName } from '../http/recording/recording.ts'

/**
 * Reports a query that starts now, in the request that is running. `start` is called only if the query is recorded; if it
 * throws, the profile gets a note. Never throws.
 */
export function beginQuery(start: () => QueryStart): RunningQuery | undefined {
  const recording = openRecording(currentExchange())
  if (recording === undefined) return undefined
  try {
    return ownerOf(recording)?.queriesOf(recording).begin(start)
  } catch (thrown) {
    noteFailure(databaseName, thrown)
    return undefined
  }
}

/** How to read what one library publishes. */
export interface TracingSourceParts {
  /** Names of its tracing channels, `ioredis:command`. */
  readonly channels: readonly string[]
  readonly start: (message: Message, channel: string) => QueryStart
  /** Whether a message is about a query. Default: every message is. */
  readonly concerns?: (message: Message, channel: string) => boolean
  /** Number of rows of a result; `null` if unknown. */
  readonly rowsOf: (result: unknown, message: Message) => number | null
}

/** Captures what one library publishes. */
export function tracingSource(
  owner: CaptureOwner,
  { channels, start, rowsOf, concerns }: TracingSourceParts,
): Channels {
  const listeners = channels.map((channel) =>
    traced(
      owner,
      channel,
      (message) => (concerns?.(message, channel) === false ? undefined : beginQuery(() => start(message, channel))),
      (query, message) => query.end(rowsOf(message['result'], message)),
    ),
  )
  return new Channels(databaseName, Object.fromEntries(listeners.flatMap((one) => Object.entries(one))))
}

/** Stack frames to capture if the application calls the observed object directly. */
export const stackFrames = 12
/** Stack frames to capture if other libraries are in between. Node 26 adds three for a tracing channel. */
export const deepStackFrames = 30

/**
 * Runs a call and reports it as a query. Results and errors pass through unchanged, promises too. `rowsOf` reads the number of
 * rows from the result.
 */
export function observeCall<Result>(
  start: () => QueryStart,
  call: () => Result,
  rowsOf: (result: unknown) => number | null,
): Result {
  const query = beginQuery(start)
  if (query === undefined) return call()
  return followCall(
    call,
    (result) => query.end(rowsIn(result, rowsOf)),
    (thrown) => query.fail(thrown),
  )
}

function rowsIn(result: unknown, rowsOf: (result: unknown) => number | null): number | null {
  try {
    return rowsOf(result)
  } catch (thrown) {
    noteFailure(databaseName, thrown)
    return null
  }
}

/** A read or write of a cache. */
interface CacheAccess {
  /** Name of the cache: `prices`. */
  readonly cache: string
  /** `get`, `set`, `delete` or a word of your own. */
  readonly operation: string
  /** Up to 200 characters are kept. Default: none. */
  readonly key?: string | number
}

/** A read or write that was begun. Only the first end counts. */
interface RunningCacheAccess {
  /** `outcome` is that of a read: `hit`, `miss`, or `stale` if an expired value was returned. */
  end(outcome?: 'hit' | 'miss' | 'stale'): void
  fail(thrown: unknown): void
}

/**
 * Reports a read or write of a cache that starts now, in the request that is running. Returns `undefined` if the request is not recorded. Never
 * throws.
 */
export function beginCacheAccess({ cache, operation, key }: CacheAccess): RunningCacheAccess | undefined {
  const access = beginActivity(kind, () => ({
    facts: {
      library: null,
      cache: cache.slice(0, maxNameLength),
      operation: operation.slice(0, maxNameLength),
      key: cacheKey(key),
      outcome: null,
    },
    site: stackFrames,
  }))
  return (
    access && {
      end: (outcome?: CacheOutcome) => access.end({ outcome: outcome ?? null }),
      fail: (thrown) => access.fail(thrown),
    }
  )
}

const maxNameLength = 60

const maxKeyLength = 200

/** Text and numbers as they are; `null` for others, which no text tells apart. */
export function cacheKey(key: unknown): string | null {
  if (typeof key === 'string') return key.slice(0, maxKeyLength)
  return typeof key === 'number' || typeof key === 'bigint' || typeof key === 'boolean' ? String(key) : null
}

interface TemplateStart {
  /** `eta`, `ejs`. */
  readonly engine: string
  /** As the application names it, or the absolute path of its file; `null` if it has none. */
  readonly name: string | null
  /** Default: unknown. */
  readonly text?: string
}

/** Names of the templates that are being rendered. */
const runningName: KeptName<string[]> = 'templates'
const maxTemplateName = 500
const maxTextLength = 60

/** Renders, and reports it in the request that is running. `args` may end with a callback. Results and errors pass through unchanged. */
export function renderObserved(
  template: () => TemplateStart,
  args: readonly unknown[],
  run: (args: readonly unknown[]) => unknown,
): unknown {
  const rendering = beginTemplate(template)
  if (rendering === undefined) return run(args)
  const { end, fail } = rendering
  const callback = args.at(-1)
  return isCallback(callback)
    ? followCallback(callback, (followed) => run([...args.slice(0, -1), followed]), end, fail)
    : followCall(() => run(args), end, fail)
}

interface Rendering {
  readonly end: () => void
  readonly fail: (thrown: unknown) => void
}

function beginTemplate(template: () => TemplateStart): Rendering | undefined {
  const recording = openRecording(currentExchange())
  if (recording === undefined) return undefined
  const running = recording.keptOr(runningName, (): string[] => [])
  let shown = ''
  const activity = beginActivity(templates, () => {
    const { engine, name, text } = template()
    shown = name?.slice(0, maxTemplateName) ?? ''
    const isInside = running.length > 0
    // What a framework is asked for, its engine renders.
    if (running.some((outer) => isSameTemplate(outer, shown))) return undefined
    const short = text === undefined ? null : text.replaceAll(/\s+/g, ' ').trim().slice(0, maxTextLength)
    return {
      facts: { engine, name: shown === '' ? null : shown, text: shown === '' ? short : null },
      // Others are called by the template around them.
      site: isInside ? null : deepStackFrames,
      ...(isInside ? {} : { span: { name: `${engine} ${posix.basename(shown)}`.trim(), category: 'template' } }),
    }
  })
  if (activity === undefined) return undefined
  running.push(shown)
  const over = (end: () => void): void => {
    end()
    const index = running.lastIndexOf(shown)
    if (index >= 0) running.splice(index, 1)
  }
  return { end: () => over(() => activity.end()), fail: (thrown) => over(() => activity.fail(thrown)) }
}

/** `home` and `/srv/views/home.ejs`. */
function isSameTemplate(asked: string, rendered: string): boolean {
  if (asked === '' || asked === rendered) return false
  const path = withoutExtension(rendered)
  return path.endsWith(`/${withoutExtension(asked)}`)
}

function withoutExtension(path: string): string {
  return path.replaceAll('\\', '/').replace(/\.[^./]*$/, '')
}
