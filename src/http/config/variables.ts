// Every variable of the runtime context: its schema, default and allowed values.

import { type KeyObject, createSecretKey } from 'node:crypto'
import { BlockList, isIP, isIPv6 } from 'node:net'
import * as v from 'valibot'
import { readNetwork } from '../../base/http/trusted-proxies.ts'
import { cookieSecrets } from './cookie-secrets.ts'
import { allowedEditors, editorAddress } from './editor-address.ts'
import { hideCredentials } from '../../base/redact/cut-text.ts'
import { mask } from '../../base/redact/rules.ts'
import { logLevels, type LogLevel } from '../../base/log/logger.ts'
import { nameOf } from './folder-files.ts'
import { environments, readVariable, RuntimeContextError, type Environment, type Variable } from './variable.ts'

/** The two forms of a body; named as in `OTEL_EXPORTER_OTLP_PROTOCOL`. */
const otlpProtocols = ['http/protobuf', 'http/json'] as const

export type OtlpProtocol = (typeof otlpProtocols)[number]

/** An address to send traces to; one without a path gets the usual one, `/v1/traces`. `null` for anything else. */
function otlpAddress(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return null
  if (url.pathname === '/') url.pathname = '/v1/traces'
  url.hash = ''
  return url.href
}

/** `name=value,other=value`, values with percent signs; `null` for what cannot be read. */
export function otlpHeaders(text: KeyObject | null): Readonly<Record<string, string>> | null {
  const fields: [string, string][] = []
  for (const pair of text === null ? [] : text.export().toString('utf8').split(',')) {
    if (pair.trim() === '') continue
    const [, name, value = ''] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x20-\x7e]*?)\s*$/.exec(pair) ?? []
    const decoded = name === undefined ? null : decodedValue(value)
    if (name === undefined || decoded === null) return null
    fields.push([name.toLowerCase(), decoded])
  }
  return Object.fromEntries(fields)
}

function decodedValue(value: string): string | null {
  try {
    const decoded = decodeURIComponent(value)
    return /^[\t\x20-\x7e\x80-\xff]*$/.test(decoded) ? decoded : null
  } catch {
    return null
  }
}

/** The values of all variables, with defaults. */
export interface Settings {
  /** Error pages with details, profiler, debug headers. */
  readonly debug: boolean
  /** Bitmask of the application lock at boot; bit 1 is maintenance. */
  readonly lock: number
  /** Where profiles, collections and the shared lock are kept: `memory:`, `sqlite:var/fanlight.db`. */
  readonly store: string
  /** Host names in lower case, without port; `*.example.org` matches all subdomains; IPv6 in brackets. */
  readonly allowedHosts: readonly string[]
  /** Addresses and networks whose forwarded headers are trusted: `10.0.0.0/8`. */
  readonly trustedProxies: readonly string[]
  /** Address to listen on. IPv6 without brackets. */
  readonly host: string
  /** Port to listen on; 0 takes any free one. */
  readonly port: number
  /** Files of the key and the certificate chain (PEM), relative to the project root; `null` for plain HTTP. */
  readonly tls: { readonly key: string; readonly cert: string } | null
  /** Version of the application, for profiles: `2.1.0`, a commit; `null` if unknown. */
  readonly version: string | null
  /** Name of the application, for profiles: `shop`. Default: the `name` of its package.json; `null` if there is none. */
  readonly service: string | null
  /** Editor that debug pages link to: a name such as `vscode`, or an address with `%f`, `%l`, `%c`; `null` for none. */
  readonly editor: string | null
  /** Directories of the server and their names on the reader's machine: `['/app', '/home/ann/shop']`. */
  readonly pathMap: PathMap
  /**
   * The key to the profiler: one of your own, or `on` for a new one at each start, both needed by everybody; `off` for none; `null` for
   * one that clients elsewhere need if `HOST` is not a loopback address.
   */
  readonly profilerKey: KeyObject | 'on' | 'off' | null
  /** Keys that cookies are signed with, the newest first; none if the setting is not set. Never printed. */
  readonly cookieKeys: readonly KeyObject[]
  /** Folder for a file of each error, relative to the project root; `null`: no files. */
  readonly errorFiles: string | null
  /** Whether observed transporters send mail or hold it back, which they do in debug only. */
  readonly mail: 'send' | 'hold'
  /** Whether agents and commands of this machine may read rows of databases that the application has open, in `dev` only. */
  readonly sql: 'off' | 'read'
  readonly log: LogContext
  readonly recording: RecordingContext
  /** Where profiles are sent as traces in debug. */
  readonly otlp: OtlpContext
}

/** The lowest level that is written; `silent` for nothing. */
type LeastLevel = LogLevel | 'silent'

/**
 * Which responses get an access line: `all`; `errors`, those from 400 on and those that broke off; a share of the others beside them, 0.1; or
 * none, `off`.
 */
export type AccessLines = 'all' | 'errors' | 'off' | number

/** Settings of the log; `null` if the variable is not set. */
interface LogContext {
  readonly level: LeastLevel | null
  /** Levels of channels that have their own. */
  readonly channels: Readonly<Record<string, LeastLevel>>
  readonly access: AccessLines | null
}

/** Settings of sending traces. */
export interface OtlpContext {
  /** Where each profile is sent: `http://127.0.0.1:4318/v1/traces`; `null` for nowhere. */
  readonly address: string | null
  readonly protocol: OtlpProtocol
  /** Header fields to send, as `otlpHeaders` reads them; `null` for none. Never printed. */
  readonly headers: KeyObject | null
}

/** Settings of recording; `null` if the variable is not set. */
export interface RecordingContext {
  /** `all`: every request, as far as sampling goes; `on-demand`: those with a signed header only. */
  readonly mode: 'all' | 'on-demand'
  /** Share of the requests that are recorded, 0 to 1. */
  readonly sampleRate: number | null
  /** Key of the signed header. Never printed. */
  readonly signingKey: KeyObject | null
  readonly maxProfiles: number | null
  /** Most bytes of profiles to keep. */
  readonly maxBytes: number | null
  /** How long ordinary profiles are kept, in milliseconds. */
  readonly maxAgeMs: number | null
}

/** The settings, and the second setting that debug in production needs. */
interface ReadSettings {
  readonly settings: Settings
  /** What APP_ALLOW_DEBUG_IN_PRODUCTION names, or `null`. */
  readonly debugMachine: string | null
}

/** Pairs of directories: as the server knows it, as the reader's machine does. */
type PathMap = readonly (readonly [from: string, to: string])[]

/** Of the option and the variable. */
export const allowedAccessLines = 'all, errors, off, or a share from 0 to 1 such as 0.1'

const level = v.picklist([...logLevels, 'silent'])
/** `info`, `router=debug`. */
const levelEntry = v.pipe(
  v.string(),
  v.trim(),
  v.regex(/^(?:[\w.:-]{1,100}=)?\w+$/),
  v.transform((entry) => entry.split('=').reverse()),
  v.tupleWithRest([level], v.string()),
)

const count = (most: number): v.GenericSchema<string, number> =>
  v.pipe(
    v.string(),
    v.regex(/^\d{1,10}$/),
    v.transform(Number),
    v.check((value) => value >= 1 && value <= most),
  )

const share = v.pipe(v.string(), v.regex(/^(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?)$/), v.transform(Number))
const secret = v.transform((text: string) => createSecretKey(text, 'utf8'))

// A build may leave a name empty.
const shortName = v.pipe(
  v.string(),
  v.regex(/^[!-~]{0,64}$/),
  v.transform((name) => (name === '' ? null : name)),
)

const listOf = (isAllowed: (entry: string) => boolean): v.GenericSchema<string, readonly string[]> =>
  v.pipe(v.string(), v.transform(splitList), v.array(v.pipe(v.string(), v.check(isAllowed))))

const integer = (isAllowed: (value: number) => boolean): v.GenericSchema<string, number> =>
  v.pipe(
    v.string(),
    v.regex(/^-?\d{1,16}$/),
    v.transform(Number),
    v.check(isAllowed),
    v.transform((value) => value + 0),
  )

/** The variables, in the order in which they are checked. */
const table = {
  APP_ENV: { schema: v.picklist(environments), allowed: environments.join(', ') },
  APP_DEBUG: {
    schema: v.pipe(
      v.picklist(['0', '1']),
      v.transform((value) => value === '1'),
    ),
    allowed: '0, 1',
  },
  APP_ALLOW_DEBUG_IN_PRODUCTION: {
    schema: v.pipe(v.string(), v.regex(/^[\w.-]{1,255}$/)),
    allowed: 'the name of the machine',
  },
  APP_LOCK: { schema: integer(Number.isSafeInteger), allowed: 'a safe integer such as 0 or 1' },
  APP_STORE: {
    schema: v.pipe(v.string(), v.regex(/^(?:memory:|sqlite:[^\0]+|rediss?:\/\/[^\s]+)$/)),
    allowed: 'memory:, sqlite:<path> or redis://<host>:<port>',
    show: hideCredentials,
  },
  APP_ALLOWED_HOSTS: {
    schema: v.pipe(
      v.string(),
      v.toLowerCase(),
      listOf(isHostPattern),
      v.transform((hosts) => hosts.map(withBrackets)),
    ),
    allowed: 'host names without port, separated by commas, such as shop.example.org, *.example.org, [::1]',
  },
  APP_TRUSTED_PROXIES: {
    schema: listOf((entry) => readNetwork(entry) !== null),
    allowed: 'addresses and networks, separated by commas, such as 10.0.0.1, 10.0.0.0/8, fd00::/8',
  },
  HOST: {
    schema: v.pipe(v.string(), v.transform(withoutBrackets), v.check(isBindable)),
    allowed: 'an address or a host name such as 127.0.0.1 or ::1',
  },
  PORT: { schema: integer((port) => port >= 0 && port <= 65_535), allowed: '0 to 65535' },
  APP_TLS_KEY: { schema: v.pipe(v.string(), v.nonEmpty()), allowed: 'the path of a PEM file' },
  APP_TLS_CERT: { schema: v.pipe(v.string(), v.nonEmpty()), allowed: 'the path of a PEM file' },
  APP_EDITOR: {
    schema: v.pipe(
      v.string(),
      v.check((editor) => editorAddress(editor) !== null),
    ),
    allowed: allowedEditors,
  },
  APP_PATH_MAP: {
    schema: v.pipe(
      listOf(isPathPair),
      v.transform((pairs) => pairs.map(pathPair)),
    ),
    allowed: 'pairs of absolute directories, separated by commas, such as /app=/home/ann/shop',
  },
  APP_PROFILER_KEY: {
    schema: v.union([v.picklist(['on', 'off']), v.pipe(v.string(), v.regex(/^[\w-]{20,200}$/), secret)]),
    allowed: 'on, off, or 20 to 200 letters, digits, "-" and "_", for example what "openssl rand -hex 16" prints',
    show: () => mask,
  },
  APP_COOKIE_SECRETS: cookieSecrets,
  APP_ERROR_FILES: {
    schema: v.pipe(v.string(), v.nonEmpty(), v.regex(/^[^\0]+$/)),
    allowed: 'the path of a folder such as var/errors',
  },
  APP_MAIL: { schema: v.picklist(['send', 'hold']), allowed: 'send, hold' },
  APP_SQL: { schema: v.picklist(['off', 'read']), allowed: 'off, read' },
  APP_VERSION: {
    schema: shortName,
    allowed: '1 to 64 characters of ASCII without spaces, such as 2.1.0 or a commit',
  },
  APP_SERVICE: { schema: shortName, allowed: '1 to 64 characters of ASCII without spaces, such as shop' },
  // OpenTelemetry allows any text.
  OTEL_SERVICE_NAME: {
    schema: v.pipe(
      v.string(),
      v.transform((name) => nameOf(name)),
    ),
    allowed: 'any text',
  },
  APP_LOG_LEVEL: {
    schema: v.pipe(
      v.string(),
      v.transform((text) => text.split(',')),
      v.array(levelEntry),
      v.check((entries) => entries.filter(({ length }) => length === 1).length <= 1),
    ),
    allowed: `${[...logLevels, 'silent'].join(', ')}; for a channel, router=debug; separated by commas`,
  },
  APP_ACCESS_LOG: {
    schema: v.union([v.picklist(['all', 'errors', 'off']), share]),
    allowed: allowedAccessLines,
  },
  APP_RECORD: { schema: v.picklist(['all', 'on-demand']), allowed: 'all, on-demand' },
  APP_RECORD_SAMPLE: {
    schema: share,
    allowed: 'a number from 0 to 1 such as 0.05',
  },
  APP_RECORD_SECRET: {
    schema: v.pipe(v.string(), v.regex(/^[!-~]{32,512}$/), secret),
    // 32 random characters of base64 are 192 bits.
    allowed: '32 to 512 characters of ASCII without spaces, for example what "openssl rand -base64 32" prints',
    show: () => mask,
  },
  APP_PROFILES_COUNT: { schema: count(100_000_000), allowed: 'a whole number from 1 such as 10000' },
  APP_PROFILES_MEGABYTES: { schema: count(1_000_000), allowed: 'a whole number from 1 such as 256' },
  APP_PROFILES_DAYS: { schema: count(3650), allowed: 'a whole number from 1 to 3650 such as 7' },
  APP_OTLP: {
    schema: v.pipe(
      v.string(),
      v.check((text) => otlpAddress(text) !== null),
      v.transform((text) => otlpAddress(text) ?? text),
    ),
    allowed: 'an http or https address without user and password, such as http://127.0.0.1:4318/v1/traces',
    show: hideCredentials,
  },
  // Libraries of OpenTelemetry read these two as well, and know more values.
  OTEL_EXPORTER_OTLP_PROTOCOL: { schema: v.string(), allowed: otlpProtocols.join(', ') },
  OTEL_EXPORTER_OTLP_HEADERS: {
    schema: v.pipe(
      v.string(),
      v.transform((text) => (text.trim() === '' ? null : createSecretKey(text, 'utf8'))),
    ),
    allowed: 'name=value pairs, separated by commas, values with percent signs for special characters',
    show: () => mask,
  },
} satisfies Readonly<Record<string, Variable<unknown>>>

type Values = { readonly [Name in keyof typeof table]: ValueOf<(typeof table)[Name]> }
type ValueOf<Of> = Of extends Variable<infer Value> ? Value : never

/** By their names. */
export const variables: Readonly<Record<string, Variable<unknown>>> = table

/** Gives the value of a variable, or the fallback if it is not set. Throws a RuntimeContextError for a wrong one. */
type Read = <Name extends keyof Values, Fallback>(name: Name, fallback: Fallback) => Values[Name] | Fallback

/** Reads every variable. Throws a RuntimeContextError for the first value that cannot be used. */
export function readSettings(values: ReadonlyMap<string, string>, environment: Environment): ReadSettings {
  const known: { readonly [Name in keyof Values]: Variable<Values[Name]> } = table
  const read: Read = (name, fallback) => readVariable(values, name, known[name], fallback)
  read('APP_ENV', environment)
  const debug = read('APP_DEBUG', environment !== 'prod')
  const debugMachine = read('APP_ALLOW_DEBUG_IN_PRODUCTION', null)
  const settings = {
    debug,
    lock: read('APP_LOCK', 0),
    store: read('APP_STORE', 'sqlite:var/fanlight.db'),
    allowedHosts: read(
      'APP_ALLOWED_HOSTS',
      environment === 'prod' && !debug ? [] : ['localhost', '127.0.0.1', '[::1]'],
    ),
    trustedProxies: read('APP_TRUSTED_PROXIES', []),
    host: read('HOST', '127.0.0.1'),
    port: read('PORT', 8000),
    tls: tlsFiles(read('APP_TLS_KEY', null), read('APP_TLS_CERT', null)),
    version: read('APP_VERSION', null),
    service: read('APP_SERVICE', null) ?? read('OTEL_SERVICE_NAME', null),
    editor: read('APP_EDITOR', null),
    pathMap: read('APP_PATH_MAP', []),
    profilerKey: read('APP_PROFILER_KEY', null),
    cookieKeys: read('APP_COOKIE_SECRETS', []),
    errorFiles: read('APP_ERROR_FILES', null),
    mail: read('APP_MAIL', 'send'),
    sql: read('APP_SQL', 'off'),
    log: logContext(read),
    recording: recordingContext(read),
    otlp: otlpContext(read),
  }
  if (settings.mail === 'hold' && !debug) {
    throw new RuntimeContextError('APP_MAIL="hold" needs debug: outside debug nothing holds mail back')
  }
  return { settings, debugMachine }
}

function logContext(read: Read): LogContext {
  const entries = read('APP_LOG_LEVEL', [])
  return Object.freeze({
    level: entries.find(({ length }) => length === 1)?.[0] ?? null,
    channels: Object.fromEntries(
      entries.flatMap(([least, channel]) => (channel === undefined ? [] : [[channel, least]])),
    ),
    access: read('APP_ACCESS_LOG', null),
  })
}

/** Throws a RuntimeContextError for a wrong value, and for `on-demand` without a secret. */
function recordingContext(read: Read): RecordingContext {
  const mode = read('APP_RECORD', 'all')
  const sampleRate = read('APP_RECORD_SAMPLE', null)
  const signingKey = read('APP_RECORD_SECRET', null)
  if (mode === 'on-demand' && signingKey === null) {
    throw new RuntimeContextError(
      `APP_RECORD="on-demand" needs APP_RECORD_SECRET: ${table.APP_RECORD_SECRET.allowed}`,
      { variable: 'APP_RECORD' },
    )
  }
  const megabytes = read('APP_PROFILES_MEGABYTES', null)
  const days = read('APP_PROFILES_DAYS', null)
  return Object.freeze({
    mode,
    sampleRate,
    signingKey,
    maxProfiles: read('APP_PROFILES_COUNT', null),
    maxBytes: megabytes === null ? null : megabytes * 1024 * 1024,
    maxAgeMs: days === null ? null : days * 86_400_000,
  })
}

/** Throws a RuntimeContextError for a wrong value; what belongs to other libraries only counts with `APP_OTLP`. */
function otlpContext(read: Read): OtlpContext {
  const address = read('APP_OTLP', null)
  const named = read('OTEL_EXPORTER_OTLP_PROTOCOL', null)
  const headers = read('OTEL_EXPORTER_OTLP_HEADERS', null)
  const protocol = otlpProtocols.find((known) => known === named)
  if (address !== null && named !== null && named !== '' && protocol === undefined) {
    const shown = JSON.stringify(named.slice(0, 200))
    throw new RuntimeContextError(
      `OTEL_EXPORTER_OTLP_PROTOCOL=${shown} cannot be used with APP_OTLP: allowed are ${otlpProtocols.join(', ')}`,
      { variable: 'OTEL_EXPORTER_OTLP_PROTOCOL' },
    )
  }
  if (address !== null && headers !== null && otlpHeaders(headers) === null) {
    throw new RuntimeContextError(
      `OTEL_EXPORTER_OTLP_HEADERS=${JSON.stringify(mask)} cannot be used with APP_OTLP: allowed are ${table.OTEL_EXPORTER_OTLP_HEADERS.allowed}`,
      { variable: 'OTEL_EXPORTER_OTLP_HEADERS' },
    )
  }
  return Object.freeze({ address, protocol: protocol ?? otlpProtocols[0], headers })
}

/** Whether only this machine can reach an address or host name. */
export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true
  const family = isIP(host)
  const loopback = new BlockList()
  loopback.addSubnet('127.0.0.0', 8, 'ipv4')
  loopback.addAddress('::1', 'ipv6')
  return family !== 0 && loopback.check(host, family === 6 ? 'ipv6' : 'ipv4')
}

function tlsFiles(key: string | null, cert: string | null): Settings['tls'] {
  if (key !== null && cert !== null) return Object.freeze({ key, cert })
  if (key === null && cert === null) return null
  throw new RuntimeContextError('APP_TLS_KEY and APP_TLS_CERT belong together: set both, or neither')
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

function isHostPattern(entry: string): boolean {
  return isIP(withoutBrackets(entry)) !== 0 || isHostName(entry.startsWith('*.') ? entry.slice(2) : entry)
}

function isHostName(name: string): boolean {
  return (
    name.length <= 253 && /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i.test(name)
  )
}

function isBindable(host: string): boolean {
  return isIP(host) !== 0 || isHostName(host)
}

/** `/app=/home/ann/shop`: both are absolute; the second may be a path of Windows. */
function isPathPair(entry: string): boolean {
  return /^\/[^=]*=(?:\/|[a-z]:[\\/]|\\\\)[^=]*$/i.test(entry)
}

function pathPair(entry: string): readonly [from: string, to: string] {
  const [from = '', to = ''] = entry.split('=')
  return Object.freeze([from, to] as const)
}

function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}

function withBrackets(host: string): string {
  return isIPv6(host) ? `[${host}]` : host
}
