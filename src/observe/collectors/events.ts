// Which listeners took part, in order, each with its own time; and those of the application that were not asked.

import type { Listener } from '../../http/kernel/listener.ts'
import { formatDuration } from '../../base/html/components.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { type Block, empty, heading, table } from '../blocks/blocks.ts'
import { keptNote, type DescribedPart } from '../blocks/described-part.ts'
import type { Span } from '../../base/timing/stopwatch.ts'
import type { BuiltInCollector } from '../request-record.ts'
import { cutList } from '../profile-parts.ts'

export interface ListenerCall extends Pick<Span, 'startMs' | 'durationMs'> {
  readonly listener: string
  /** `onRequest`, `onMatch`, `onMiss`, `around`, `onError`, `onResponse`; of another framework, `middleware` or `hook`. */
  readonly moment: string
  /** Without the time of the spans inside it. */
  readonly ownMs: number | null
  readonly hasFailed: boolean
}

export interface EventsData {
  /** In the order they began. */
  readonly calls: readonly ListenerCall[]
  /**
   * What the application's listeners would have done at moments that did not come; `null` where another framework handles the requests:
   * it has steps, and no listeners.
   */
  readonly notCalled: readonly { readonly listener: string; readonly moment: string }[] | null
  /** Calls that were not kept: too many, or too large for the profile. */
  readonly dropped: number
}

/** `onTerminate` is not among them: it runs while the profile is made. */
const moments = ['onRequest', 'onMatch', 'onMiss', 'around', 'onError', 'onResponse'] as const

export type Moment = (typeof moments)[number]

export type ListenerMoments = Pick<Listener, 'name'> & { readonly [Name in Moment]?: unknown }

/** The same as plain data. */
export function momentsOf(listener: Listener): ListenerMoments {
  const listened = moments.filter((moment) => listener[moment] !== undefined)
  return { name: listener.name, ...Object.fromEntries(listened.map((moment) => [moment, true])) }
}

/** `listeners` are the application's own: profiles also show which of them were not called. `null`: another framework handles the requests. */
export function eventsCollector(listeners: readonly ListenerMoments[] | null): BuiltInCollector<EventsData> {
  const all = listeners?.flatMap((listener) =>
    moments.filter((moment) => listener[moment] !== undefined).map((moment) => ({ listener: listener.name, moment })),
  )
  return {
    name: 'events',
    collect: ({ spans: recorded, droppedSpans, isSubRequest }) => {
      // Listeners run for the whole request, not for sub-requests.
      if (isSubRequest) return undefined
      const spans = nestSpans(recorded)
      const calls = spans.filter(({ category }) => called.has(category)).map((span) => callOf(span, spans))
      const notCalled = droppedSpans === 0 && all !== undefined ? notAmong(calls, all) : []
      if (calls.length + notCalled.length === 0) return undefined
      return { calls, notCalled: all === undefined ? null : notCalled, dropped: 0 }
    },
    cut: (data, maxBytes) => {
      const calls = cutList(data.calls, maxBytes)
      return { ...data, calls, dropped: data.dropped + data.calls.length - calls.length }
    },
  }
}

function notAmong(
  calls: readonly ListenerCall[],
  all: NonNullable<EventsData['notCalled']>,
): NonNullable<EventsData['notCalled']> {
  const heard = new Set(calls.map(({ listener, moment }) => `${listener} ${moment}`))
  return all.filter(({ listener, moment }) => !heard.has(`${listener} ${moment}`))
}

/** Categories of spans that are calls of a listener, or of a step that another framework takes. */
const called: ReadonlySet<string> = new Set(['listener', 'middleware', 'hook'])

function callOf(span: Span, spans: readonly Span[]): ListenerCall {
  const inside = coveredMs(spans.filter(({ parentId }) => parentId === span.id))
  // The kernel names its spans `<listener> <moment>`.
  const space = span.category === 'listener' ? span.name.lastIndexOf(' ') : span.name.length
  return {
    listener: span.name.slice(0, Math.max(0, space)),
    moment: span.category === 'listener' ? span.name.slice(space + 1) : span.category,
    startMs: span.startMs,
    durationMs: span.durationMs,
    ownMs: span.durationMs === null ? null : roundTime(Math.max(0, span.durationMs - inside)),
    hasFailed: span.status === 'error',
  }
}

/** Milliseconds in which at least one of the spans ran; they come in the order they began. */
export function coveredMs(spans: readonly Pick<Span, 'startMs' | 'durationMs'>[]): number {
  let total = 0
  let untilMs = Number.NEGATIVE_INFINITY
  for (const { startMs, durationMs } of spans) {
    const endMs = startMs + (durationMs ?? 0)
    total += Math.max(0, endMs - Math.max(startMs, untilMs))
    untilMs = Math.max(untilMs, endMs)
  }
  return total
}

// A stopwatch only knows which span ran when another one began; of two calls that run side by side, that makes one the parent of the
// other. The kernel's own spans surely hold others: they run one after another, around what they call.

/** The nesting order of the kinds of work. A span can be inside one that is further out; kinds that are not named here contain nothing. */
const levels: ReadonlyMap<string, number> = new Map([
  ['kernel', 0],
  ['middleware', 1],
  ['hook', 2],
  ['listener', 3],
  ['controller', 3],
  ['sub-request', 4],
])
const innermost = 5
/** Level of a listener's `around`, which holds the handler. */
const aroundLevel = 2

/**
 * The same spans with parents that are sure: the newest span further out that was running from their beginning to their end.
 * Times are rounded to tenths of a microsecond: what a clock says beyond that is noise, and long to write.
 */
export function nestSpans(spans: readonly Span[]): readonly Span[] {
  const holders: Span[] = []
  const nested: Span[] = []
  for (const span of spans) {
    const level = levelOf(span)
    const parentId = innermostHolder(holders, span, level)
    if (level < innermost) holders.push(span)
    const durationMs = span.durationMs === null ? null : roundTime(span.durationMs)
    nested.push({ ...span, parentId, startMs: roundTime(span.startMs), durationMs })
  }
  return nested
}

/** Milliseconds, to tenths of a microsecond. */
function roundTime(ms: number): number {
  return Math.round(ms * 10_000) / 10_000
}

function innermostHolder(holders: readonly Span[], span: Span, level: number): number | null {
  for (let index = holders.length - 1; index >= 0; index -= 1) {
    const holder = holders[index]
    if (holder === undefined || !holds(holder, span)) continue
    if (levelOf(holder) < level || (nests(span) && nests(holder))) return holder.id
  }
  return null
}

function levelOf(span: Span): number {
  return isAround(span) ? aroundLevel : (levels.get(span.category) ?? innermost)
}

/** Calls of these hold one another: what comes next is run inside them. */
function nests(span: Span): boolean {
  return span.category === 'middleware' || isAround(span)
}

function isAround({ category, name }: Span): boolean {
  return category === 'listener' && name.endsWith(' around')
}

function holds(holder: Span, span: Span): boolean {
  return span.startMs >= holder.startMs && endOf(span) <= endOf(holder)
}

/** A span that has not ended counts as longer than every other one. */
function endOf({ startMs, durationMs }: Span): number {
  return durationMs === null ? Number.POSITIVE_INFINITY : startMs + durationMs
}

/** Of other frameworks, their steps. */
export const eventsPart: DescribedPart<EventsData> = {
  name: 'events',
  title: 'Events',
  empty: ({ parentToken }) =>
    parentToken === null ? 'No events were recorded.' : 'This is a sub-request; its events are those of its parent.',
  draw: ({ calls, notCalled, dropped }) => {
    if (notCalled === null)
      return [
        keptNote(calls.length, dropped, 'steps'),
        callTable(calls, 'Steps in the order they started', ['Kind', 'Step']),
      ]
    return [
      keptNote(calls.length, dropped, 'calls'),
      calls.length === 0
        ? empty('No listeners ran.')
        : callTable(calls, 'Listeners in the order they started', ['Event', 'Listener']),
      ...(notCalled.length === 0 ? [] : [heading('Did not run'), listOf(notCalled)]),
    ]
  },
}

function listOf(notCalled: NonNullable<EventsData['notCalled']>): Block {
  return {
    kind: 'list',
    items: notCalled.map(({ listener, moment }) => [{ code: moment }, { recorded: cutText(listener, 200) }]),
  }
}

function callTable(calls: readonly ListenerCall[], name: string, heads: readonly string[]): Block | null {
  const isOwn = calls.every(({ ownMs, durationMs }) => ownMs === durationMs)
  const areAlike = calls.every(({ moment }) => moment === 'middleware')
  return table(
    name,
    'call',
    [...heads, { number: 'Own time' }, { number: 'Duration' }],
    calls.map(({ moment, listener, ownMs, durationMs, hasFailed }) => [
      areAlike ? null : { code: cutText(moment, 100) },
      [{ recorded: cutText(listener, 200) }, hasFailed ? { mark: 'error', tone: 'error' } : null],
      ownMs === null ? 'not ended' : isOwn ? null : formatDuration(ownMs),
      durationMs === null ? null : formatDuration(durationMs),
    ]),
  )
}
