// What comparisons look at of one profile: sections of named numbers and texts.

import { joinPath } from '../../base/http/json.ts'
import { coveredMs } from '../../observe/collectors/events.ts'
import type { Profile } from '../../observe/profile.ts'
import {
  readPart,
  type StoredBody,
  type StoredPartName,
  type StoredParts,
  type StoredSpan,
} from '../../profiles/stored-data.ts'

export type Unit = 'ms' | 'count' | 'bytes'

/** A kind of number that every name of a section has. */
export interface Measure {
  /** For people: `total`, `own`, `times`. */
  readonly label: string
  readonly unit: Unit
}

/** A text, or a number for each measure of the section. */
export type Value = string | readonly number[]
export type Values = ReadonlyMap<string, Value>

/** Why a section cannot be compared. */
export interface MissingPart {
  readonly missing: string
}

/** The sections of one profile, by their names. */
export type ProfileNumbers = ReadonlyMap<string, Values | MissingPart>

/** Tells a section from the reason why it is not there. */
export function isMissing(section: Values | MissingPart): section is MissingPart {
  return 'missing' in section
}

interface Section {
  readonly name: string
  readonly title: string
  /** Of numbers. Default: its values are texts. */
  readonly measures?: readonly Measure[]
  /** Never throws: what cannot be read is named as missing. */
  readonly read: (profile: Profile) => Values | MissingPart
}

const times: Measure = { label: 'times', unit: 'count' }
const total: Measure = { label: 'total', unit: 'ms' }

/** In the order in which they are shown. */
export const sections: readonly Section[] = [
  { name: 'summary', title: 'At a glance', measures: [{ label: '', unit: 'count' }], read: summaryOf },
  {
    name: 'answer',
    title: 'Request and response',
    read: ({ method, url, route, status, handler, errorClass }) =>
      new Map([
        ['method', method],
        ['URL', url],
        ['route', route ?? 'none'],
        ['status', status === 0 ? 'no response' : String(status)],
        ['handler', handler],
        ['exception', errorClass ?? 'none'],
      ]),
  },
  {
    name: 'spans',
    title: 'Time by span',
    measures: [total, { label: 'own', unit: 'ms' }, times],
    read: ofPart('time', ({ spans }) => spanTimes(spans)),
  },
  {
    name: 'queries',
    title: 'Queries',
    measures: [times, total],
    read: ofPart('database', ({ groups }) => added(groups.map(({ text, count, totalMs }) => [text, [count, totalMs]]))),
  },
  {
    name: 'outgoing',
    title: 'Outgoing requests',
    measures: [times, total],
    read: ofPart('http-client', ({ calls }) =>
      added(calls.map(({ method, url, durationMs }) => [`${method} ${withoutQuery(url)}`, [1, durationMs ?? 0]])),
    ),
  },
  {
    name: 'logs',
    title: 'Log',
    measures: [times],
    read: ofPart('logger', ({ records }) => added(records.map(({ level, message }) => [`${level}: ${message}`, [1]]))),
  },
  { name: 'request-body', title: 'Request body', read: ofPart('request', ({ body }) => bodyTexts(body)) },
  { name: 'request-headers', title: 'Request headers', read: ofPart('request', ({ headers }) => fieldsOf(headers)) },
  {
    name: 'response-body',
    title: 'Response body',
    read: ofPart('request', ({ responseBody }) => bodyTexts(responseBody)),
  },
  {
    name: 'response-headers',
    title: 'Response headers',
    read: ofPart('request', ({ responseHeaders }) => fieldsOf(responseHeaders)),
  },
  { name: 'configuration', title: 'Configuration', read: ofPart('config', configOf) },
]

export function numbersOf(profile: Profile): ProfileNumbers {
  return new Map(sections.map(({ name, read }) => [name, read(profile)]))
}

/** Nothing of the kind happened if a part is absent: that is an empty section, not a missing one. */
function ofPart<Name extends StoredPartName>(name: Name, read: (data: StoredParts[Name]) => Values): Section['read'] {
  return (profile) => {
    const part = readPart(profile, name)
    if (part.state === 'there') return read(part.data)
    if (part.state === 'absent') return new Map()
    return { missing: part.state === 'failed' ? `its collector ${part.reason}` : 'another version wrote it.' }
  }
}

/** The number of bytes in a summary; the others there are counts or name milliseconds. */
export const responseSize = 'response size'

function summaryOf(profile: Profile): Values {
  const time = readPart(profile, 'time')
  const request = readPart(profile, 'request')
  const database = readPart(profile, 'database')
  const calls = readPart(profile, 'http-client')
  const numbers = new Map<string, Value>([['duration, ms', [profile.durationMs]]])
  if (time.state === 'there') {
    const { ownCpuMs, loopWaitMs, ioWaitMs } = time.data
    if (ownCpuMs !== null) numbers.set('own code, ms', [ownCpuMs])
    if (loopWaitMs !== null) numbers.set('waiting for the event loop, ms', [loopWaitMs])
    if (ioWaitMs !== null) numbers.set('waiting for I/O, ms', [ioWaitMs])
    numbers.set('spans', [time.data.spans.length + time.data.droppedSpans])
  }
  if (database.state === 'there') numbers.set('queries', [database.data.queries.length + database.data.dropped])
  else if (database.state === 'absent') numbers.set('queries', [0])
  if (calls.state === 'there') numbers.set('outgoing requests', [calls.data.calls.length + calls.data.dropped])
  else if (calls.state === 'absent') numbers.set('outgoing requests', [0])
  numbers.set('log lines', [profile.logCount])
  numbers.set('log lines of errors', [profile.logErrorCount])
  if (request.state === 'there' && request.data.bytes !== null) numbers.set(responseSize, [request.data.bytes])
  return numbers
}

function added(entries: readonly (readonly [name: string, numbers: readonly number[]])[]): Values {
  const sums = new Map<string, readonly number[]>()
  for (const [name, numbers] of entries) {
    const known = sums.get(name)
    sums.set(name, known === undefined ? numbers : numbers.map((number, index) => number + (known[index] ?? 0)))
  }
  return sums
}

/** Left out, because they differ with every request or belong to its connection. */
const alwaysDiffer: ReadonlySet<string> = new Set(
  'connection keep-alive date x-debug-token x-debug-token-link server-timing'.split(' '),
)

function fieldsOf(fields: readonly (readonly [string, string])[]): Values {
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

function configOf(config: StoredParts['config']): Values {
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
  const sums = new Map<string, readonly [number, number, number]>()
  for (const span of spans) {
    const totalMs = span.durationMs ?? 0
    const ownMs = Math.max(
      0,
      totalMs - coveredMs((inside.get(span.id) ?? []).toSorted((one, other) => one.startMs - other.startMs)),
    )
    const [total, own, count] = sums.get(span.name) ?? [0, 0, 0]
    sums.set(span.name, [total + totalMs, own + ownMs, count + 1])
  }
  return sums
}
