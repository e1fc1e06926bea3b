// Sends one static page for requests that the lock closes, before anything else runs. The page is kept in
// memory; its file is read at boot and again after it changed.

import { TrustedProxies } from '../base/http/trusted-proxies.ts'
import type { HttpRequest } from '../base/http/request.ts'
import { describe, nearestName } from '../base/options/check-options.ts'
import {
  isAmbiguous,
  isNamed,
  isTarget,
  routeOf,
  type ClosableRequest,
  closableOf,
  isTurnedAway,
} from '../stores/lock/closure.ts'
import { readFile, stat, unwatchFile, watchFile, type StatsListener } from 'node:fs'
import { promisify } from 'node:util'
import { preferredFormat, type ResponseFormat } from '../base/http/media-type.ts'
import { protectiveHeaders } from '../base/http/header-fields.ts'
import { Reply } from '../base/http/reply.ts'
import { isPromise, type Awaitable } from '../base/members.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import type { Listener } from '../http/kernel/listener.ts'
import { maintenancePageFailed, lockedRouteUnknown } from '../base/log/lines.ts'
import type { Log } from '../base/log/logger.ts'
import type { Lock } from './lock.ts'
import { defaultRetryAfterSeconds, type Closure, type LockLink } from '../profiles/lock.ts'
import type { AnyRoutes } from '../routing/route-collection.ts'
import { UrlMatcher } from '../routing/url-matcher.ts'
import { lazy } from '../http/kernel/lazy.ts'
import { bringsLink, bringsPass } from './pass-names.ts'

/** For messages. */
export const exceptionsAllowed: string =
  'a list of paths ("/health/*"), routes ("route:health"), networks of clients ("10.0.0.0/8"), hosts ("host:admin.example") and "links"'

const hostPrefix = 'host:'

/** The exceptions, sorted by what they compare. */
export class Exceptions {
  /** Paths and routes. */
  readonly #targets: readonly string[]
  readonly #hosts: ReadonlySet<string>
  readonly #clients: TrustedProxies
  /** As they were given. */
  readonly entries: readonly string[]
  /** Whether links of the lock let their readers in. */
  readonly links: boolean

  /** Throws a TypeError for an entry that would never match. */
  constructor(entries: readonly string[] = []) {
    const refused = entries.find((entry) => !isException(entry))
    if (refused !== undefined) {
      throw new TypeError(`Option "except" of maintenance() has ${describe(refused)}; allowed: ${exceptionsAllowed}`)
    }
    this.entries = [...entries]
    this.#targets = entries.filter(isTarget)
    this.#hosts = new Set(entries.filter(isHost).map(hostOf))
    this.#clients = new TrustedProxies(entries.filter(isNetwork))
    this.links = entries.includes('links')
  }

  get routes(): readonly string[] {
    return this.#targets.map(routeOf).filter((name) => name !== undefined)
  }

  /** Whether a request is served. The application's table is asked only where an exception names a route. */
  admit(client: Pick<HttpRequest, 'host' | 'clientAddress'>, closable: ClosableRequest): boolean {
    if (this.#hosts.has(client.host) || this.#clients.isTrusted(client.clientAddress)) return true
    return this.#targets.length > 0 && !isAmbiguous(closable.path) && isNamed(this.#targets, closable)
  }
}

/** Whether an entry can match a request. */
function isException(entry: string): boolean {
  return isTarget(entry) || isHost(entry) || entry === 'links' || isNetwork(entry)
}

function isNetwork(entry: string): boolean {
  try {
    return !new TrustedProxies([entry]).isEmpty
  } catch {
    return false
  }
}

/** A name without port, as browsers send it: `admin.example`, `[::1]`. */
function isHost(entry: string): boolean {
  const host = hostOf(entry)
  return entry.startsWith(hostPrefix) && /^[\w.:[\]-]+$/.test(host) && URL.parse(`http://${host}/`)?.hostname === host
}

function hostOf(entry: string): string {
  return entry.slice(hostPrefix.length).toLowerCase()
}

interface MaintenanceListenerOptions {
  readonly lock: Pick<Lock, 'isOpen' | 'retryAfterSeconds'>
  readonly gate: Pick<Gate, 'turnsAway'>
  /** Markup of the page that is served if there is no file, or if it cannot be used. */
  readonly builtInPage: string | { toString(): string }
  /** Content-Security-Policy that the built-in page is sent with; your own page gets none. Default: none. */
  readonly builtInPolicy?: string
  /** File of the application's own page. Default: none, the built-in page is served. */
  readonly pagePath?: string
  /** Seconds for `Retry-After` while the lock store names none. Default 120. */
  readonly retryAfterSeconds?: number
  readonly log: Log
  /** Called with each request that is turned away. Default: nobody counts. */
  readonly onTurnedAway?: () => void
  /** How often the file is looked at, in milliseconds. Default 1000. */
  readonly checkIntervalMs?: number
}

/** Sooner than this, no page loads itself again. */
const leastRefreshSeconds = 10

const sentence = 'This service is being maintained. Try again later.'

/** For clients that ask for something else than a page. */
const otherBodies: ReadonlyMap<ResponseFormat, { readonly type: string; readonly content: string }> = new Map([
  [
    'json',
    {
      type: 'application/problem+json',
      content: JSON.stringify({ type: 'about:blank', title: 'Service Unavailable', status: 503 }),
    },
  ],
  ['text', { type: 'text/plain; charset=utf-8', content: `${sentence}\n` }],
  ['markdown', { type: 'text/markdown; charset=utf-8', content: `# Maintenance\n\n${sentence}\n` }],
])

/** The first listener of an application (SPEC 6.1). */
export class MaintenanceListener implements Listener {
  readonly name = 'maintenance'
  readonly #options: MaintenanceListenerOptions
  readonly #builtInBody: Buffer
  readonly #onFileChange: StatsListener
  #body: Buffer
  #isWatching = false
  #loading: Promise<void> = Promise.resolve()
  #lastProblem: string | undefined

  constructor(options: MaintenanceListenerOptions) {
    this.#options = options
    this.#builtInBody = Buffer.from(String(options.builtInPage))
    this.#body = this.#builtInBody
    const { pagePath = '' } = options
    this.#onFileChange = () => void this.#load(pagePath)
  }

  /** Reads the page file and looks after it from then on. Never rejects: the built-in page is always there. */
  async start(): Promise<void> {
    const { pagePath, checkIntervalMs } = this.#options
    if (pagePath === undefined) return
    if (!this.#isWatching) {
      this.#isWatching = true
      watchFile(pagePath, { interval: checkIntervalMs ?? 1000, persistent: false }, this.#onFileChange)
    }
    await this.#load(pagePath)
  }

  /** Turns requests away while something is closed. Costs a property read otherwise. */
  onRequest({ request }: Exchange): Awaitable<Reply | undefined> {
    const { lock, gate } = this.#options
    if (lock.isOpen) return undefined
    const verdict = gate.turnsAway(request)
    return isPromise(verdict) ? verdict.then((late) => this.#replyTo(request, late)) : this.#replyTo(request, verdict)
  }

  #replyTo(request: HttpRequest, verdict: boolean | Reply): Reply | undefined {
    if (typeof verdict !== 'boolean') return verdict
    return verdict ? this.#turnAway(request) : undefined
  }

  /** The page, or what the client asks for instead: the same bytes for every path and method (SPEC 6.3). */
  #turnAway(request: HttpRequest): Reply {
    const { lock, retryAfterSeconds = defaultRetryAfterSeconds, builtInPolicy } = this.#options
    this.#options.onTurnedAway?.()
    const retryAfter = String(lock.retryAfterSeconds ?? retryAfterSeconds)
    const other = otherBodies.get(preferredFormat(request.header('accept')))
    const type = other?.type ?? 'text/html; charset=utf-8'
    const headers = ['content-type', type, 'retry-after', retryAfter, ...protectiveHeaders]
    // A form that was sent would not be sent again.
    if (other === undefined && (request.method === 'GET' || request.method === 'HEAD'))
      headers.push('refresh', String(Math.max(leastRefreshSeconds, Number(retryAfter))))
    const reply = new Reply(503, headers, other?.content ?? this.#body)
    if (builtInPolicy !== undefined && other === undefined && this.#body === this.#builtInBody) {
      reply.appendHeader('content-security-policy', builtInPolicy)
    }
    return reply
  }

  /** Stops looking at the file; the page in memory stays. */
  close(): void {
    if (this.#isWatching && this.#options.pagePath !== undefined)
      unwatchFile(this.#options.pagePath, this.#onFileChange)
    this.#isWatching = false
  }

  /** One read at a time; a change during a read leads to one more. */
  #load(path: string): Promise<void> {
    return (this.#loading = this.#loading.then(async () => this.#loadNow(path)))
  }

  async #loadNow(path: string): Promise<void> {
    try {
      this.#body = Buffer.from(await readPageFile(path))
      this.#lastProblem = undefined
    } catch (error) {
      this.#body = this.#builtInBody
      this.#report(path, error instanceof Error ? error.message : String(error))
    }
  }

  #report(path: string, problem: string): void {
    if (problem === this.#lastProblem) return
    this.#lastProblem = problem
    this.#options.log.write(maintenancePageFailed({ path, problem }))
  }
}

/** Of `node:fs`, not `node:fs/promises`: every start reads a page, and that module takes another 1 MB. */
const files = { stat: promisify(stat), readFile: promisify(readFile) }

const maxPageBytes = 1_048_576

/**
 * The page in a file. Throws an Error that says why it cannot be used: not there, not readable, not an ordinary file, empty,
 * larger than 1 MB, not UTF-8, or not ended by `</html>` (which is how a page that is still being written is told from a whole one).
 */
async function readPageFile(path: string): Promise<string> {
  const facts = await files.stat(path)
  if (!facts.isFile()) throw new Error(facts.isDirectory() ? 'it is a directory' : 'it is not an ordinary file')
  if (facts.size > maxPageBytes) throw new Error(`it has ${facts.size} bytes; at most ${maxPageBytes} are allowed`)
  const page = decode(await files.readFile(path))
  if (!/<\/html>\s*$/i.test(page.slice(-200))) throw new Error('it does not end with </html>')
  return page
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new Error('it is not UTF-8', { cause })
  }
}

interface GateOptions {
  readonly lock: Pick<Lock, 'closures' | 'isClosedAtBoot' | 'link' | 'now'>
  readonly exceptions: Exceptions
  readonly routes: ApplicationRoutes
  /** Hears of a lock that names a route which the application does not have. */
  readonly log: Log
}

export class Gate {
  readonly #options: GateOptions
  /** The signatures need `node:crypto`, which no start has to load. */
  readonly #passes = lazy(() => import('./pass.ts'))

  /** What was looked at last. */
  #known: readonly Closure[] | undefined
  #isForeign = false

  constructor(options: GateOptions) {
    this.#options = options
  }

  /** From now on another framework serves what passes: its router may read a path in another way. */
  standBefore(): void {
    this.#isForeign = true
  }

  /** `true`: it gets the maintenance page. `false`: it is served. A reply is sent instead. */
  turnsAway(request: HttpRequest): Awaitable<boolean | Reply> {
    const { lock, exceptions } = this.#options
    // The static page before anything else (SPEC 6.1).
    if (lock.isClosedAtBoot) return true
    const { link } = lock
    if (exceptions.links && link !== undefined && bringsPass(request)) return this.#byPass(request, link, lock.now())
    return this.#isClosedTo(request)
  }

  async #byPass(request: HttpRequest, link: LockLink, now: number): Promise<boolean | Reply> {
    const { exchangePass, holdsPass } = await this.#passes()
    const entry = bringsLink(request) ? exchangePass(request, link, now) : undefined
    if (entry !== undefined) return entry
    return !holdsPass(request, link, now) && this.#isClosedTo(request)
  }

  #isClosedTo(request: HttpRequest): boolean {
    const { lock, exceptions, routes } = this.#options
    const { closures } = lock
    if (closures !== this.#known) this.#lookAt(closures)
    const closable = closableOf(request, (asked) => routes.nameOf(asked), this.#isForeign)
    return closures.some((closure) => isTurnedAway(closure, closable)) && !exceptions.admit(request, closable)
  }

  #lookAt(closures: readonly Closure[]): void {
    this.#known = closures
    const names = closures.flatMap(({ only = [] }) => only.map(routeOf)).filter((name) => name !== undefined)
    const unknown = this.#options.routes.findUnknown(names)
    if (unknown !== undefined) this.#options.log.write(lockedRouteUnknown(unknown))
  }
}

export class ApplicationRoutes {
  readonly #routes: () => AnyRoutes
  #matcher: UrlMatcher | undefined

  /** They are known once every plugin has started, so they are asked for when they are needed. */
  constructor(routes: () => AnyRoutes) {
    this.#routes = routes
  }

  /** Name of the route that takes a request, or sends it to its own form; `undefined` if none does. */
  nameOf(request: HttpRequest): string | undefined {
    this.#matcher ??= new UrlMatcher(this.#routes())
    const found = this.#matcher.find(request)
    return found.kind === 'match' || found.kind === 'redirect' ? found.route.name : undefined
  }

  /** The first name that no route has, with the nearest name that one has. */
  findUnknown(names: readonly string[]): { readonly name: string; readonly near: string | null } | undefined {
    if (names.length === 0) return undefined
    const known = this.#routes()
      .all()
      .map((route) => route.name)
    const name = names.find((one) => !known.includes(one))
    return name === undefined ? undefined : { name, near: nearestName(name, known) }
  }
}
