// A session as it is right now: sessions change in place, so their entries are read when they are seen.

import { hash } from 'node:crypto'
import type { DumpedValue, Redactor } from '../../framework/redact/redactor.ts'

interface SeenEntry {
  readonly shown: DumpedValue
  /** Equal for equal values. Values that are masked alike differ in it, so it must not leave the process. */
  readonly key: string
}

/** Entries kept of a session. */
export const maxEntries = 100
const limits = { maxTotalLength: 2048, maxDepth: 6 } as const
/** Longer texts are compared by a hash. */
const maxKey = 64

/** Never throws. */
export class SeenSession {
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
    const data = dataOf(session)
    const names = Object.keys(data).filter((name) => !(name === 'cookie' && isCookie(read(data, name))))
    this.entries = new Map(names.slice(0, maxEntries).map((name) => [name, seen(data, name, redactor)]))
    this.dropped = Math.max(0, names.length - maxEntries)
    const id = [read(session, 'id'), read(session, 'sessionId')].find((value) => typeof value === 'string')
    this.id = typeof id === 'string' ? id : null
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

/** The settings of the cookie, which `express-session` keeps among the entries. */
function isCookie(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'originalMaxAge' in value
}

function read(holder: unknown, name: string): unknown {
  try {
    return Reflect.get(Object(holder), name) as unknown
  } catch {
    return undefined
  }
}
