// Reads the filters of the list from its address, and writes them back into links. What cannot be used is said, not guessed.

import { parseQuery } from '../http/query.ts'
import { tokenPattern } from '../profiler/profile.ts'
import { findingNames, type ProfileFilter } from '../profiler/profile-store.ts'
import { quoted, readValues, unknownNames } from './query-values.ts'

/** Names of the filters, as they stand in the address. */
export type FilterName =
  | 'url'
  | 'status'
  | 'method'
  | 'duration'
  | 'finding'
  | 'error'
  | 'redirect'
  | 'type'
  | 'family'
  | 'route'
  | 'matched'
  | 'ip'
  | 'since'
  | 'until'
  | 'trace'
  | 'version'
  | 'parent'
  | 'token'

interface Field {
  /** For people. */
  readonly label: string
  /** The filter of a value that is not empty, or `null` when it cannot be used. */
  readonly read: (value: string) => ProfileFilter | null
  /** What can be used, for people. */
  readonly allowed: string
}

const fields: Readonly<Record<FilterName, Field>> = {
  url: { label: 'URL contains', read: (url) => ({ url }), allowed: 'any text' },
  status: { label: 'Status', read: readStatus, allowed: '404, 4xx, or 0 for no answer' },
  method: { label: 'Method', read: (method) => ({ method: method.toUpperCase() }), allowed: 'any method' },
  duration: { label: 'At least ms', read: readDuration, allowed: 'a number of milliseconds' },
  finding: { label: 'Finding', read: readFinding, allowed: findingNames.join(', ') },
  error: { label: 'Thrown', read: (text) => readAnswer(text, (hasError) => ({ hasError })), allowed: 'yes or no' },
  redirect: {
    label: 'Redirects',
    read: (text) => readAnswer(text, (isRedirect) => ({ isRedirect })),
    allowed: 'yes or no',
  },
  type: {
    label: 'Type',
    read: (type) => (type === 'request' || type === 'command' ? { isCommand: type === 'command' } : null),
    allowed: 'request or command',
  },
  family: { label: 'Error family', read: (errorFamily) => ({ errorFamily }), allowed: 'the name of a family' },
  route: { label: 'Route', read: (route) => ({ route }), allowed: 'the name of a route' },
  matched: {
    label: 'Matched a route',
    read: (text) => readAnswer(text, (hasRoute) => ({ hasRoute })),
    allowed: 'yes or no',
  },
  ip: { label: 'IP', read: (ip) => ({ ip }), allowed: 'an address' },
  since: { label: 'From (UTC)', read: (text) => readTime('since', text), allowed: 'a time such as 2026-11-21T08:00' },
  until: { label: 'Before (UTC)', read: (text) => readTime('until', text), allowed: 'a time such as 2026-11-21T08:00' },
  trace: { label: 'Trace', read: readTrace, allowed: '32 of 0-9 and a-f' },
  version: { label: 'Version', read: (version) => ({ version }), allowed: 'a version of the application' },
  parent: { label: 'Sub-requests of', read: (text) => readToken('parentToken', text), allowed: 'a token' },
  token: { label: 'Token', read: (text) => readToken('token', text), allowed: '10 to 16 letters and digits' },
}

const names = Object.keys(fields) as FilterName[]
/** What each part of an address is called, for people. */
const labels = Object.freeze({
  ...(Object.fromEntries(names.map((name) => [name, fields[name].label])) as Record<FilterName, string>),
  limit: 'Limit',
  after: 'After',
  live: 'Live',
})
const pageLengths = { default: 25, max: 200 } as const

/** The filters of one address. */
export class ListQuery {
  /** What cannot be used, one sentence each; the list is empty then. */
  readonly problems: readonly string[]
  /** What the address says besides and means nothing, one sentence each; the list is as it is without. */
  readonly ignored: readonly string[]
  readonly filter: ProfileFilter
  /** Cursor of the page, as the page before gave it. */
  readonly after: string | undefined
  /** Profiles on one page. */
  readonly limit: number
  /** Whether new profiles are to appear by themselves. */
  readonly isLive: boolean
  readonly #values: ReadonlyMap<string, string>

  /** Takes the raw query of the request. `more` are names that the page reads besides. */
  constructor(rawQuery: string, more: readonly string[] = []) {
    const query = parseQuery(rawQuery)
    const problems: string[] = []
    const values = readValues(query, labels, problems)
    const { misspelt, foreign } = unknownNames(query, [...Object.keys(labels), ...more])
    problems.push(...misspelt)
    this.ignored = foreign
    this.#values = new Map([...names, 'limit' as const].map((name) => [name, values.get(name) ?? '']))
    this.isLive = values.get('live') === '1'
    const cursor = values.get('after') ?? ''
    this.after = cursor === '' ? undefined : cursor
    this.filter = this.#readFilter(problems)
    this.#checkTimes(problems)
    this.limit = this.#readLimit(problems)
    this.problems = problems
  }

  /** Whether anything is filtered. */
  get isFiltered(): boolean {
    return names.some((name) => this.value(name) !== '')
  }

  /** A filter as it was typed; empty where it was not. */
  value(name: FilterName): string {
    return this.#values.get(name) ?? ''
  }

  /** The same filters with another cursor (`null`: the first page), encoded for an address. */
  withCursor(cursor: string | null): string {
    return this.with(cursor === null ? {} : { after: cursor })
  }

  /** The same filters, on the first page, with more parts, encoded for an address. */
  with(parts: Readonly<Record<string, string>>): string {
    const set = [...this.#values].filter(([, value]) => value !== '')
    return new URLSearchParams([...set, ...Object.entries(parts)]).toString()
  }

  #readFilter(problems: string[]): ProfileFilter {
    const filter: ProfileFilter = {}
    for (const name of names) {
      const value = this.value(name)
      if (value === '') continue
      const { label, read, allowed } = fields[name]
      const part = read(value)
      if (part === null) problems.push(`${label}: ${quoted(value)} cannot be used; allowed: ${allowed}.`)
      else Object.assign(filter, part)
    }
    return filter
  }

  #checkTimes(problems: string[]): void {
    const { since, until } = this.filter
    if (since === undefined || until === undefined || since < until) return
    const [from, before] = [this.value('since'), this.value('until')]
    problems.push(`${labels.since}: ${quoted(from)} is not before ${quoted(before)}; allowed: an earlier time.`)
  }

  #readLimit(problems: string[]): number {
    const text = this.#values.get('limit') ?? ''
    const limit = text === '' ? pageLengths.default : Number(text)
    if (Number.isInteger(limit) && limit >= 1 && limit <= pageLengths.max) return limit
    problems.push(`Limit: ${quoted(text)} cannot be used; allowed: 1 to ${pageLengths.max}.`)
    return pageLengths.default
  }
}

/** What a filter is called, for people. */
export function filterLabel(name: FilterName): string {
  return fields[name].label
}

function readTrace(text: string): ProfileFilter | null {
  const traceId = text.toLowerCase()
  return /^[0-9a-f]{32}$/.test(traceId) ? { traceId } : null
}

function readStatus(text: string): ProfileFilter | null {
  if (/^(0|[1-5]\d\d)$/.test(text)) return { status: Number(text) }
  // One digit from 1 to 5 and two letters x are what the filter calls a class.
  return /^[1-5]xx$/i.test(text) ? { status: text.toLowerCase() as '4xx' } : null
}

function readDuration(text: string): ProfileFilter | null {
  return /^\d{1,9}(\.\d{1,6})?$/.test(text) ? { minDurationMs: Number(text) } : null
}

function readAnswer(text: string, filterFor: (isYes: boolean) => ProfileFilter): ProfileFilter | null {
  return text === 'yes' || text === 'no' ? filterFor(text === 'yes') : null
}

function readFinding(text: string): ProfileFilter | null {
  const finding = findingNames.find((name) => name === text)
  return finding === undefined ? null : { finding }
}

function readTime(name: 'since' | 'until', text: string): ProfileFilter | null {
  const time = readInstant(text)
  return time === null ? null : { [name]: time }
}

/** A time of an address, `2026-11-21T08:00` or a day (UTC), as milliseconds since 1970; `null` for what is none. */
export function readInstant(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z?)?$/.test(text)) return null
  const time = Date.parse(`${text.replace(' ', 'T').replace('Z', '')}${text.length > 10 ? 'Z' : ''}`)
  return Number.isNaN(time) ? null : time
}

function readToken(name: 'token' | 'parentToken', text: string): ProfileFilter | null {
  return tokenPattern.test(text) ? { [name]: text } : null
}
