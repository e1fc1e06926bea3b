// Faults behind responses that look fine. When a request ends, it is compared with what its client sent shortly before.

import { hash } from 'node:crypto'
import type { SetCookie } from 'cookie'
import { setFields } from '../base/http/header-fields.ts'
import { readCookies } from '../base/http/cookies.ts'
import { redirectStatuses } from '../base/http/node-http.ts'
import { currentExchange } from '../http/kernel/current-exchange.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import type { HttpRequest } from '../base/http/request.ts'
import type { Redactor } from '../base/redact/redactor.ts'
import { withBuiltins } from '../base/timing/builtins.ts'
import type { Recording, KeptName } from '../http/recording/recording.ts'
import { CallSites, markCallSite } from '../observe/call-site.ts'
import { httpClientName } from '../observe/outgoing/http-client-data.ts'
import { controlsSession } from '../observe/outgoing/database-data.ts'
import { databaseName } from '../observe/outgoing/queries.ts'
import { sessionUsesName, type TimedUse } from '../observe/outgoing/shared-values.ts'
import { graphqlName } from '../observe/recorded-route.ts'
import { lifetimeOf, setCookies } from '../observe/collectors/session.ts'
import { foundName, type Found } from '../observe/profile.ts'
import { replayName } from './replays.ts'
import type { RecordedQuery, RedirectStep } from '../observe/request-record.ts'

const toldName: KeptName<SetField[]> = 'told fields'
const redirectsName: KeptName<readonly Ended[]> = 'redirects'

type SetField = { readonly name: string; readonly value: string; readonly site: Error }

/** A request, as far as later ones of its client are compared with it. */
interface Sent extends RedirectStep {
  readonly url: string
  /** Equal for requests of one client. */
  readonly client: string
  readonly cookies: string
  /** On the clock of the process, in milliseconds. */
  readonly startedMs: number
}

interface Ended extends Sent {
  readonly setCookies: readonly SetCookie[]
  /** Equal for requests that do the same once more; `null` for one that may. */
  readonly work: string | null
  /** The redirects that led to it, oldest first. */
  readonly before: readonly Ended[]
  /** Where it is redirected to; `null` unless that is on the same host. */
  readonly target: string | null
  readonly place: string | null
  isFollowed: boolean
}

const maxRecent = 100
/** From the start of a redirect to the request that follows it, and between two that are the same, in milliseconds. */
const maxFollowMs = 10_000
const maxTwiceMs = 5000
/** Browsers give up after 20 redirects. */
const maxSteps = 20

/** The redirects that led to a request, oldest first. */
export function redirectsTo(recording: Recording): readonly RedirectStep[] {
  const redirects = recording.kept(redirectsName) ?? []
  return redirects.map(({ token, method, status }) => ({ token, method, status }))
}

/** One for each application: what its requests have to do with each other. */
export class RequestFindings {
  readonly #callSites: CallSites
  /** Redirects and what may not be sent twice, oldest first. */
  readonly #recent: Ended[] = []
  /** Requests that wrote what others may read, oldest first. */
  readonly #writers: Writer[] = []
  readonly #keepSite = (set: unknown): void => {
    const { 0: field, 1: values, 2: site } = set as readonly [name: string, values: unknown, site?: Error]
    // Told of every field: most are neither, by their length.
    if (field.length !== 'location'.length && field.length !== 'set-cookie'.length) return
    withBuiltins(() => {
      const name = field.toLowerCase()
      if (name !== 'location' && name !== 'set-cookie') return
      const told = currentExchange()?.recording?.keptOr(toldName, (): SetField[] => []) ?? []
      for (const value of [values].flat().map(String)) {
        // Some set a list of cookies once more, with one at its end.
        const isKnown = told.some((one) => one.name === name && one.value === value)
        if (!isKnown) told.push({ name, value, site: site ?? markCallSite(30) })
      }
    })
  }

  constructor(projectRoot: string) {
    this.#callSites = new CallSites(projectRoot)
  }

  start(): void {
    setFields.subscribe(this.#keepSite)
  }

  stop(): void {
    setFields.unsubscribe(this.#keepSite)
  }

  /** Finds the redirect that led to a request, which leads to no other. */
  begin(request: HttpRequest, recording: Recording): void {
    if (this.#recent.length === 0) return
    const sent = sentOf(request, recording)
    const step = this.#recent.findLast((one) => !one.isFollowed && leadsTo(one, sent))
    if (step === undefined) return
    step.isFollowed = true
    recording.keep(redirectsName, [...step.before, { ...step, before: [] }].slice(-maxSteps))
  }

  /** Looks at a request that has ended, before its profile is made. */
  end({ request, reply, sent: left }: Exchange, recording: Recording): void {
    if (reply === undefined) return
    const { status } = reply
    const cookies = setCookies(reply.headers)
    const found = [
      ...this.#cookiesSetTwice(cookies, request.path, recording),
      ...leftOpen(recording),
      ...this.#lostUpdates(`${request.method} ${request.path}`, recording),
    ]
    const location = redirectStatuses.includes(status) ? reply.header('location') : undefined
    const hasWorked = /^(?:POST|PATCH)$/.test(request.method) && left?.aborted !== true && status >= 200 && status < 400
    if (location !== undefined || hasWorked) {
      const sent = sentOf(request, recording)
      const target = location === undefined ? null : URL.parse(location, sent.url)
      const work = hasWorked && mayCountTwice(recording, request) ? request.body.digest : undefined
      const ended: Ended = {
        ...sent,
        status,
        setCookies: cookies,
        work: work === undefined ? null : JSON.stringify([sent.client, sent.method, sent.url, sent.cookies, work]),
        before: recording.kept(redirectsName) ?? [],
        target: target?.hostname === URL.parse(sent.url)?.hostname ? (target?.href ?? null) : null,
        place: this.#placesOf(recording, 'location').at(-1) ?? null,
        isFollowed: false,
      }
      found.push(...redirectLoop(ended, recording), ...this.#sentTwice(ended))
      if (this.#recent.push(ended) > maxRecent) this.#recent.shift()
    }
    if (found.length > 0) recording.keptOr(foundName, (): Found[] => []).push(...found)
  }

  #placesOf(recording: Recording, name: string, start = ''): readonly string[] {
    const told = recording.kept(toldName) ?? []
    const meant = told.filter((field) => field.name === name && field.value.startsWith(start))
    return meant.flatMap(({ site }) => this.#callSites.find(site) ?? [])
  }

  /** Of equal ones the last counts; one that is deleted and then set is meant. */
  #cookiesSetTwice(cookies: readonly SetCookie[], path: string, recording: Recording): Found[] {
    const found: Found[] = []
    for (const same of Map.groupBy(cookies, (cookie) => cookiePlace(cookie, path)).values()) {
      const effects = same.map(effectOf).filter((effect, index) => index === same.length - 1 || effect !== deletion)
      if (new Set(effects).size < 2) continue
      const { name = '' } = same[0] ?? {}
      const places = this.#placesOf(recording, 'set-cookie', `${name}=`)
      const placeOf = (index: number): string | null => (places.length === same.length ? places[index] : null) ?? null
      const parts = same.map((_, index) => part(`${index + 1}.`, placeOf(index)))
      const times = same.length === 2 ? 'twice' : `${same.length} times`
      const text = `The response sets the cookie "${name}" ${times}: browsers keep the last one.`
      found.push({ kind: 'cookie_twice', text, parts })
    }
    return found
  }

  #lostUpdates(request: string, recording: Recording): readonly Found[] {
    const queries = recording.kept(databaseName)
    const ofSession = recording.kept(sessionUsesName) ?? []
    const own = { token: recording.token, request, uses: [...(queries?.uses() ?? []), ...ofSession] }
    if (!own.uses.some(({ isWrite }) => isWrite)) return []
    const lost = lostUpdates(own, this.#writers)
    if (this.#writers.push(own) > maxRecent) this.#writers.shift()
    return lost.map((update) => this.#lostUpdate(update, own, recording.redactor))
  }

  #lostUpdate({ other, names, what, uses }: LostUpdate, own: Writer, redactor: Redactor): Found {
    const of = names.map((name) => `"${name}"`).join(', ')
    const subject = `It and ${other.request} wrote ${of === '""' ? '' : `${of} of `}${what}`
    return {
      kind: 'lost_update',
      text: redactor.text(`${subject}, and the one that wrote later had not read what the other wrote.`),
      parts: uses.map(({ by, use: { isWrite, site } }) => {
        const who = by === own ? 'This request' : redactor.text(by.request)
        const place = site === null ? null : this.#callSites.find(site)
        return part(`${who} ${isWrite ? 'wrote' : 'read'} it`, place, by === own ? null : by.token)
      }),
    }
  }

  /** More than two are meant: a client that polls, or a load test. */
  #sentTwice({ work, method, startedMs }: Ended): readonly Found[] {
    const apartMs = (one: Ended): number => Math.abs(one.startedMs - startedMs)
    const same = this.#recent.filter((one) => work !== null && one.work === work && apartMs(one) <= maxTwiceMs)
    const [other] = same
    if (other === undefined || same.length > 1) return []
    const seconds = (apartMs(other) / 1000).toFixed(1)
    const text = `The client sent the same ${method} twice within ${seconds} s, and both succeeded.`
    return [{ kind: 'sent_twice', text, parts: [part(`The other one: status ${other.status}`, null, other.token)] }]
  }
}

function part(text: string, place: string | null, token: string | null = null): Found['parts'][number] {
  return { text, place, token }
}

function sentOf(request: HttpRequest, { token, stopwatch }: Recording): Sent {
  const client = [request.clientAddress, request.header('user-agent'), request.header('authorization')]
  return {
    token,
    method: request.method,
    status: 0,
    url: request.fullUrl,
    client: hash('sha256', JSON.stringify(client)),
    cookies: request.headerValues('cookie').join('; '),
    startedMs: stopwatch.startedMs,
  }
}

function isSame(one: Sent, other: Sent): boolean {
  return one.method === other.method && one.url === other.url
}

/** Whether the client that was redirected may have sent the other request because of it: with its cookies, or those that it just got. */
function leadsTo(one: Ended, next: Sent): boolean {
  if (one.client !== next.client || one.target === null || next.startedMs - one.startedMs > maxFollowMs) return false
  const cookies = readCookies(next.cookies)
  const isItsOwn = one.cookies === next.cookies || one.setCookies.some(({ name, value }) => cookies.get(name) === value)
  return isItsOwn && pathOf(one.target) === pathOf(next.url)
}

function pathOf(url: string): string {
  const { pathname = '', search = '' } = URL.parse(url) ?? {}
  return pathname + search
}

/** Queries that are undone, or kept, together with those of a request which is over. */
function leftOpen(recording: Recording): readonly Found[] {
  const queries = recording.kept(databaseName)
  const details = queries?.areInOther === true ? queries.workFacts().details : []
  const first = details.find(({ begun, error }) => begun && error === null)
  if (!first?.begun) return []
  const text = 'It ran queries in a transaction that an earlier request had begun and not ended.'
  const { request, callSite, token } = first.begun
  return [
    {
      kind: 'left_open',
      text,
      parts: [part(`Begun by ${request}`, callSite, token), part('The first query in it', first.callSite)],
    },
  ]
}

function redirectLoop(ended: Ended, { redactor }: Recording): readonly Found[] {
  if (ended.target === null) return []
  const chain = [...ended.before, ended].reverse()
  const round = chain.findIndex((step, index) => index > 0 && isSame(step, ended))
  if (round < 1) return []
  // Where another server answers HTTPS, the second round may be a second visit.
  const rounds = chain.some(({ url, target }) => !target?.startsWith(url.split(':', 1)[0] + ':')) ? 4 : 2
  const isCircle = chain.slice(0, round * rounds).every((step, index) => isSame(step, chain[index % round] ?? step))
  if (!isCircle || chain.length < round * rounds) return []
  const parts = chain.slice(0, round).map(({ token, method, url, target, place }) => {
    const step = `${method} ${redactor.url(url)} to ${redactor.url(target ?? '')}`
    return part(step, place, token === ended.token ? null : token)
  })
  const around = round === 1 ? 'to the address that it had asked for' : `around a circle of ${round} addresses`
  const text = `Its client is redirected ${around}, again and again.`
  return [{ kind: 'redirect_loop', text, parts: parts.reverse() }]
}

/** What browsers tell cookies apart by. The default path is that of RFC 6265, section 5.1.4. */
function cookiePlace({ name, domain, path, partitioned }: SetCookie, requestPath: string): string {
  const folder = requestPath.slice(0, requestPath.lastIndexOf('/')) || '/'
  const host = domain?.replace(/^\./, '').toLowerCase()
  return JSON.stringify([name, host, path?.startsWith('/') === true ? path : folder, partitioned])
}

const deletion = 'deleted'

/** Without the lifetime: a session that goes on is often set once more. */
function effectOf(cookie: SetCookie): string {
  const { value, httpOnly, secure, sameSite } = cookie
  return (lifetimeOf(cookie, Date.now()) ?? 1) <= 0 ? deletion : JSON.stringify([value, httpOnly, secure, sameSite])
}

const readsByName = /\/(?:graphql|search|query|validate|preview)$/i

/** Not if the client says that it counts once, and not where all that is known is that it read. */
function mayCountTwice(recording: Recording, request: HttpRequest): boolean {
  if (recording.kept(replayName) !== undefined || request.header('idempotency-key') !== undefined) return false
  const operations = recording.kept(graphqlName)?.toRecord()?.operations ?? []
  if (operations.length > 0) return operations.some(({ kind }) => kind === 'mutation')
  const queries = recording.kept(databaseName)?.toRecord().queries ?? []
  const calls = recording.kept(httpClientName)?.toRecord().calls ?? []
  if (!queries.every(isRead) || calls.some(({ method }) => !/^(?:GET|HEAD)$/.test(method))) return true
  return queries.length === 0 && !readsByName.test(request.path)
}

const reads = /^\s*(?:SELECT|WITH|SHOW|EXPLAIN|GET|MGET|HGET|HGETALL|find|findOne|aggregate|count\w*)\b/i

function isRead({ text }: Pick<RecordedQuery, 'text'>): boolean {
  return controlsSession(text) || (reads.test(text) && !/\b(?:INSERT|UPDATE|DELETE|MERGE)\b/i.test(text))
}

/** A request that wrote what another one may have read. */
interface Writer {
  readonly token: string
  /** `POST /cart` */
  readonly request: string
  /** In the order in which they began. */
  readonly uses: readonly TimedUse[]
}

interface LostUpdate {
  readonly other: Writer
  /** Columns or entries; empty if it is all of the key. */
  readonly names: readonly string[]
  readonly what: string
  /** Reads and writes of both, in the order in which they began. */
  readonly uses: readonly { readonly by: Writer; readonly use: TimedUse }[]
}

/** A write, with what its request had read there before. */
interface Update {
  readonly by: Writer
  readonly read: TimedUse | undefined
  readonly write: TimedUse
}

/** What a request and others that ended before it wrote over each other, once for each key. */
function lostUpdates(own: Writer, others: readonly Writer[]): readonly LostUpdate[] {
  const lost = new Map<string, LostUpdate>()
  const mine = updatesOf(own)
  for (const other of others.toReversed()) {
    for (const theirs of updatesOf(other)) {
      for (const update of mine) {
        const { what, key } = update.write
        const names = areSameKey(update.write, theirs.write) ? lostNames(update, theirs) : []
        if (names.length === 0 || lost.has(key)) continue
        const uses = [update, theirs].flatMap(({ by, read, write }) =>
          [read, write].flatMap((use) => (use === undefined ? [] : { by, use })),
        )
        lost.set(key, { other, names, what, uses: uses.sort((one, next) => one.use.beganMs - next.use.beganMs) })
      }
    }
  }
  return [...lost.values()]
}

function updatesOf(by: Writer): readonly Update[] {
  return by.uses
    .filter(({ isWrite }) => isWrite)
    .map((write) => {
      const isBefore = (use: TimedUse): boolean =>
        !use.isWrite && areSameKey(use, write) && use.endedMs <= write.beganMs
      return { by, write, read: by.uses.findLast(isBefore) }
    })
}

function areSameKey(one: TimedUse, other: TimedUse): boolean {
  return one.store === other.store && one.key === other.key
}

/** Which of two writes is the later one is known if they did not overlap. Else both must have been blind to the other. */
function lostNames(one: Update, other: Update): readonly string[] {
  if (one.write.endedMs <= other.write.beganMs) return overwritten(one, other)
  if (other.write.endedMs <= one.write.beganMs) return overwritten(other, one)
  const [there, here] = [overwritten(one, other), overwritten(other, one)]
  return there.length === 0 || here.length === 0 ? [] : [...new Set([...there, ...here])]
}

/** What `earlier` changed, and `later` set to something else after it had read what was there before. */
function overwritten(earlier: Update, later: Update): readonly string[] {
  const { read, write } = later
  if (read === undefined || read.endedMs > earlier.write.beganMs) return []
  const before = earlier.read?.values
  return [...new Set([...earlier.write.values.keys(), ...(before?.keys() ?? [])])].filter((name) => {
    const written = earlier.write.values.get(name)
    const hasChanged = earlier.write.isWhole ? before?.get(name) !== written : earlier.write.values.has(name)
    const isReplaced = [read, write].every(({ isWhole, values }) => isWhole || values.has(name))
    return hasChanged && isReplaced && differ(written, write.values.get(name))
  })
}

/** Two that count from the same number arrive at the same one. The time of the last visit is meant to be written over. */
function differ(one: unknown, other: unknown): boolean {
  if (isMoment(one) || isMoment(other)) return false
  return one !== other || (typeof one === 'number' && one > 1)
}

function isMoment(value: unknown): boolean {
  if (typeof value === 'number') return value > 1_000_000_000
  return value instanceof Date || (typeof value === 'string' && /^"?\d{4}-\d\d-\d\d[T ]\d\d:/.test(value))
}
