// Every variable of the runtime context: its schema, default and allowed values.

import { createSecretKey, type KeyObject } from 'node:crypto'
import { BlockList, isIP, isIPv6 } from 'node:net'
import * as v from 'valibot'
import { readNetwork } from '../../base/http/trusted-proxies.ts'
import { cookieSecrets } from './cookie-secrets.ts'
import { allowedEditors, editorAddress } from './editor-address.ts'
import { hideCredentials } from '../../base/redact/hide-credentials.ts'
import { logContext, logVariables, type LogContext, type LogValues } from './log-variables.ts'
import { nameVariables, type NameValues } from './name-variables.ts'
import { otlpContext, otlpVariables, type OtlpContext, type OtlpValues } from './otlp-variables.ts'
import { recordingContext, recordingVariables } from './recording-variables.ts'
import type { RecordingContext, RecordingValues } from './recording-variables.ts'
import { environments, readVariable, RuntimeContextError } from './variable.ts'
import type { Environment, ReadVariable, VariablesOf } from './variable.ts'

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
  /** What is logged. */
  readonly log: LogContext
  /** Settings of recording in debug. */
  readonly recording: RecordingContext
  /** Where profiles are sent as traces in debug. */
  readonly otlp: OtlpContext
}

/** The settings, and the second setting that debug in production needs. */
interface ReadSettings {
  readonly settings: Settings
  /** What APP_ALLOW_DEBUG_IN_PRODUCTION names, or `null`. */
  readonly debugMachine: string | null
}

/** Pairs of directories: as the server knows it, as the reader's machine does. */
type PathMap = readonly (readonly [from: string, to: string])[]

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

interface Values extends NameValues, LogValues, RecordingValues, OtlpValues {
  readonly APP_ENV: Environment
  readonly APP_DEBUG: boolean
  readonly APP_ALLOW_DEBUG_IN_PRODUCTION: string
  readonly APP_LOCK: number
  readonly APP_STORE: string
  readonly APP_ALLOWED_HOSTS: readonly string[]
  readonly APP_TRUSTED_PROXIES: readonly string[]
  readonly HOST: string
  readonly PORT: number
  readonly APP_TLS_KEY: string
  readonly APP_TLS_CERT: string
  readonly APP_EDITOR: string
  readonly APP_PATH_MAP: PathMap
  readonly APP_PROFILER_KEY: KeyObject | 'on' | 'off'
  readonly APP_COOKIE_SECRETS: readonly KeyObject[]
  readonly APP_ERROR_FILES: string
  readonly APP_MAIL: 'send' | 'hold'
}

/** The variables, in the order in which they are checked. */
export const variables: VariablesOf<Values> = {
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
    schema: v.union([
      v.picklist(['on', 'off']),
      v.pipe(
        v.string(),
        v.regex(/^[\w-]{20,200}$/),
        v.transform((key) => createSecretKey(key, 'utf8')),
      ),
    ]),
    allowed: 'on, off, or 20 to 200 letters, digits, "-" and "_", for example what "openssl rand -hex 16" prints',
    show: () => '******',
  },
  APP_COOKIE_SECRETS: cookieSecrets,
  APP_ERROR_FILES: {
    schema: v.pipe(v.string(), v.nonEmpty(), v.regex(/^[^\0]+$/)),
    allowed: 'the path of a folder such as var/errors',
  },
  APP_MAIL: { schema: v.picklist(['send', 'hold']), allowed: 'send, hold' },
  ...nameVariables,
  ...logVariables,
  ...recordingVariables,
  ...otlpVariables,
}

/** Reads every variable. Throws a RuntimeContextError for the first value that cannot be used. */
export function readSettings(values: ReadonlyMap<string, string>, environment: Environment): ReadSettings {
  const read: ReadVariable<Values> = (name, fallback) => readVariable(values, name, variables[name], fallback)
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
    log: logContext(read),
    recording: recordingContext(read),
    otlp: otlpContext(read),
  }
  if (settings.mail === 'hold' && !debug) {
    throw new RuntimeContextError('APP_MAIL="hold" needs debug: outside debug nothing holds mail back')
  }
  return { settings, debugMachine }
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
