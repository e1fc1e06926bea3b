// Every filter of a list of profiles, described once: its name, how it is read, and how memory and SQL stores apply it. Forms, commands and
// tools are drawn from here.

import { isIP } from 'node:net'
import { redirectStatuses } from '../../base/http/node-http.ts'
import { quoted } from '../../base/redact/cut-text.ts'
import {
  browserMethod,
  findingNames,
  findings,
  runMethods,
  runTypeOf,
  runTypes,
  spansMethod,
  tagName,
  tokenPattern,
  type FieldName,
  type Finding,
  type ProfileSummary,
  type ProfileType,
} from '../../observe/profile.ts'
import { namesOf, tableOf } from '../../base/members.ts'

interface Asked {
  is: string
  token: string
  traceId: string
  method: string
  ip: string
  /** Letter case of A–Z is ignored; `%` and `_` are ordinary characters. Long texts are searched in part. */
  part: string
  anywhere: string
  /** One of them, or a class: `404`, `'4xx'`. */
  status: number | `${1 | 2 | 3 | 4 | 5}xx`
  redirect: boolean
  /** `false`: only those that have none. */
  exists: boolean
  /** `all`: what lists that nothing narrows leave out, too. */
  type: ProfileType | 'all'
  atLeast: number
  /** Milliseconds since 1970. */
  from: number
  before: number
  finding: Finding
  tag: string
}

interface FilterFacts {
  readonly field: FieldName
  readonly asks: keyof Asked
  /** The member of `ProfileFilter`. Default: the field. */
  readonly key?: string
  /** On pages. */
  readonly label: string
  /** In the empty field of a form. */
  readonly hint?: string
  /** Stands in the first line of a form. */
  readonly isUsual?: true
  /** Stands in the last fold of a form. */
  readonly isRare?: true
  /** What can be chosen, and what it is called. */
  readonly choices?: Readonly<Record<string, string>>
  /** What a list that nothing narrows shows. Default: any. */
  readonly unset?: string
  /** Of the command line. Default: the name. */
  readonly option?: string
  /** What that option asks, which has no value then, and its help. */
  readonly asked?: readonly [value: string, help: string]
}

/** In the order of forms, and of the problems that a page names. */
const facts = {
  search: { field: 'url', asks: 'anywhere', key: 'text', label: 'Search' },
  status: { field: 'status', asks: 'status', label: 'Status', hint: 'Status: 404, 4xx', isUsual: true },
  method: { field: 'method', asks: 'method', label: 'Method', hint: 'Method', isUsual: true },
  duration: {
    field: 'durationMs',
    asks: 'atLeast',
    key: 'minDurationMs',
    label: 'Min. duration',
    hint: 'Min. ms, 1s',
    isUsual: true,
    option: 'min-duration',
  },
  finding: { field: 'findings', asks: 'finding', key: 'finding', label: 'Finding', isUsual: true },
  url: { field: 'url', asks: 'part', label: 'URL contains', hint: '/products, ?category=tables&page=2' },
  error: {
    field: 'errorClass',
    asks: 'exists',
    key: 'hasError',
    label: 'Exception',
    choices: { yes: 'thrown', no: 'none' },
    option: 'errors',
    asked: ['yes', 'only those that threw'],
  },
  redirect: {
    field: 'status',
    asks: 'redirect',
    key: 'isRedirect',
    label: 'Redirects',
    choices: { yes: 'only redirects', no: 'no redirects' },
    isRare: true,
    option: 'redirects',
    asked: ['yes', 'only redirects'],
  },
  type: { field: 'method', asks: 'type', key: 'type', label: 'Type', unset: 'requests' },
  family: { field: 'errorFamily', asks: 'is', label: 'Error family', hint: 'TypeError in src/prices.ts', isRare: true },
  route: { field: 'route', asks: 'is', label: 'Route', hint: 'product' },
  matched: {
    field: 'route',
    asks: 'exists',
    key: 'hasRoute',
    label: 'Matched a route',
    choices: { yes: 'matched', no: 'not matched' },
    isRare: true,
    option: 'unmatched',
    asked: ['no', 'only those that matched no route'],
  },
  ip: { field: 'ip', asks: 'ip', label: 'IP', hint: '127.0.0.1' },
  since: { field: 'time', asks: 'from', key: 'since', label: 'From (UTC)', hint: '10m, 2026-11-21T08:00' },
  until: { field: 'time', asks: 'before', key: 'until', label: 'To (UTC)', hint: '2026-11-21T09:00' },
  version: { field: 'version', asks: 'is', label: 'Version', hint: '2.1.0', option: 'app-version' },
  service: { field: 'service', asks: 'is', label: 'Service', hint: 'shop' },
  session: { field: 'session', asks: 'is', label: 'Session', hint: '1f0b7c2e99ab', isRare: true },
  user: { field: 'user', asks: 'is', label: 'User', hint: 'zoe' },
  tag: { field: 'tags', asks: 'tag', key: 'tag', label: 'Tag', hint: 'checkout' },
  trace: { field: 'traceId', asks: 'traceId', label: 'Trace', hint: '0af7651916cd43dd8448eb211c80319c', isRare: true },
  parent: { field: 'parentToken', asks: 'token', label: 'Sub-requests of', hint: 'token', isRare: true },
  token: { field: 'token', asks: 'token', label: 'Token', hint: '4f7k2m9qx0ab', isRare: true },
} as const

type Facts = typeof facts
export type FilterName = keyof Facts
type KeyOf<Name extends FilterName> = Facts[Name] extends { readonly key: infer Key extends string }
  ? Key
  : Facts[Name]['field']
type AskedParts = { readonly [Name in FilterName as KeyOf<Name>]?: Asked[Facts[Name]['asks']] }

/**
 * What a list of profiles is narrowed by; every part is optional, all given ones must hold. Without `parentToken` and `token` sub-requests,
 * reports of pages and spans of other services are left out.
 */
export interface ProfileFilter extends AskedParts {
  /** Sub-requests are listed, too. Default: only where `parentToken`, `token` or the method `SPANS` or `BROWSER` asks for them. */
  readonly withSubRequests?: true
}

/** A condition on the columns of a profile. Values are bound, never part of `sql`. */
interface SqlCondition {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

interface Way<Value> {
  /** `"abc" is not <what>. Use <use>.` Default: drawn from label and hint. */
  readonly what?: string
  readonly use?: string
  readonly choices?: Readonly<Record<string, string>>
  /** `undefined`: the text cannot be used. */
  readonly read: (text: string) => Value | undefined
  readonly test: (value: unknown, asked: Value, summary: ProfileSummary, searchText: () => string) => boolean
  readonly sql: (column: string, asked: Value) => SqlCondition
}

function exactly(read: Way<string>['read'], told: Pick<Way<string>, 'what' | 'use'> = {}): Way<string> {
  return {
    ...told,
    read,
    test: (value, asked) => value === asked,
    sql: (column, asked) => condition(`${column} = ?`, asked),
  }
}

const yesOrNo = {
  what: 'an answer',
  use: 'yes or no',
  read: (text: string) => (text === 'yes' || text === 'no' ? text === 'yes' : undefined),
}
const time = {
  what: 'a time',
  use: 'a time such as 2026-11-21T08:00, or 10m for ten minutes ago',
  read: readInstant,
}
const anyText = { what: 'a text', read: (text: string) => text }
const searchText = '(SELECT text FROM search WHERE search.seq = profile.seq)'
const searchedColumns = ['url', 'error_class', 'error_message', searchText]
const profileTypes: readonly (ProfileType | 'all')[] = ['request', ...runTypes, 'all']

const ways: { readonly [Name in keyof Asked]: Way<Asked[Name]> } = {
  is: exactly((text) => text || undefined),
  token: exactly((text) => (tokenPattern.test(text) ? text : undefined), {
    what: 'a token',
    use: '10 to 16 letters and digits',
  }),
  traceId: exactly((text) => (/^[0-9a-f]{32}$/i.test(text) ? text.toLowerCase() : undefined), {
    what: 'a trace id',
    use: '32 hex digits',
  }),
  method: exactly((text) => (/^[A-Za-z][\w-]*$/.test(text) ? text.toUpperCase() : undefined), {
    what: 'an HTTP method',
    use: 'a name such as GET',
  }),
  ip: exactly((text) => (isIP(text) === 0 ? undefined : text), {
    what: 'an IP address',
    use: 'an address such as ::1',
  }),
  part: {
    ...anyText,
    use: 'any text',
    test: (value, part) => contains(String(value), part),
    sql: (column, part) => containsCondition([column], part),
  },
  anywhere: {
    ...anyText,
    use: 'part of the URL, an error, the log, a body, a dump, a query or an outgoing request',
    test: (_, part, { url, errorClass, errorMessage }, searchText) =>
      [url, errorClass ?? '', errorMessage ?? '', searchText()].some((text) => contains(text, part)),
    sql: (_, part) => containsCondition(searchedColumns, part),
  },
  status: {
    what: 'a status',
    use: '404, 4xx, or 0 (no response)',
    read: (text) => {
      if (/^(0|[1-5]\d\d)$/.test(text)) return Number(text)
      const lower = text.toLowerCase()
      return (['1xx', '2xx', '3xx', '4xx', '5xx'] as const).find((name) => name === lower)
    },
    test: (status, asked) => {
      const [from, to] = statusRange(asked)
      return Number(status) >= from && Number(status) <= to
    },
    sql: (column, asked) =>
      typeof asked === 'number'
        ? condition(`${column} = ?`, asked)
        : condition(`${column} BETWEEN ? AND ?`, ...statusRange(asked)),
  },
  redirect: {
    ...yesOrNo,
    test: (status, asked) => redirectStatuses.includes(Number(status)) === asked,
    sql: (column, asked) => condition(`${column} ${asked ? '' : 'NOT '}IN (${redirectStatuses.join(', ')})`),
  },
  exists: {
    ...yesOrNo,
    test: (value, asked) => (value !== null) === asked,
    sql: (column, asked) => condition(`${column} IS ${asked ? 'NOT ' : ''}NULL`),
  },
  type: {
    what: 'a type',
    use: `${profileTypes.slice(0, -1).join(', ')} or all`,
    choices: Object.fromEntries(profileTypes.map((type) => [type, type === 'all' ? type : `${type}s`])),
    read: (text) => profileTypes.find((type) => type === text),
    test: (method, type) => type === 'all' || (runTypeOf(String(method)) ?? 'request') === type,
    sql: (column, type) => {
      if (type === 'all') return condition('TRUE')
      return type === 'request'
        ? condition(`${column} NOT IN (${runTypes.map(() => '?').join(', ')})`, ...Object.values(runMethods))
        : condition(`${column} = ?`, runMethods[type])
    },
  },
  atLeast: {
    what: 'a duration',
    use: 'milliseconds such as 100 or 2.5, or 1s',
    read: (text) => readSpan(text, 'ms'),
    test: (value, least) => Number(value) >= least,
    sql: (column, least) => condition(`${column} >= ?`, least),
  },
  from: {
    ...time,
    test: (value, from) => Number(value) >= from,
    sql: (column, from) => condition(`${column} >= ?`, from),
  },
  before: {
    ...time,
    test: (value, before) => Number(value) < before,
    sql: (column, before) => condition(`${column} < ?`, before),
  },
  finding: {
    what: 'a finding',
    use: findingNames.join(', '),
    choices: Object.fromEntries(findingNames.map((name) => [name, findings[name][0]])),
    read: (text) => findingNames.find((name) => name === text),
    test: (value, name) => Array.isArray(value) && value.includes(name),
    // Spelled out like the partial index: SQLite does not use it for a bound value.
    sql: (column, name) => condition(`${column} & ${findingBit(name)}`),
  },
  tag: {
    what: 'a tag',
    use: 'a tag such as checkout',
    read: (text) => tagName(text) || undefined,
    test: (value, tag) => Array.isArray(value) && value.includes(tag),
    // The first part is that of the partial index.
    sql: (column, tag) =>
      condition(`${column} IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ?)`, tag),
  },
}

export interface Filter extends FilterFacts {
  readonly name: FilterName
  readonly key: Exclude<keyof ProfileFilter, 'withSubRequests'>
  /** What may be typed: `404, 4xx, or 0 (no response)`. */
  readonly use: string
  /** For commands and tools: what it is, and what may be typed. */
  readonly help: string
  /** Reads what a person typed: a filter with one member, or a sentence that says what to use instead. */
  read(text: string): { readonly filter: ProfileFilter } | { readonly problem: string }
}

export const filterNames: readonly FilterName[] = namesOf(facts)

export const filters: Readonly<Record<FilterName, Filter>> = tableOf(filterNames, (name) => filterOf(name, facts[name]))

function filterOf(name: FilterName, given: FilterFacts): Filter {
  const { field, label, hint, choices } = given
  const way = ways[given.asks]
  const title = label.toLowerCase()
  const { what = `${/^[aeio]/.test(title) ? 'an' : 'a'} ${title}`, use = `${what} such as ${hint}` } = way
  const key = (given.key ?? field) as Filter['key']
  const allChoices = choices ?? way.choices
  return {
    ...given,
    name,
    key,
    use,
    // A label that only repeats the name is left out.
    help: title === name ? use : `${label}: ${use}`,
    ...(allChoices !== undefined && { choices: allChoices }),
    read: (text) => {
      const value = way.read(text)
      if (value !== undefined) return { filter: { [key]: value } }
      return { problem: `${quoted(text)} is not ${what}. Use ${use}.` }
    },
  }
}

/** The filter of the texts that somebody typed; `refuse` gets a sentence for each that cannot be used. */
export function readFilter(
  typed: (name: FilterName) => string | undefined,
  refuse: (name: FilterName, problem: string) => void,
): ProfileFilter {
  const filter: ProfileFilter = {}
  for (const name of filterNames) {
    const text = typed(name)
    if (text === undefined) continue
    const read = filters[name].read(text)
    if ('problem' in read) refuse(name, read.problem)
    else Object.assign(filter, read.filter)
  }
  const { since, until } = filter
  if (since !== undefined && until !== undefined && since >= until) {
    const [from, to] = [typed('since'), typed('until')].map((text) => JSON.stringify(text))
    refuse('since', `${from} is not before ${to}. Use an earlier time.`)
  }
  return filter
}

/** Whether a profile passes every filter that is set. `searchText` is asked only for what no summary holds. */
export function matchesFilter(summary: ProfileSummary, filter: ProfileFilter, searchText: () => string): boolean {
  if (leavesOutSubRequests(filter) && summary.parentToken !== null) return false
  if (leavesOutReports(filter) && summary.method === browserMethod) return false
  return filterNames.every((name) => {
    const { key, field, asks } = filters[name]
    return filter[key] === undefined || wayOf(asks).test(summary[field], filter[key], summary, searchText)
  })
}

/** The same as one condition. */
export function sqlCondition(filter: ProfileFilter): SqlCondition {
  const parts = filterNames.flatMap((name) => {
    const { key, field, asks } = filters[name]
    return filter[key] === undefined ? [] : wayOf(asks).sql(columnOf(field), filter[key])
  })
  if (leavesOutSubRequests(filter)) parts.push(condition('parent_token IS NULL'))
  if (leavesOutReports(filter)) parts.push(condition('method <> ?', browserMethod))
  if (parts.length === 0) return condition('TRUE')
  return { sql: parts.map(({ sql }) => sql).join(' AND '), values: parts.flatMap(({ values }) => values) }
}

/** For what the filter's own key holds. */
function wayOf(asks: keyof Asked): Way<unknown> {
  return ways[asks] as Way<unknown>
}

/** Lists show requests; their sub-requests are asked for by name. */
function leavesOutSubRequests({ parentToken, token: wanted, method, withSubRequests }: ProfileFilter): boolean {
  const isNamed = method === spansMethod || method === browserMethod
  return !isNamed && parentToken === undefined && wanted === undefined && withSubRequests !== true
}

/** What pages report is kept below their request, and is no sub-request of it. */
function leavesOutReports({ parentToken, method }: ProfileFilter): boolean {
  return parentToken !== undefined && method === undefined
}

/** The column of a field: `duration_ms`. */
export function columnOf(field: FieldName): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The bit of a finding in the column `findings`. */
export function findingBit(name: Finding): number {
  return 2 ** findingNames.indexOf(name)
}

function condition(sql: string, ...values: readonly (string | number)[]): SqlCondition {
  return { sql, values }
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Reads `2.5`, `300ms`, `1s`, `10m` as milliseconds. `unit`: of a number alone. Default: there must be one. */
function readSpan(text: string, unit = ''): number | undefined {
  const [, count, given] = /^(\d{1,9}(?:\.\d{1,6})?)(ms|[smhd])?$/.exec(text) ?? []
  const factor = unitMs[given ?? unit]
  return count === undefined || factor === undefined ? undefined : Number(count) * factor
}

/** Reads a time, `10m` for ten minutes ago, `2026-11-21` or `2026-11-21T08:00:00.000+01:00`, UTC by default, as milliseconds since 1970. */
function readInstant(text: string): number | undefined {
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text)
  const agoMs = readSpan(text)
  if (agoMs !== undefined) return Date.now() - agoMs
  if (parts === null) return undefined
  const [, day = '', timeOfDay, zone = 'Z'] = parts
  const instant = Date.parse(timeOfDay === undefined ? day : `${day}T${timeOfDay}${zone}`)
  return Number.isNaN(instant) ? undefined : instant
}

function statusRange(status: Asked['status']): readonly [from: number, to: number] {
  if (typeof status === 'number') return [status, status]
  const hundreds = Number(status.charAt(0)) * 100
  return [hundreds, hundreds + 99]
}

function contains(text: string, part: string): boolean {
  return lowerCase(text).includes(lowerCase(part))
}

function containsCondition(columns: readonly string[], part: string): SqlCondition {
  // SQLite refuses longer patterns, and no server accepts longer URLs.
  if (part.length > 8192 || part.includes('\0')) return condition('FALSE')
  const pattern = `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`
  const sql = columns.map((column) => `${column} LIKE ? ESCAPE '\\'`).join(' OR ')
  return condition(`(${sql})`, ...columns.map(() => pattern))
}

/** Like SQL's LIKE: only A–Z have a lower case. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
