// Replies, and the functions that make them.

import { tellField, headerPairs, type HeaderFields, listedFields } from './header-fields.ts'
import { channel, type Channel } from 'node:diagnostics_channel'
import { Readable, type Duplex } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { SafeHtml } from '../html/html.ts'
import { checkCookie, type CookieOptions, type CookieToSet } from './cookies.ts'
import { noteJsonPath } from './json.ts'
import { checkOptions, describe, type OptionRules } from '../options/check-options.ts'
import type { IncomingMessage } from 'node:http'

/** A body: nothing, a whole string or bytes, a stream of either kind, or what takes the connection over. */
export type ReplyBody = string | Uint8Array | ReadableStream<Uint8Array> | Readable | Upgrade | null

/** Status and header fields of a reply. */
interface ReplyInit {
  /** Status code; default 200 (302 for `redirect`, 204 for `empty`). */
  readonly status?: number
  /** Further header fields; they replace those that the function sets. */
  readonly headers?: HeaderFields
}

const initRules: OptionRules<ReplyInit> = {
  status: { allowed: 'a status code', fits: (value) => typeof value === 'number' },
  headers: {
    allowed: 'a record of header fields, or Headers',
    fits: (value) => typeof value === 'object' && value !== null,
  },
}

/** A status, header fields and a body. Listeners of `onResponse` may change its headers or return another one. */
export class Reply {
  /** 200 to 599. */
  status: number
  /** Flat list: name, value, name, value … A name may occur more than once (`set-cookie`). */
  readonly headers: string[]
  /** Not sent if the status or the method has no body. */
  body: ReplyBody
  /** Cookies of `cookie()`, until they become header fields: the request decides about them too. */
  cookies: readonly CookieToSet[] | undefined

  constructor(status: number, headers: string[], body: ReplyBody) {
    this.status = status
    this.headers = headers
    this.body = body
    this.cookies = undefined
  }

  /** First value of a header field, or `undefined`; any letter case. */
  header(name: string): string | undefined {
    const index = this.#indexOf(name)
    return index < 0 ? undefined : this.headers[index + 1]
  }

  /** Replaces the first header field of that name, or adds one. */
  setHeader(name: string, value: string): this {
    const index = this.#indexOf(name)
    if (index < 0) this.headers.push(name, value)
    else this.headers[index + 1] = value
    return this
  }

  /** Adds a header field and keeps those of the same name. */
  appendHeader(name: string, value: string): this {
    tellField(name, value)
    this.headers.push(name, value)
    return this
  }

  /** Removes every header field of that name. */
  removeHeader(name: string): this {
    for (let index = this.#indexOf(name); index >= 0; index = this.#indexOf(name)) this.headers.splice(index, 2)
    return this
  }

  /**
   * Sets a cookie, by default with `Path=/; HttpOnly; SameSite=Lax`, over HTTPS also `Secure`. It becomes a `Set-Cookie` field when the
   * handler or listener has returned the reply. Throws a TypeError for a cookie that browsers do not take.
   */
  cookie(name: string, value: string, options: CookieOptions = {}): this {
    const cookie = { name, value, options }
    checkCookie(cookie)
    tellField('set-cookie', `${name}=${value}`)
    this.cookies = [...(this.cookies ?? []), cookie]
    return this
  }

  #indexOf(name: string): number {
    for (let index = 0; index < this.headers.length; index += 2) {
      const own = this.headers[index]
      if (own?.length === name.length && (own === name || own.toLowerCase() === name.toLowerCase())) return index
    }
    return -1
  }
}

/** A page with a status or headers: `reply(html`…`, { status: 201 })`. Markup alone can be returned as it is. */
export function reply(markup: SafeHtml, init?: ReplyInit): Reply {
  return withInit(new Reply(200, ['content-type', 'text/html; charset=utf-8'], String(markup)), init)
}

/** Hears each value that `json()` is given. In debug somebody listens. */
export const jsonValues: Channel = channel('fanlight.json')

/**
 * A JSON document; `undefined` becomes `null`. Throws what `JSON.stringify` throws (cycles, BigInt), with the path to the member as `jsonPath`, and
 * a TypeError for a value of which JSON shows nothing: a promise, a `Map`, markup.
 */
export function json(value: unknown, init?: ReplyInit): Reply {
  let content: string | undefined
  try {
    content = JSON.stringify(value)
  } catch (error) {
    noteJsonPath(error, value)
    throw error
  }
  if (content === '{}') checkShown(Object(value))
  if (jsonValues.hasSubscribers) jsonValues.publish(value)
  return withInit(new Reply(200, ['content-type', 'application/json; charset=utf-8'], content ?? 'null'), init)
}

function checkShown(value: object): void {
  const kind: unknown = value instanceof SafeHtml ? 'SafeHtml' : Reflect.get(value, Symbol.toStringTag)
  if (typeof kind !== 'string' || 'toJSON' in value) return
  const advice = kind === 'Promise' ? ': await it' : ''
  throw new TypeError(`json() got a ${kind}, of which JSON shows nothing${advice}`)
}

/** Plain text. */
export function text(content: string, init?: ReplyInit): Reply {
  return withInit(new Reply(200, ['content-type', 'text/plain; charset=utf-8'], content), init)
}

/** RFC 9110, section 15.4. */
const redirectStatuses = [301, 302, 303, 307, 308] as const

/** Status and header fields of a redirect. */
interface RedirectInit extends ReplyInit {
  /** Default: 302. */
  readonly status?: (typeof redirectStatuses)[number]
}

/** Sends the client elsewhere: 302 unless `init.status` says 301, 303, 307 or 308. Throws a TypeError for an empty location and any other status. */
export function redirect(location: string, init?: RedirectInit): Reply {
  if (typeof location !== 'string' || location === '')
    throw new TypeError(`redirect() takes where the client goes, such as '/orders'; it got ${describe(location)}`)
  tellField('location', location)
  const reply = withInit(new Reply(302, ['location', location], null), init)
  if (redirectStatuses.some((status) => status === reply.status)) return reply
  throw new TypeError(`The status of redirect() is ${reply.status}; allowed: ${redirectStatuses.join(', ')}`)
}

/** A response without a body: 204. */
export function empty(init?: ReplyInit): Reply {
  return withInit(new Reply(204, [], null), init)
}

/** A body that is made while it is sent: a web or a Node stream of bytes. */
export function stream(body: ReadableStream<Uint8Array> | Readable, init?: ReplyInit): Reply {
  return withInit(new Reply(200, ['content-type', 'application/octet-stream'], body), init)
}

/**
 * Gives the connection of a WebSocket handshake to `accept`, which writes the response: 101. Only for a GET request that asks for it; any
 * other gets a 426. Throws a TypeError for what is not a function.
 */
export function upgrade(accept: AcceptUpgrade): Reply {
  if (typeof accept !== 'function') throw new TypeError('upgrade() takes a function that accepts the connection')
  return new Reply(101, [], new Upgrade(accept))
}

function withInit(reply: Reply, init: ReplyInit | undefined): Reply {
  if (init === undefined) return reply
  checkOptions<ReplyInit>('a reply', init, initRules)
  if (init.status !== undefined) reply.status = init.status
  const seen = new Set<string>()
  for (const [name, value] of headerPairs(init.headers)) {
    if (seen.has(name.toLowerCase())) reply.appendHeader(name, value)
    else reply.setHeader(name, value)
    seen.add(name.toLowerCase())
  }
  return reply
}

/** Whether a body is made while it is sent, and may fail then. */
export function isStream(body: ReplyBody): body is Readable | ReadableStream<Uint8Array> {
  return body !== null && typeof body !== 'string' && !(body instanceof Uint8Array) && !(body instanceof Upgrade)
}

/** Ends a body that is not sent. */
export function discard(body: ReplyBody): void {
  if (!isStream(body)) return
  if (body instanceof Readable) body.on('error', ignore).destroy()
  else if (!body.locked) void body.cancel().catch(ignore)
}

function ignore(): void {}

/** The raw parts of a handshake, as an `upgrade` event of Node has them. */
export interface UpgradeParts {
  /** The request as Node parsed it, for the library that takes the socket over. */
  readonly request: IncomingMessage
  /** The connection; nothing has been written in response. Ended with the application at the latest. */
  readonly socket: Duplex
  /** What the client sent after the handshake. */
  readonly head: Buffer
  /** Header fields of the reply (cookies, `X-Debug-Token`), a line each: `Set-Cookie: a=1`. */
  readonly headers: readonly string[]
}

/** Writes the response to a handshake and serves the connection from then on. */
export type AcceptUpgrade = (parts: UpgradeParts) => void

/** The body of a reply that `upgrade()` makes. */
export class Upgrade {
  readonly accept: AcceptUpgrade

  constructor(accept: AcceptUpgrade) {
    this.accept = accept
  }
}

/** Adds a request header to `Vary`, unless it is named there. */
export function addVary(reply: Reply, header: string): void {
  const named = [...listedFields(reply.headers)]
    .filter(([name]) => name.toLowerCase() === 'vary')
    .flatMap(([, value]) => value.split(',').map((name) => name.trim()))
  if (named.some((name) => name === '*' || name.toLowerCase() === header.toLowerCase())) return
  reply.removeHeader('vary').appendHeader('vary', [...named, header].join(', '))
}
