// Every filter of a list of profiles: its name, how it is read, and how memory and SQL stores apply it.

import { isIP } from 'node:net'
import { redirectStatuses } from '../../framework/http/status-text.ts'
import type { ProfileFilter } from '../profile-store.ts'
import { condition, contains, containsCondition, type SqlCondition } from './conditions.ts'
import { commandMethod, findingNames, tagName, tokenPattern, type Finding, type ProfileSummary } from '../profile.ts'

export interface Filter {
  /** On pages. */
  readonly label: string
  /** What may be typed: `404, 4xx, or 0 (no response)`. */
  readonly use: string
  /** Reads what a person typed: a filter with one member, or a sentence that says what to use instead. */
  read(text: string): { readonly filter: ProfileFilter } | { readonly problem: string }
  test(summary: ProfileSummary, filter: ProfileFilter, searchText: () => string): boolean
  /** The same for SQL; `undefined` if the filter is not set. */
  sql(filter: ProfileFilter): SqlCondition | undefined
}

/** In the order of the problems that a page names. */
export const filterNames = [
  'search',
  'url',
  'status',
  'method',
  'duration',
  'finding',
  'error',
  'redirect',
  'type',
  'family',
  'route',
  'matched',
  'ip',
  'since',
  'until',
  'trace',
  'version',
  'service',
  'tag',
  'parent',
  'token',
] as const

export type FilterName = (typeof filterNames)[number]

interface Definition<Value> {
  readonly label: string
  /** `"abc" is not <what>. Use <use>.` */
  readonly what: string
  readonly use: string
  /** `undefined`: the text cannot be used. */
  readonly read: (text: string) => Value | undefined
  readonly test: (summary: ProfileSummary, value: Value, searchText: () => string) => boolean
  readonly sql: (value: Value) => SqlCondition
}

const yesOrNo = {
  what: 'an answer',
  use: 'yes or no',
  read: (text: string) => (text === 'yes' || text === 'no' ? text === 'yes' : undefined),
}
const time = { what: 'a time', use: 'a time such as 2026-11-21T08:00 or a day such as 2026-11-21', read: readInstant }
const token = {
  what: 'a token',
  use: '10 to 16 letters and digits',
  read: (text: string) => (tokenPattern.test(text) ? text : undefined),
}

/** Characters of a text that a sentence repeats. */
const maxShown = 100
const searchText = '(SELECT text FROM search WHERE search.seq = profile.seq)'
const searchedColumns = ['url', 'error_class', 'error_message', searchText]
const anyText = { use: 'any text', read: (text: string) => text }

export const filters: Readonly<Record<FilterName, Filter>> = {
  search: define('text', {
    label: 'Search',
    what: 'a text',
    ...anyText,
    test: ({ url, errorClass, errorMessage }, part, searchText) =>
      [url, errorClass ?? '', errorMessage ?? '', searchText()].some((text) => contains(text, part)),
    sql: (part) => containsCondition(searchedColumns, part),
  }),
  url: define('url', {
    label: 'URL contains',
    what: 'a part of a URL',
    ...anyText,
    test: ({ url }, part) => contains(url, part),
    sql: (part) => containsCondition(['url'], part),
  }),
  status: define('status', {
    label: 'Status',
    what: 'a status',
    use: '404, 4xx, or 0 (no response)',
    read: (text) => {
      if (/^(0|[1-5]\d\d)$/.test(text)) return Number(text)
      const lower = text.toLowerCase()
      return (['1xx', '2xx', '3xx', '4xx', '5xx'] as const).find((name) => name === lower)
    },
    test: ({ status }, wanted) => {
      const [from, to] = statusRange(wanted)
      return status >= from && status <= to
    },
    sql: (wanted) =>
      typeof wanted === 'number'
        ? condition('status = ?', wanted)
        : condition('status BETWEEN ? AND ?', ...statusRange(wanted)),
  }),
  method: define('method', {
    label: 'Method',
    what: 'an HTTP method',
    use: 'a name such as GET',
    read: (text) => (/^[A-Za-z][\w-]*$/.test(text) ? text.toUpperCase() : undefined),
    test: ({ method }, wanted) => method === wanted,
    sql: (wanted) => condition('method = ?', wanted),
  }),
  duration: define('minDurationMs', {
    label: 'Min. duration (ms)',
    what: 'a duration',
    use: 'milliseconds such as 100 or 2.5',
    read: (text) => (/^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined),
    test: ({ durationMs }, least) => durationMs >= least,
    sql: (least) => condition('duration_ms >= ?', least),
  }),
  finding: define('finding', {
    label: 'Finding',
    what: 'a finding',
    use: findingNames.join(', '),
    read: (text) => findingNames.find((name) => name === text),
    test: ({ findings }, name) => findings.includes(name),
    // Spelled out like the partial index: SQLite does not use it for a bound value.
    sql: (name) => condition(`findings & ${findingBit(name)}`),
  }),
  error: define('hasError', {
    label: 'Exception',
    ...yesOrNo,
    test: ({ errorClass }, hasError) => (errorClass !== null) === hasError,
    sql: (hasError) => condition(hasError ? 'error_class IS NOT NULL' : 'error_class IS NULL'),
  }),
  redirect: define('isRedirect', {
    label: 'Redirects',
    ...yesOrNo,
    test: ({ status }, isRedirect) => redirectStatuses.includes(status) === isRedirect,
    sql: (isRedirect) => condition(`status ${isRedirect ? '' : 'NOT '}IN (${redirectStatuses.join(', ')})`),
  }),
  type: define('isCommand', {
    label: 'Type',
    what: 'a type',
    use: 'request or command',
    read: (text) => (text === 'request' || text === 'command' ? text === 'command' : undefined),
    test: ({ method }, isCommand) => (method === commandMethod) === isCommand,
    sql: (isCommand) => condition(isCommand ? 'method = ?' : 'method <> ?', commandMethod),
  }),
  family: define('errorFamily', {
    label: 'Error family',
    what: 'an error family',
    use: 'a family that the list shows',
    read: (text) => text,
    test: ({ errorFamily }, wanted) => errorFamily === wanted,
    sql: (wanted) => condition('error_family = ?', wanted),
  }),
  route: define('route', {
    label: 'Route',
    what: 'a route',
    use: 'the name of a route',
    read: (text) => text,
    test: ({ route }, wanted) => route === wanted,
    sql: (wanted) => condition('route = ?', wanted),
  }),
  matched: define('hasRoute', {
    label: 'Matched a route',
    ...yesOrNo,
    test: ({ route }, hasRoute) => (route !== null) === hasRoute,
    sql: (hasRoute) => condition(hasRoute ? 'route IS NOT NULL' : 'route IS NULL'),
  }),
  ip: define('ip', {
    label: 'IP',
    what: 'an IP address',
    use: 'an address such as 127.0.0.1 or ::1',
    read: (text) => (isIP(text) === 0 ? undefined : text),
    test: ({ ip }, wanted) => ip === wanted,
    sql: (wanted) => condition('ip = ?', wanted),
  }),
  since: define('since', {
    label: 'From (UTC)',
    ...time,
    test: (summary, from) => summary.time >= from,
    sql: (from) => condition('time >= ?', from),
  }),
  until: define('until', {
    label: 'To (UTC)',
    ...time,
    test: (summary, to) => summary.time < to,
    sql: (to) => condition('time < ?', to),
  }),
  trace: define('traceId', {
    label: 'Trace',
    what: 'a trace id',
    use: '32 hex digits',
    read: (text) => (/^[0-9a-f]{32}$/i.test(text) ? text.toLowerCase() : undefined),
    test: ({ traceId }, wanted) => traceId === wanted,
    sql: (wanted) => condition('trace_id = ?', wanted),
  }),
  version: define('version', {
    label: 'Version',
    what: 'a version',
    use: 'a version such as 2.1.0',
    read: (text) => (text === '' ? undefined : text),
    test: ({ version }, wanted) => version === wanted,
    sql: (wanted) => condition('version = ?', wanted),
  }),
  service: define('service', {
    label: 'Service',
    what: 'the name of a service',
    use: 'a name such as shop',
    read: (text) => (text === '' ? undefined : text),
    test: ({ service }, wanted) => service === wanted,
    sql: (wanted) => condition('service = ?', wanted),
  }),
  tag: define('tag', {
    label: 'Tag',
    what: 'a tag',
    use: 'a tag that the application sets, such as checkout',
    read: (text) => tagName(text) || undefined,
    test: ({ tags }, wanted) => tags.includes(wanted),
    // The first part is that of the partial index.
    sql: (wanted) => condition('tags IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)', wanted),
  }),
  parent: define('parentToken', {
    label: 'Sub-requests of',
    ...token,
    test: ({ parentToken }, wanted) => parentToken === wanted,
    sql: (wanted) => condition('parent_token = ?', wanted),
  }),
  token: define('token', {
    label: 'Token',
    ...token,
    test: (summary, wanted) => summary.token === wanted,
    sql: (wanted) => condition('token = ?', wanted),
  }),
}

/** Reads a time, `2026-11-21` or `2026-11-21T08:00:00.000+01:00`, UTC by default, as milliseconds since 1970. */
export function readInstant(text: string): number | undefined {
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text)
  if (parts === null) return undefined
  const [, day = '', timeOfDay, zone = 'Z'] = parts
  const instant = Date.parse(timeOfDay === undefined ? day : `${day}T${timeOfDay}${zone}`)
  return Number.isNaN(instant) ? undefined : instant
}

/** The bit of a finding in the column `findings`. */
export function findingBit(name: Finding): number {
  return 2 ** findingNames.indexOf(name)
}

function define<Key extends keyof ProfileFilter>(
  key: Key,
  { label, what, use, read, test, sql }: Definition<NonNullable<ProfileFilter[Key]>>,
): Filter {
  return {
    label,
    use,
    read: (text) => {
      const value = read(text)
      if (value !== undefined) {
        const filter: { -readonly [Name in keyof ProfileFilter]: ProfileFilter[Name] } = {}
        filter[key] = value
        return { filter }
      }
      const shown = JSON.stringify(text.length > maxShown ? `${text.slice(0, maxShown)}…` : text)
      return { problem: `${shown} is not ${what}. Use ${use}.` }
    },
    test: (summary, filter, searchText) => {
      const value = filter[key]
      return value === undefined || test(summary, value, searchText)
    },
    sql: (filter) => {
      const value = filter[key]
      return value === undefined ? undefined : sql(value)
    },
  }
}

function statusRange(status: NonNullable<ProfileFilter['status']>): readonly [from: number, to: number] {
  if (typeof status === 'number') return [status, status]
  const hundreds = Number(status.charAt(0)) * 100
  return [hundreds, hundreds + 99]
}
