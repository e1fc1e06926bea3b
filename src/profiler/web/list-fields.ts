// The filters of a list of profiles: what each is called, which values can be used, and what filter of a store they become.

import { tokenPattern } from '../profile.ts'
import { findingNames } from '../profile.ts'
import { type ProfileFilter } from '../profile-store.ts'

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

/** One filter. */
export interface ListField {
  /** For people. */
  readonly label: string
  /** The filter of a value that is not empty, or `null` when it cannot be used. */
  readonly read: (value: string) => ProfileFilter | null
  /** What can be used, for people. */
  readonly allowed: string
}

/** Every filter, in the order in which problems are named. */
export const listFields: Readonly<Record<FilterName, ListField>> = {
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

/** What a filter is called, for people. */
export function filterLabel(name: FilterName): string {
  return listFields[name].label
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
