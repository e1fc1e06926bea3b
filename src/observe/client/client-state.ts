// Who the client of a request is, as the application keeps it: its session, with what changed meanwhile, and its user.

import type { Recording, KeptName } from '../../http/recording/recording.ts'
import type { DumpedValue, Redactor } from '../../base/redact/redactor.ts'
import { type RecordedUser, userOf } from './user.ts'
import { hash } from 'node:crypto'
import type { Exchange } from '../../http/kernel/exchange.ts'

/** Plain JSON, masked. */
export interface RecordedClient {
  /** `null` if there was none. */
  readonly session: RecordedSession | null
  /** `null` if nobody is known. */
  readonly user: RecordedUser | null
}

export interface RecordedSession {
  /** `created`: it began with this request. `renewed`: another session is in its place. `unknown`: nothing says whether it is new. */
  readonly state: 'kept' | 'created' | 'renewed' | 'destroyed' | 'unknown'
  /** Whether it was seen before the application worked with it; else nothing is known of changes. */
  readonly hasBefore: boolean
  /** How long it lives without a request, in milliseconds; `null` if unknown. */
  readonly lifetimeMs: number | null
  /** Name of the signed cookie that named this session; `null` if none did. The library has checked its signature. */
  readonly signedCookie: string | null
  readonly entries: readonly SessionEntry[]
  /** Entries beyond the limit. */
  readonly dropped: number
  /** Of its id, 12 hex digits; `null` if that is not known. */
  readonly hash: string | null
}

interface SessionEntry {
  readonly name: string
  readonly change: 'none' | 'added' | 'changed' | 'removed'
  /** `null` if it was not there, has not changed, or was not seen. */
  readonly before: DumpedValue | null
  /** `null` if it is gone. */
  readonly after: DumpedValue | null
}

type Cookies = ReadonlyMap<string, string>

export const clientName: KeptName<ClientState> = 'client'

/** The session and the user of one request. */
export class ClientState {
  readonly #redactor: Redactor
  #first: SeenSession | undefined
  #hasBefore = true
  #session: unknown
  user: unknown

  static of(recording: Recording): ClientState {
    return recording.keptOr(clientName, () => new ClientState(recording.redactor))
  }

  private constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  /** The newest counts; `undefined` for one that was destroyed. `isLate`: the application may have changed it before. */
  setSession(session: unknown, isLate = false): void {
    this.#session = session
    if (this.#first !== undefined || !isObject(session)) return
    this.#first = new SeenSession(session, this.#redactor)
    this.#hasBefore = !isLate
  }

  /** `cookies` are those of the request, `set` those of the response. */
  toRecord(cookies: Cookies, set: Cookies): RecordedClient {
    return { session: this.#sessionRecord(cookies, set), user: userOf(this.user, this.#redactor) }
  }

  #sessionRecord(cookies: Cookies, set: Cookies): RecordedSession | null {
    const first = this.#first
    if (first === undefined) return null
    const last = isObject(this.#session) ? new SeenSession(this.#session, this.#redactor) : undefined
    const names = new Set([...first.entries.keys(), ...(last?.entries.keys() ?? [])])
    const cookie = first.id === null ? undefined : cookieOf(first.id, cookies)
    const state = last === undefined ? 'destroyed' : stateOf(first, last, cookie !== undefined)
    if (state === 'created' && last?.entries.size === 0 && !isSent(last, cookies, set)) return null
    return {
      state,
      hasBefore: this.#hasBefore,
      lifetimeMs: (last ?? first).lifetimeMs,
      signedCookie: cookie?.isSigned === true ? cookie.name : null,
      entries: [...names].slice(0, maxEntries).map((name) => this.#entry(name, first, last)),
      dropped: Math.max(first.dropped, last?.dropped ?? 0) + Math.max(0, names.size - maxEntries),
      hash: hashOf(last?.id ?? first.id),
    }
  }

  #entry(name: string, first: SeenSession, last: SeenSession | undefined): SessionEntry {
    const before = first.entries.get(name)
    const after = last?.entries.get(name)
    const isSame = before?.key === after?.key
    const change = before === undefined ? 'added' : after === undefined ? 'removed' : isSame ? 'none' : 'changed'
    return {
      name: this.#redactor.text(name, 200),
      change,
      before: this.#hasBefore && !isSame ? (before?.shown ?? null) : null,
      after: after?.shown ?? null,
    }
  }
}

/** Keeps the values of an own exchange that are of the client; others are none of its business. */
export function keepClientValue(recording: Recording, name: string, value: unknown): void {
  if (name === 'session') ClientState.of(recording).setSession(value)
  else if (name === 'user') ClientState.of(recording).user = value
}

/** Who knows the id has the session; nobody finds it by this. */
function hashOf(id: string | null): string | null {
  return id === null ? null : hash('sha256', id).slice(0, 12)
}

/** Without an id, one that was empty counts as new; one that was not may have been, before the application handed it over. */
function stateOf(first: SeenSession, last: SeenSession, isNamed: boolean): RecordedSession['state'] {
  const isNew = first.isNew ?? (first.id === null ? first.entries.size === 0 : !isNamed)
  if (first.isNew === null && first.id === null && last.id === null && !isNew) return 'unknown'
  if (isNew) return 'created'
  return first.id === last.id ? 'kept' : 'renewed'
}

/** Whether the client may have it. Without an id any cookie may name it, unless its library says that it is new. */
function isSent({ id, isNew }: SeenSession, cookies: Cookies, set: Cookies): boolean {
  if (id !== null) return cookieOf(id, set) !== undefined
  return isNew === null && cookies.size + set.size > 0
}

/** The cookie that names a session: by its id, or by `s:`, the id, a dot and a signature. */
function cookieOf(id: string, cookies: Cookies): { readonly name: string; readonly isSigned: boolean } | undefined {
  for (const [name, value] of cookies) {
    const text = value.replace(/^s:/, '')
    if (text === id) return { name, isSigned: false }
    if (text.startsWith(`${id}.`)) return { name, isSigned: true }
  }
  return undefined
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

interface SeenEntry {
  readonly shown: DumpedValue
  /** Equal for equal values. Values that are masked alike differ in it, so it must not leave the process. */
  readonly key: string
}

/** Entries kept of a session. */
const maxEntries = 100
const limits = { maxTotalLength: 2048, maxDepth: 6 } as const
/** Longer texts are compared by a hash. */
const maxKey = 64

/** Never throws. */
class SeenSession {
  readonly entries: ReadonlyMap<string, SeenEntry>
  /** Entries beyond the limit. */
  readonly dropped: number
  /** `null` if it has none. A secret: who knows it has the session. */
  readonly id: string | null
  /** Whether it began with this request; `null` if it does not say so. */
  readonly isNew: boolean | null
  /** How long it lives without a request, in milliseconds; `null` if unknown. */
  readonly lifetimeMs: number | null

  constructor(session: object, redactor: Redactor) {
    const id = [read(session, 'id'), read(session, 'sessionId')].find((value) => typeof value === 'string')
    this.id = typeof id === 'string' ? id : null
    const data = dataOf(session)
    const names = Object.keys(data).filter((name) => {
      const value = read(data, name)
      // `express-session` keeps the settings of the cookie among the entries.
      return !(name === 'cookie' && 'originalMaxAge' in Object(value)) && (this.id === null || value !== this.id)
    })
    this.entries = new Map(names.slice(0, maxEntries).map((name) => [name, seen(data, name, redactor)]))
    this.dropped = Math.max(0, names.length - maxEntries)
    const isNew = read(session, 'isNew')
    this.isNew = typeof isNew === 'boolean' ? isNew : null
    const lifetime = read(read(session, 'cookie'), 'originalMaxAge')
    this.lifetimeMs = typeof lifetime === 'number' ? lifetime : null
  }
}

/** What the library would store: without what it keeps for itself. */
function dataOf(session: object): object {
  try {
    const toJSON = read(session, 'toJSON')
    const data: unknown = typeof toJSON === 'function' ? Reflect.apply(toJSON, session, []) : session
    return typeof data === 'object' && data !== null ? data : {}
  } catch {
    return session
  }
}

function seen(data: object, name: string, redactor: Redactor): SeenEntry {
  const shown = redactor.dumped(data, name, limits)
  const text = textOf(read(data, name)) ?? JSON.stringify(shown.value)
  return { shown, key: text.length > maxKey ? hash('sha256', text) : text }
}

/** `undefined` for what JSON does not hold. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

function read(holder: unknown, name: string): unknown {
  try {
    return Reflect.get(Object(holder), name)
  } catch {
    return undefined
  }
}

/** Names of cookies. */
export interface CookieSignatures {
  readonly valid: readonly string[]
  /** They have a signature that does not fit, or is somebody else's. */
  readonly invalid: readonly string[]
}

/** Ends like a signed cookie: a dot and 32 bytes in base64. */
const looksSigned = /\.[\w+/-]{43}=?$/

/** `undefined` if the application has no secret, or nothing looks signed. */
export function cookieSignatures({ request, cookieSetting }: Exchange): CookieSignatures | undefined {
  const { signer } = cookieSetting
  if (signer === null) return undefined
  const signed = [...request.cookies].filter(([, value]) => looksSigned.test(value))
  if (signed.length === 0) return undefined
  const valid = signed.filter(([name, value]) => signer.read(name, value) !== undefined).map(([name]) => name)
  return { valid, invalid: signed.map(([name]) => name).filter((name) => !valid.includes(name)) }
}
