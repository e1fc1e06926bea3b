// The session of the request with what changed in it, flash messages, and cookies in both directions.

import { parseSetCookie, type SetCookie } from 'cookie'
import { leavesHost, maxCookieBytes, readCookies, securePrefix } from '../../base/http/cookies.ts'
import { listedFields } from '../../base/http/header-fields.ts'
import { HttpRequest } from '../../base/http/request.ts'
import type { PlainValue, Redactor } from '../../base/redact/redactor.ts'
import type { RecordedSession } from '../client/client-state.ts'
import { cutList } from '../profile-parts.ts'
import type { BuiltInCollector, RequestRecord } from '../request-record.ts'
import { counted, formatAge, formatBytes } from '../../base/html/components.ts'
import { type Blocks, type Line, empty, heading, note, table, text, wideTable } from '../blocks/blocks.ts'
import type { DescribedPart } from '../blocks/described-part.ts'
import { isList } from '../../base/members.ts'

/** A cookie that came, that the response sets, or both. Values are never kept. */
export interface CookieFacts {
  readonly name: string
  /** Length of the value that came; `null` if none did. */
  readonly receivedBytes: number | null
  /** The signature of the value that the client sent; `null` if there is none that the application could check. */
  readonly signature: 'valid' | 'invalid' | null
  /** `null` if the response does not set it. */
  readonly set: SetCookieFacts | null
}

export interface SetCookieFacts {
  readonly change: 'new' | 'changed' | 'same' | 'deleted'
  readonly bytes: number
  /** In seconds; `null`: until the browser ends. */
  readonly lifetimeSeconds: number | null
  /** `Path=/; HttpOnly; SameSite=Lax`; empty without any. */
  readonly attributes: string
  /** Why browsers drop it, as a sentence; `null` if they keep it. */
  readonly problem: string | null
}

/** A message that one request leaves for the next page. */
export interface FlashMessage {
  /** `error`; empty where messages have no kinds. */
  readonly kind: string
  readonly text: string
  /** `read`: this request read it. `left`: for a later request. */
  readonly state: 'read' | 'left'
}

export interface SessionData {
  /** `null` if the application has none, or none that is known. */
  readonly session: RecordedSession | null
  readonly flash: readonly FlashMessage[]
  readonly cookies: readonly CookieFacts[]
  /** Cookies beyond the limit. */
  readonly droppedCookies: number
}

const maxCookies = 100
const maxMessages = 50

/** Nothing if there is no session, and no cookie came or left. */
export function sessionCollector(redactor: Redactor): BuiltInCollector<SessionData> {
  return {
    name: 'session',
    collect: (record) => {
      const session = record.parts.client?.session ?? null
      const cookies = cookiesOf(record, redactor)
      if (session === null && cookies.length === 0) return undefined
      return {
        session,
        flash: session === null ? [] : flashOf(session),
        cookies: cookies.slice(0, maxCookies),
        droppedCookies: Math.max(0, cookies.length - maxCookies),
      }
    },
    cut: (data, maxBytes) => {
      const { session } = data
      if (session === null) return data
      const entries = cutList(session.entries, maxBytes / 2, ({ change }) => change !== 'none')
      const dropped = session.dropped + session.entries.length - entries.length
      return { ...data, flash: cutList(data.flash, maxBytes / 4), session: { ...session, entries, dropped } }
    },
  }
}

function cookiesOf(
  { request, response, startedAt, parts, isSubRequest }: RequestRecord,
  redactor: Redactor,
): readonly CookieFacts[] {
  if (isSubRequest) return []
  const received = readCookies(new HttpRequest(request).headerValues('cookie').join('; '))
  const set = new Map(setCookies(response?.headers ?? []).map((cookie) => [cookie.name, cookie]))
  return [...new Set([...received.keys(), ...set.keys()])].map((name) => {
    const value = received.get(name)
    const cookie = set.get(name)
    return {
      name: redactor.text(name, 200),
      receivedBytes: value === undefined ? null : Buffer.byteLength(value),
      signature: signatureOf(name, parts),
      set: cookie === undefined ? null : setFacts(cookie, value, startedAt),
    }
  })
}

function signatureOf(name: string, { signatures, client }: RequestRecord['parts']): CookieFacts['signature'] {
  if (signatures?.valid.includes(name) === true || client?.session?.signedCookie === name) return 'valid'
  return signatures?.invalid.includes(name) === true ? 'invalid' : null
}

export function setCookies(headers: readonly string[]): readonly SetCookie[] {
  const fields = [...listedFields(headers)].filter(([field]) => field.toLowerCase() === 'set-cookie')
  return fields.map(([, value]) => parseSetCookie(value)).filter(({ name }) => name !== '')
}

/** Of the cookies that a response sets, by their names. */
export function cookieValues(headers: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map(setCookies(headers).map(({ name, value = '' }) => [name, value]))
}

/** In seconds; `null`: until the browser ends. */
export function lifetimeOf({ maxAge, expires }: SetCookie, now: number): number | null {
  return maxAge ?? (expires === undefined ? null : Math.round((expires.getTime() - now) / 1000))
}

function setFacts(cookie: SetCookie, received: string | undefined, now: number): SetCookieFacts {
  const { name, value = '' } = cookie
  const lifetimeSeconds = lifetimeOf(cookie, now)
  const isDeleted = lifetimeSeconds !== null && lifetimeSeconds <= 0
  const change = isDeleted ? 'deleted' : received === undefined ? 'new' : received === value ? 'same' : 'changed'
  return {
    change,
    bytes: Buffer.byteLength(name) + Buffer.byteLength(value),
    lifetimeSeconds,
    attributes: attributesOf(cookie),
    problem: problemOf(cookie),
  }
}

function attributesOf({ path, domain, httpOnly, secure, sameSite, partitioned }: SetCookie): string {
  const parts = [
    path === undefined ? null : `Path=${path.slice(0, 200)}`,
    domain === undefined ? null : `Domain=${domain.slice(0, 200)}`,
    httpOnly === true ? 'HttpOnly' : null,
    secure === true ? 'Secure' : null,
    typeof sameSite === 'string' ? `SameSite=${sameSite[0]?.toUpperCase() ?? ''}${sameSite.slice(1, 10)}` : null,
    partitioned === true ? 'Partitioned' : null,
  ]
  return parts.filter((part) => part !== null).join('; ')
}

/** What RFC 6265bis has browsers refuse. */
function problemOf({ name, value = '', secure, sameSite, partitioned, path, domain }: SetCookie): string | null {
  if (Buffer.byteLength(name) + Buffer.byteLength(value) > maxCookieBytes) {
    return `Browsers drop it: name and value are longer than ${maxCookieBytes} bytes.`
  }
  if (leavesHost(name, path, domain)) return 'Browsers drop it: the prefix __Host- needs the path / and no domain.'
  if (secure === true) return null
  const prefix = securePrefix(name)
  if (prefix !== undefined) return `Browsers drop it: the prefix ${prefix} needs Secure.`
  if (sameSite === 'none') return 'Browsers drop it: SameSite=None needs Secure.'
  return partitioned === true ? 'Browsers drop it: Partitioned needs Secure.' : null
}

/** Keys under which libraries keep messages for the next page. */
const flashName = /^_?_?flash(?:es|messages|_messages)?$/i

function flashOf({ entries }: RecordedSession): readonly FlashMessage[] {
  const messages: FlashMessage[] = []
  for (const { name, change, before, after } of entries) {
    if (!flashName.test(name)) continue
    const left = messagesOf(after?.value, 'left')
    const isLeft = (one: FlashMessage): boolean => left.some(({ kind, text }) => kind === one.kind && text === one.text)
    const had = change === 'none' ? [] : messagesOf(before?.value, 'read')
    messages.push(...had.filter((one) => !isLeft(one)), ...left)
  }
  return messages.slice(0, maxMessages)
}

/** A list of messages, or lists by kind. */
function messagesOf(value: PlainValue | undefined, state: FlashMessage['state']): readonly FlashMessage[] {
  if (value === undefined || value === null) return []
  if (typeof value !== 'object' || isList(value)) return listOf(value).map((message) => toMessage(message, '', state))
  return Object.entries(value).flatMap(([kind, list]) => listOf(list).map((message) => toMessage(message, kind, state)))
}

function listOf(value: PlainValue): readonly PlainValue[] {
  return isList(value) ? value : [value]
}

/** A message is a text, or an object with a `message` and perhaps a `type`. */
function toMessage(message: PlainValue, kind: string, state: FlashMessage['state']): FlashMessage {
  if (typeof message !== 'object' || message === null || isList(message)) return { kind, text: textOf(message), state }
  const { type = kind, message: text = message } = message
  return { kind: textOf(type), text: textOf(text), state }
}

function textOf(value: PlainValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export const sessionPart: DescribedPart<SessionData> = {
  name: 'session',
  title: 'Session',
  of: 'requests',
  hidesWhenEmpty: true,
  empty:
    'No session, no cookies. A session is shown where a framework keeps it (request.session), or as the value of exchangeKey("session").',
  badge: ({ session, cookies }) => {
    const wrong = cookies.filter(({ signature, set }) => signature === 'invalid' || (set?.problem ?? null) !== null)
    if (wrong.length > 0) return { count: wrong.length, tone: 'warning', hint: counted(wrong.length, 'wrong cookie') }
    const changes = session?.entries.filter(({ change }) => change !== 'none').length ?? 0
    return changes === 0 ? undefined : { count: changes, tone: 'neutral', hint: counted(changes, 'change') }
  },
  draw: ({ session, flash, cookies, droppedCookies }) => [
    ...(session === null ? [] : sessionBlocks(session, flash.length > 0)),
    ...(flash.length === 0 ? [] : flashBlocks(flash)),
    cookies.length === 0 ? null : heading('Cookies'),
    table(
      'Cookies of request and response; values are never kept',
      'cookie',
      ['Cookie', { number: 'Received' }, 'Signature', 'Response'],
      cookies.map((cookie) => cookieCells(cookie)),
    ),
    note(droppedCookies !== 0 && `${counted(droppedCookies, 'more cookie')} not kept.`),
  ],
}

const states: Readonly<Record<RecordedSession['state'], string>> = {
  kept: '',
  created: 'The session began with this request.',
  renewed: 'The session got a new id in this request.',
  destroyed: 'This request ended the session.',
  unknown: '',
}

const tones = { none: 'neutral', added: 'success', changed: 'info', removed: 'warning' } as const

/** `hasFlash`: whether messages for the next page have a table of their own. */
function sessionBlocks({ state, hasBefore, lifetimeMs, entries, dropped }: RecordedSession, hasFlash: boolean): Blocks {
  const changed = entries
    .filter(({ name }) => !(hasFlash && flashName.test(name)))
    .toSorted((one, other) => Number(one.change === 'none') - Number(other.change === 'none'))
  return [
    text([
      states[state] || null,
      lifetimeMs === null ? null : `It lives ${formatAge(lifetimeMs)} without a request.`,
      hasBefore ? null : 'It was first seen at the end of the request, so changes are not known.',
    ]),
    entries.length === 0
      ? empty('It is empty.')
      : wideTable(
          'Entries of the session, changed ones first',
          'entry',
          ['Key', 'Change', 'Before', 'After'],
          changed.map(({ name, change, before, after }) => ({
            cells: [
              { code: name },
              !hasBefore ? null : change === 'none' ? { quiet: 'unchanged' } : { mark: change, tone: tones[change] },
              before && { value: before },
              after && { value: after },
            ],
          })),
        ),
    note(dropped !== 0 && `${counted(dropped, 'more entry', 'more entries')} not kept.`),
  ]
}

function flashBlocks(messages: readonly FlashMessage[]): Blocks {
  return [
    heading('Flash messages'),
    table(
      'Flash messages',
      'message',
      ['Kind', 'Message', 'State'],
      messages.map(({ kind, text, state }) => [
        { recorded: kind },
        { recorded: text },
        state === 'read' ? 'read by this request' : 'left for a later request',
      ]),
    ),
  ]
}

function cookieCells({ name, receivedBytes, signature, set }: CookieFacts): readonly Line[] {
  return [
    { code: name },
    receivedBytes === null ? null : formatBytes(receivedBytes),
    signature === null
      ? null
      : signature === 'valid'
        ? { mark: 'valid', tone: 'success' }
        : { mark: 'does not fit', tone: 'warning' },
    set === null ? { quiet: 'not set' } : setLine(set),
  ]
}

const changes = {
  new: 'set',
  changed: 'changed',
  same: 'set to the same value',
  deleted: 'deleted',
} as const

function setLine({ change, bytes, lifetimeSeconds, attributes, problem }: NonNullable<CookieFacts['set']>): Line {
  const lifetime =
    change === 'deleted'
      ? ''
      : lifetimeSeconds === null
        ? ', until the browser closes'
        : `, for ${formatAge(lifetimeSeconds * 1000)}`
  return [
    `${changes[change]} (${formatBytes(bytes)}${lifetime})`,
    attributes === '' ? null : { quiet: { code: attributes } },
    problem === null ? null : { warning: problem },
  ]
}
