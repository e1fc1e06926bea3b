// Every filter of a list of profiles: its name, how it is read, and how memory and SQL stores apply it.

import { isIP } from 'node:net'
import { redirectStatuses } from '../../framework/http/status-text.ts'
import type { ProfileFilter } from '../profile-store.ts'
import { type Filter, defineFilter, condition, contains, containsCondition } from './filter-definition.ts'
import {
  findingNames,
  runMethods,
  runTypeOf,
  runTypes,
  tagName,
  tokenPattern,
  type Finding,
  type ProfileType,
} from '../profile.ts'

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

const searchText = '(SELECT text FROM search WHERE search.seq = profile.seq)'
const searchedColumns = ['url', 'error_class', 'error_message', searchText]
const profileTypes: readonly (ProfileType | 'all')[] = ['request', ...runTypes, 'all']
const anyText = { use: 'any text', read: (text: string) => text }

export const filters: Readonly<Record<FilterName, Filter>> = {
  search: defineFilter('text', {
    label: 'Search',
    what: 'a text',
    ...anyText,
    test: ({ url, errorClass, errorMessage }, part, searchText) =>
      [url, errorClass ?? '', errorMessage ?? '', searchText()].some((text) => contains(text, part)),
    sql: (part) => containsCondition(searchedColumns, part),
  }),
  url: defineFilter('url', {
    label: 'URL contains',
    what: 'a part of a URL',
    ...anyText,
    test: ({ url }, part) => contains(url, part),
    sql: (part) => containsCondition(['url'], part),
  }),
  status: defineFilter('status', {
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
  method: defineFilter('method', {
    label: 'Method',
    what: 'an HTTP method',
    use: 'a name such as GET',
    read: (text) => (/^[A-Za-z][\w-]*$/.test(text) ? text.toUpperCase() : undefined),
    test: ({ method }, wanted) => method === wanted,
    sql: (wanted) => condition('method = ?', wanted),
  }),
  duration: defineFilter('minDurationMs', {
    label: 'Min. duration (ms)',
    what: 'a duration',
    use: 'milliseconds such as 100 or 2.5',
    read: (text) => (/^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined),
    test: ({ durationMs }, least) => durationMs >= least,
    sql: (least) => condition('duration_ms >= ?', least),
  }),
  finding: defineFilter('finding', {
    label: 'Finding',
    what: 'a finding',
    use: findingNames.join(', '),
    read: (text) => findingNames.find((name) => name === text),
    test: ({ findings }, name) => findings.includes(name),
    // Spelled out like the partial index: SQLite does not use it for a bound value.
    sql: (name) => condition(`findings & ${findingBit(name)}`),
  }),
  error: defineFilter('hasError', {
    label: 'Exception',
    ...yesOrNo,
    test: ({ errorClass }, hasError) => (errorClass !== null) === hasError,
    sql: (hasError) => condition(hasError ? 'error_class IS NOT NULL' : 'error_class IS NULL'),
  }),
  redirect: defineFilter('isRedirect', {
    label: 'Redirects',
    ...yesOrNo,
    test: ({ status }, isRedirect) => redirectStatuses.includes(status) === isRedirect,
    sql: (isRedirect) => condition(`status ${isRedirect ? '' : 'NOT '}IN (${redirectStatuses.join(', ')})`),
  }),
  type: defineFilter('type', {
    label: 'Type',
    what: 'a type',
    use: `${profileTypes.slice(0, -1).join(', ')} or all`,
    read: (text) => profileTypes.find((type) => type === text),
    test: ({ method }, type) => type === 'all' || (runTypeOf(method) ?? 'request') === type,
    sql: (type) => {
      if (type === 'all') return condition('TRUE')
      return type === 'request'
        ? condition(`method NOT IN (${runTypes.map(() => '?').join(', ')})`, ...Object.values(runMethods))
        : condition('method = ?', runMethods[type])
    },
  }),
  family: defineFilter('errorFamily', {
    label: 'Error family',
    what: 'an error family',
    use: 'a family that the list shows',
    read: (text) => text,
    test: ({ errorFamily }, wanted) => errorFamily === wanted,
    sql: (wanted) => condition('error_family = ?', wanted),
  }),
  route: defineFilter('route', {
    label: 'Route',
    what: 'a route',
    use: 'the name of a route',
    read: (text) => text,
    test: ({ route }, wanted) => route === wanted,
    sql: (wanted) => condition('route = ?', wanted),
  }),
  matched: defineFilter('hasRoute', {
    label: 'Matched a route',
    ...yesOrNo,
    test: ({ route }, hasRoute) => (route !== null) === hasRoute,
    sql: (hasRoute) => condition(hasRoute ? 'route IS NOT NULL' : 'route IS NULL'),
  }),
  ip: defineFilter('ip', {
    label: 'IP',
    what: 'an IP address',
    use: 'an address such as 127.0.0.1 or ::1',
    read: (text) => (isIP(text) === 0 ? undefined : text),
    test: ({ ip }, wanted) => ip === wanted,
    sql: (wanted) => condition('ip = ?', wanted),
  }),
  since: defineFilter('since', {
    label: 'From (UTC)',
    ...time,
    test: (summary, from) => summary.time >= from,
    sql: (from) => condition('time >= ?', from),
  }),
  until: defineFilter('until', {
    label: 'To (UTC)',
    ...time,
    test: (summary, to) => summary.time < to,
    sql: (to) => condition('time < ?', to),
  }),
  trace: defineFilter('traceId', {
    label: 'Trace',
    what: 'a trace id',
    use: '32 hex digits',
    read: (text) => (/^[0-9a-f]{32}$/i.test(text) ? text.toLowerCase() : undefined),
    test: ({ traceId }, wanted) => traceId === wanted,
    sql: (wanted) => condition('trace_id = ?', wanted),
  }),
  version: defineFilter('version', {
    label: 'Version',
    what: 'a version',
    use: 'a version such as 2.1.0',
    read: (text) => (text === '' ? undefined : text),
    test: ({ version }, wanted) => version === wanted,
    sql: (wanted) => condition('version = ?', wanted),
  }),
  service: defineFilter('service', {
    label: 'Service',
    what: 'the name of a service',
    use: 'a name such as shop',
    read: (text) => (text === '' ? undefined : text),
    test: ({ service }, wanted) => service === wanted,
    sql: (wanted) => condition('service = ?', wanted),
  }),
  tag: defineFilter('tag', {
    label: 'Tag',
    what: 'a tag',
    use: 'a tag that the application sets, such as checkout',
    read: (text) => tagName(text) || undefined,
    test: ({ tags }, wanted) => tags.includes(wanted),
    // The first part is that of the partial index.
    sql: (wanted) => condition('tags IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)', wanted),
  }),
  parent: defineFilter('parentToken', {
    label: 'Sub-requests of',
    ...token,
    test: ({ parentToken }, wanted) => parentToken === wanted,
    sql: (wanted) => condition('parent_token = ?', wanted),
  }),
  token: defineFilter('token', {
    label: 'Token',
    ...token,
    test: (summary, wanted) => summary.token === wanted,
    sql: (wanted) => condition('token = ?', wanted),
  }),
}

/** The bit of a finding in the column `findings`. */
export function findingBit(name: Finding): number {
  return 2 ** findingNames.indexOf(name)
}

/** Reads a time, `2026-11-21` or `2026-11-21T08:00:00.000+01:00`, UTC by default, as milliseconds since 1970. */
function readInstant(text: string): number | undefined {
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text)
  if (parts === null) return undefined
  const [, day = '', timeOfDay, zone = 'Z'] = parts
  const instant = Date.parse(timeOfDay === undefined ? day : `${day}T${timeOfDay}${zone}`)
  return Number.isNaN(instant) ? undefined : instant
}

function statusRange(status: NonNullable<ProfileFilter['status']>): readonly [from: number, to: number] {
  if (typeof status === 'number') return [status, status]
  const hundreds = Number(status.charAt(0)) * 100
  return [hundreds, hundreds + 99]
}
