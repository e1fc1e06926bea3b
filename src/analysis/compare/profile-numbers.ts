// The numbers of one profile that comparisons look at.

import { joinPath } from '../../base/http/json-path.ts'
import { coveredMs } from '../../observe/collectors/events.ts'
import type { Profile } from '../../observe/profile.ts'
import {
  readPart,
  type StoredPart,
  type StoredParts,
  type StoredBody,
  type StoredSpan,
} from '../../profiles/stored-data.ts'

export type Unit = 'ms' | 'count' | 'bytes'

/** A kind of number that every name of a section has. */
export interface Measure {
  /** For people: `total`, `own`, `times`. */
  readonly label: string
  readonly unit: Unit
}

export type SectionName = NumberSection | TextSection

/** Names with numbers, one for each measure of the section. */
export type Numbers = ReadonlyMap<string, readonly number[]>
export type Texts = ReadonlyMap<string, string>

export interface ProfileNumbers {
  readonly numbers: Readonly<Record<NumberSection, Numbers | MissingPart>>
  readonly texts: Readonly<Record<TextSection, Texts | MissingPart>>
}

export type NumberSection = 'summary' | 'spans' | 'queries' | 'outgoing' | 'logs'
export type TextSection = 'answer' | 'request-body' | 'request-headers' | 'response-headers' | 'configuration'

/** Why a section cannot be compared. */
export interface MissingPart {
  readonly missing: string
}

/** Tells a section from the reason why it is not there. */
export function isMissing(section: Numbers | Texts | MissingPart): section is MissingPart {
  return 'missing' in section
}

/** Takes the numbers out of a profile. Never throws: what cannot be read is named as missing. */
export function numbersOf(profile: Profile): ProfileNumbers {
  const time = readPart(profile, 'time')
  const database = readPart(profile, 'database')
  const calls = readPart(profile, 'http-client')
  const logger = readPart(profile, 'logger')
  const request = readPart(profile, 'request')
  const config = readPart(profile, 'config')
  return {
    numbers: {
      summary: summaryOf(profile, time, database, calls, request),
      spans: sectionOf(time, ({ spans }) => spanTimes(spans)),
      queries: sectionOf(database, ({ groups }) =>
        added(groups.map(({ text, count, totalMs }) => [text, [count, totalMs]] as const)),
      ),
      outgoing: sectionOf(calls, (data) =>
        added(
          data.calls.map(({ method, url, durationMs }) => [`${method} ${withoutQuery(url)}`, [1, durationMs ?? 0]]),
        ),
      ),
      logs: sectionOf(logger, ({ records }) =>
        added(records.map(({ level, message }) => [`${level}: ${message}`, [1]] as const)),
      ),
    },
    texts: {
      answer: new Map([
        ['method', profile.method],
        ['URL', profile.url],
        ['route', profile.route ?? 'none'],
        ['status', profile.status === 0 ? 'no response' : String(profile.status)],
        ['handler', profile.handler],
        ['exception', profile.errorClass ?? 'none'],
      ]),
      'request-body': sectionOf(request, ({ body }) => bodyTexts(body)),
      'request-headers': sectionOf(request, ({ headers }) => fieldsOf(headers)),
      'response-headers': sectionOf(request, ({ responseHeaders }) => fieldsOf(responseHeaders)),
      configuration: sectionOf(config, configOf),
    },
  }
}

/** The number of bytes in a summary; the others there are counts or name milliseconds. */
export const responseSize = 'response size'

function summaryOf(
  profile: Profile,
  time: StoredPart<StoredParts['time']>,
  database: StoredPart<StoredParts['database']>,
  calls: StoredPart<StoredParts['http-client']>,
  request: StoredPart<StoredParts['request']>,
): Numbers {
  const numbers = new Map<string, readonly number[]>([['duration, ms', [profile.durationMs]]])
  if (time.state === 'there') {
    const { ownCpuMs, loopWaitMs, ioWaitMs } = time.data
    if (ownCpuMs !== null) numbers.set('own code, ms', [ownCpuMs])
    if (loopWaitMs !== null) numbers.set('waiting for the event loop, ms', [loopWaitMs])
    if (ioWaitMs !== null) numbers.set('waiting for I/O, ms', [ioWaitMs])
    numbers.set('spans', [time.data.spans.length + time.data.droppedSpans])
  }
  if (database.state !== 'failed' && database.state !== 'unknown') {
    const { queries, dropped } = database.state === 'there' ? database.data : { queries: [], dropped: 0 }
    numbers.set('queries', [queries.length + dropped])
  }
  if (calls.state !== 'failed' && calls.state !== 'unknown') {
    numbers.set('outgoing requests', [calls.state === 'there' ? calls.data.calls.length + calls.data.dropped : 0])
  }
  numbers.set('log lines', [profile.logCount])
  numbers.set('log lines of errors', [profile.logErrorCount])
  if (request.state === 'there' && request.data.bytes !== null) numbers.set(responseSize, [request.data.bytes])
  return numbers
}

/** Nothing of the kind happened if a part is absent: that is an empty section, not a missing one. */
function sectionOf<Data, Value>(
  part: StoredPart<Data>,
  read: (data: Data) => ReadonlyMap<string, Value>,
): ReadonlyMap<string, Value> | MissingPart {
  if (part.state === 'there') return read(part.data)
  if (part.state === 'absent') return new Map()
  return { missing: part.state === 'failed' ? `its collector ${part.reason}` : 'another version wrote it.' }
}

function added(entries: readonly (readonly [name: string, numbers: readonly number[]])[]): Numbers {
  const sums = new Map<string, readonly number[]>()
  for (const [name, numbers] of entries) {
    const known = sums.get(name)
    sums.set(name, known === undefined ? numbers : numbers.map((number, index) => number + (known[index] ?? 0)))
  }
  return sums
}

/** Left out, because they differ with every request or belong to its connection. */
const alwaysDiffer: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'date',
  'x-debug-token',
  'x-debug-token-link',
  'server-timing',
])

function fieldsOf(fields: readonly (readonly [string, string])[]): Texts {
  const texts = new Map<string, string>()
  for (const [rawName, value] of fields) {
    const name = rawName.toLowerCase()
    if (alwaysDiffer.has(name)) continue
    // A policy also names where the page reports its errors, by the token of the profile.
    const stable = value.replace(/'nonce-[^']*'/g, "'nonce-…'").replace(/\/[0-9a-z]{10,16}\/browser\b/g, '/…/browser')
    addText(texts, name, stable)
  }
  return texts
}

function configOf(config: StoredParts['config']): Texts {
  const entries = Object.entries(config).filter(
    ([name, value]) => name !== 'startedAt' && name !== 'processId' && value !== null,
  )
  return new Map(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')]),
  )
}

function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '')
}

/** Fields of one body that are compared at most. */
const maxFields = 300

/**
 * `type`, `bytes`, and what was captured: of JSON a text for each leaf (`items[0].sku`), of a form one for each field, else the
 * whole as `content`. Empty if the request had no body.
 */
function bodyTexts(body: StoredBody | undefined): ReadonlyMap<string, string> {
  if (body === undefined || body.state === 'none') return new Map()
  const texts = new Map([
    ['type', body.mediaType === '' ? 'none was sent' : body.mediaType],
    ['bytes', String(body.readBytes)],
  ])
  const { content } = body
  if (content === null) texts.set('content', 'not captured')
  else if (content.kind === 'json') addLeaves(texts, Array.isArray(content.value) ? 'content' : '', content.value)
  else if (content.kind === 'form')
    for (const [name, value] of content.fields?.slice(0, maxFields) ?? []) addText(texts, name, value)
  else texts.set('content', content.kind === 'text' ? String(content.text) : 'not shown')
  return texts
}

function addLeaves(texts: Map<string, string>, path: string, value: unknown): void {
  if (texts.size >= maxFields) return
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) {
    texts.set(path || 'content', JSON.stringify(value) ?? '')
    return
  }
  const isList = Array.isArray(value)
  for (const [key, member] of Object.entries(value)) {
    addLeaves(texts, joinPath(path, key, isList), member)
  }
}

/** A name that is there twice has both values. */
function addText(texts: Map<string, string>, name: string, value: string): void {
  const known = texts.get(name)
  texts.set(name, known === undefined ? value : `${known}\n${value}`)
}

/** Total milliseconds, milliseconds without the spans directly inside, and how many; of a running span the time is 0. */
export function spanTimes(spans: readonly StoredSpan[]): ReadonlyMap<string, readonly [number, number, number]> {
  const inside = Map.groupBy(spans, ({ parentId }) => parentId)
  const times = new Map<string, readonly [number, number, number]>()
  for (const span of spans) {
    const totalMs = span.durationMs ?? 0
    const ownMs = Math.max(
      0,
      totalMs - coveredMs((inside.get(span.id) ?? []).toSorted((one, other) => one.startMs - other.startMs)),
    )
    const [total, own, count] = times.get(span.name) ?? [0, 0, 0]
    times.set(span.name, [total + totalMs, own + ownMs, count + 1])
  }
  return times
}
