// One request and its response. Everything that belongs to a request is here, because requests interleave.

import { acceptedFormat } from '../../base/http/media-type.ts'
import { type CookieSetting, signerFor, writeCookie, type CookieOptions } from '../../base/http/cookies.ts'
import type { CookieSigner } from '../../base/http/cookie-signer.ts'
import { listedFields, tellField } from '../../base/http/header-fields.ts'
import { Reply, addVary } from '../../base/http/reply.ts'
import type { HttpRequest, ParamValue } from '../../base/http/request.ts'
import { createRequestId, forwardedRequestId } from '../../base/http/request-id.ts'
import { Logger } from '../../base/log/logger.ts'
import type { Recording } from '../recording/recording.ts'
import type { ValidValues } from '../../routing/route-definition.ts'
import type { Route } from '../../routing/route.ts'

/** A typed key for values of your own: `const user = exchangeKey<User>('user')`. */
export interface ExchangeKey<T> {
  /** For people; two keys of one name are different. */
  readonly name: string
  /** Never set; carries the type. */
  readonly type?: T
}

/** Makes a key. Two keys of the same name are two keys. */
export function exchangeKey<T>(name: string): ExchangeKey<T> {
  return { name }
}

/** The client that waits; a `ServerResponse` is one. */
export interface ClientConnection {
  /** Whether nothing can be sent anymore. */
  readonly destroyed: boolean
  /** Whether the whole response was passed to the operating system. */
  readonly writableFinished: boolean
  /** The connection, the same for all of its requests. Default: unknown. */
  readonly socket?: object | null
  /** Whether the client asks for another protocol and the connection can change to it. Default: no. */
  readonly takesUpgrade?: boolean
  once(event: 'close', listener: () => void): unknown
}

/** How a response left. */
export interface SentResponse {
  /** Bytes of the body that were written to the socket; 0 for HEAD. */
  readonly bytes: number
  /** Whether it broke off: the client went away, or the body's stream failed. */
  readonly aborted: boolean
}

/** `{ thrown }`, because anything can be thrown, `undefined` too. */
export interface Failure {
  readonly thrown: unknown
}

/** What is known of the route that a request matched; a `Route` is one. */
export type MatchedRoute = Pick<Route, 'name' | 'path' | 'definedAt'> &
  Partial<Pick<Route, 'captureBody' | 'handlerOptions' | 'handler'>>

interface ExchangeParts {
  readonly request: HttpRequest
  readonly log: Logger
  readonly parent?: Exchange
  readonly client?: ClientConnection | undefined
  /** Aborted when the application closes, after it has lingered. Default: never. */
  readonly closing?: AbortSignal | undefined
  /** When the request began, by `performance.now()`. Default: nobody asks. */
  readonly startedMs?: number
  /** Signs cookies; `null` if the application has no secret. Default: another framework sends the response, so nothing can be added. */
  readonly cookieSigner?: CookieSigner | null | undefined
}

/** One request and its response. `Params` are the parameters of the matched route, `Valid` what its schemas give: `{ body: NewNote }`. */
export class Exchange<
  Params extends object = Readonly<Record<string, ParamValue>>,
  Valid extends Partial<ValidValues> = Partial<ValidValues>,
> {
  /** The request as sent. */
  readonly request: HttpRequest<Params>
  /** The request that this is a sub-request of: the error page runs as one. */
  readonly parent: Exchange | undefined
  /** When it began, by `performance.now()`; 0 if nobody asks. */
  readonly startedMs: number
  /** `undefined` if the host does not say, and inside other frameworks when the response is closed. */
  client: ClientConnection | undefined
  /** Writes to the profile of this request and to the process log. */
  log: Logger
  /** The matched route; `undefined` until one matched. */
  route: MatchedRoute | undefined
  /** Name of the handler: `product`, `error handler`. */
  handlerName: string
  /** What is being recorded; `undefined` while nothing is. */
  recording: Recording | undefined
  /** The reply, once there is one. */
  reply: Reply | undefined
  /** What was thrown, once something was. */
  failure: Failure | undefined
  /** How the response left; `undefined` until then, or if no listener has `onTerminate`. */
  sent: SentResponse | undefined
  /** What the schemas of the route make of the request; `undefined` if it has none. */
  valid: Valid
  /** Sub-requests, in the order they were made. */
  readonly children: Exchange[]
  #values: Map<ExchangeKey<unknown>, unknown> | undefined
  readonly #closing: AbortSignal | undefined
  #controller: AbortController | undefined
  #signal: AbortSignal | undefined
  readonly #cookieSigner: CookieSigner | null | undefined
  #id: string | undefined
  #cookies: Cookies | undefined
  /** Flat list of header fields. */
  #added: string[] | undefined
  #isSealed: boolean

  constructor(parts: ExchangeParts) {
    // The route step fills in the parameters before the handler sees them.
    this.request = parts.request as HttpRequest<Params>
    this.parent = parts.parent
    this.startedMs = parts.startedMs ?? 0
    this.client = parts.client
    this.#closing = parts.closing
    this.log = parts.log.of(this)
    this.route = undefined
    this.handlerName = ''
    this.recording = undefined
    this.reply = undefined
    this.failure = undefined
    this.sent = undefined
    // The route step fills it in before the handler sees it.
    this.valid = nothingValid as Valid
    this.children = []
    this.#cookieSigner = parts.cookieSigner
    this.#isSealed = false
  }

  /**
   * Names the request in every line that is logged of it: what a trusted proxy calls it (`X-Request-Id`, else the trace of `traceparent`),
   * else the token of its profile, else twelve random letters and digits.
   */
  get id(): string {
    this.#id ??= this.parent?.id ?? forwardedRequestId(this.request) ?? this.recording?.token ?? createRequestId()
    return this.#id
  }

  /**
   * Aborted when the client goes away before the response has left, when the application closes, and when `timeoutMs` has
   * passed. Hand it to `fetch`, to a query, to whatever waits long.
   */
  get signal(): AbortSignal {
    this.#signal ??= this.parent?.signal ?? makeSignal(this.#aborter(), this.client, this.#closing)
    return this.#signal
  }

  /** Aborts `signal`. */
  abort(reason: unknown): void {
    this.#aborter().abort(reason)
  }

  #aborter(): AbortController {
    this.#controller ??= new AbortController()
    return this.#controller
  }

  /** The value of a key, or `undefined`. */
  get<T>(key: ExchangeKey<T>): T | undefined {
    // Only `set` fills the map, and it takes a value of the key's type.
    return this.#values?.get(key) as T | undefined
  }

  /** Sets the value of a key. The profile shows those of keys that are named `session` and `user`. */
  set<T>(key: ExchangeKey<T>, value: T): void {
    this.#values ??= new Map()
    this.#values.set(key, value)
    const { recording } = this
    recording?.valueWatcher?.(recording, key.name, value)
  }

  /** Reads cookies, and sets those that leave with whatever reply the request gets. */
  get cookies(): Cookies {
    this.#cookies ??=
      this.parent?.cookies ?? new Cookies(this.request.cookies, this.cookieSetting, () => this.#refuseLate())
    return this.#cookies
  }

  /** What cookies of this exchange depend on. For the kernel. */
  get cookieSetting(): CookieSetting {
    return { isHttps: this.request.scheme === 'https', signer: this.#cookieSigner ?? null }
  }

  /**
   * Adds a header field to whatever reply leaves: the handler's, that of an error, one that a listener sends early. `Vary` is joined with
   * that of the reply. Throws an Error once the response has left.
   */
  addHeader(name: string, value: string): void {
    if (this.parent !== undefined) return this.parent.addHeader(name, value)
    this.#refuseLate()
    tellField(name, value)
    this.#added ??= []
    this.#added.push(name, value)
  }

  /**
   * The one of these formats that the client prefers, by `Accept`; `undefined` if it takes none of them. Of equal ones the first counts,
   * and without `Accept` the first one of all. A format is `html`, `json`, `markdown`, `text` or a media type; anything else is a
   * TypeError. The reply gets `Vary: Accept`.
   */
  accepts<const Format extends string>(...formats: readonly Format[]): Format | undefined {
    const { parent } = this
    if (parent !== undefined) return parent.accepts(...formats)
    if (!this.#isSealed && this.#cookieSigner !== undefined) this.addHeader('vary', 'Accept')
    return acceptedFormat(this.request.header('accept'), formats)
  }

  /** The reply with all that was added; nothing can be added afterwards. For the kernel. */
  sealed(reply: Reply): Reply {
    this.#isSealed = true
    if (this.#cookies === undefined && this.#added === undefined) return reply
    const cookies = this.#cookies?.fields ?? []
    const added = this.#added ?? []
    // The application may send the same reply to others.
    const sealed = new Reply(reply.status, [...reply.headers], reply.body)
    for (const [name, value] of listedFields(added)) {
      if (name.toLowerCase() === 'vary') addVary(sealed, value)
      else sealed.appendHeader(name, value)
    }
    for (const field of cookies) sealed.headers.push('set-cookie', field)
    return sealed
  }

  #refuseLate(): void {
    if (this.#cookieSigner === undefined) {
      throw new Error('Another framework sends the response to this request; set cookies and headers there')
    }
    if (this.#isSealed) throw new Error('The response has left; set cookies and headers before')
  }

  /** Makes a sub-request on the same request, with its own recording and token; the two link to each other. */
  createChild(handlerName: string): Exchange {
    const { request, log, client, recording } = this
    const cookieSigner = this.#cookieSigner
    const child = new Exchange({ request: request as HttpRequest, log, client, parent: this as Exchange, cookieSigner })
    child.handlerName = handlerName
    child.failure = this.failure
    child.recording = recording?.createChild()
    if (child.recording !== undefined) child.log = new Logger(child.recording.logger).of(child)
    if (this.#values !== undefined) child.#values = new Map(this.#values)
    this.children.push(child)
    return child
  }
}

const nothingValid: ValidValues = Object.freeze({
  body: undefined,
  form: undefined,
  query: undefined,
  params: undefined,
})

function makeSignal(
  gone: AbortController,
  client: ClientConnection | undefined,
  closing: AbortSignal | undefined,
): AbortSignal {
  const abort = (): void => gone.abort(new DOMException('The client went away', 'AbortError'))
  if (client?.destroyed === true) abort()
  client?.once('close', () => {
    if (!client.writableFinished) abort()
  })
  return closing === undefined ? gone.signal : AbortSignal.any([gone.signal, closing])
}

/** Identifies a cookie: browsers tell cookies apart by these. */
type CookiePlace = Pick<CookieOptions, 'path' | 'domain' | 'partitioned'>

/** Reads and sets cookies. What is set leaves with whatever reply the request gets, also a redirect or an error. */
export class Cookies {
  readonly #received: ReadonlyMap<string, string>
  readonly #setting: CookieSetting
  readonly #beforeChange: () => void
  /** Values by name, as they are sent; `undefined` for a deleted one. */
  readonly #changed = new Map<string, string | undefined>()
  /** `Set-Cookie` fields by name and place, so that a cookie that is set twice is sent once. */
  readonly #fields = new Map<string, string>()

  /** `beforeChange` throws when it is too late to set one. */
  constructor(received: ReadonlyMap<string, string>, setting: CookieSetting, beforeChange: () => void) {
    this.#received = received
    this.#setting = setting
    this.#beforeChange = beforeChange
  }

  /**
   * The value of a cookie; `undefined` if there is none. With `signed`, also if it has no signature of this application. A cookie that
   * was set or deleted meanwhile is read as it will be. Throws an Error for `signed` if the application has no secret.
   */
  get(name: string, { signed = false }: Pick<CookieOptions, 'signed'> = {}): string | undefined {
    const value = this.#changed.has(name) ? this.#changed.get(name) : this.#received.get(name)
    if (!signed) return value
    const signer = signerFor(name, this.#setting)
    return value === undefined ? undefined : signer.read(name, value)
  }

  /** Sets a cookie. Throws a TypeError for one that browsers do not take, and an Error once the response has left. */
  set(name: string, value: string, options: CookieOptions = {}): void {
    this.#beforeChange()
    const { sent, field } = writeCookie({ name, value, options }, this.#setting)
    this.#changed.set(name, sent)
    tellField('set-cookie', `${name}=${value}`)
    this.#fields.set(
      JSON.stringify([name, options.path ?? '/', options.domain ?? null, options.partitioned ?? false]),
      field,
    )
  }

  /** Tells the browser to forget a cookie. Name the path and the domain that it was set with. */
  delete(name: string, place: CookiePlace = {}): void {
    this.set(name, '', { ...place, maxAgeSeconds: 0 })
    this.#changed.set(name, undefined)
  }

  /** `Set-Cookie` fields, in the order in which the cookies were first set. For the kernel. */
  get fields(): readonly string[] {
    return [...this.#fields.values()]
  }
}
