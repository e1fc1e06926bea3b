// One request and what becomes of it. Every per-request thing lives here and nowhere else, because requests interleave.

import type { RequestBody } from '../http/body.ts'
import { toFetchRequest } from '../http/fetch-request.ts'
import type { Reply } from '../http/reply.ts'
import type { RequestContext } from '../http/request-context.ts'
import { Logger } from '../log/logger.ts'
import type { Recording } from '../recording/recording.ts'
import type { Route } from '../routing/route.ts'
import { missError, type RouteMiss } from './route-miss.ts'

/** A typed place on the exchange: `const currency = exchangeKey<Currency>('currency')`. */
export interface ExchangeKey<T> {
  readonly name: string
  /** Never set; carries the type. */
  readonly type?: T
}

/** Makes a place of one's own on every exchange. Two keys of the same name are two places. */
export function exchangeKey<T>(name: string): ExchangeKey<T> {
  return { name }
}

/** What a host knows of the client while it waits: a socket is one. */
export interface ClientConnection {
  /** Whether nothing can be sent any more: the client went away. */
  readonly destroyed: boolean
}

/** What became of an answer on its way out. */
export interface SentAnswer {
  /** Bytes of the body that were handed to the socket; 0 for HEAD. */
  readonly bytes: number
  /** Whether it broke off: the client went away, or the body's stream failed. */
  readonly aborted: boolean
}

/** Something was thrown. */
export interface Failure {
  readonly thrown: unknown
}

/** What an exchange begins with. */
export interface ExchangeParts {
  readonly context: RequestContext
  readonly body: RequestBody
  readonly log: Logger
  /** The exchange that this one is a sub-request of. */
  readonly parent?: Exchange
  /** Default: unknown. */
  readonly client?: ClientConnection | undefined
}

/** One request and what becomes of it. `Params` are the parameters of the matched route. */
export class Exchange<Params extends object = Readonly<Record<string, string>>> {
  /** The request as sent. */
  readonly context: RequestContext
  /** Reads the body once, with a limit. */
  readonly body: RequestBody
  /** The request that this one is a part of (the error page runs as a sub-request). */
  readonly parent: Exchange | undefined
  /** Who waits for the answer; `undefined` where the host does not say. */
  readonly client: ClientConnection | undefined
  /** Writes into the record of this request and the process log. */
  log: Logger
  /** The matched route; `undefined` until one took the request. */
  route: Route | undefined
  /** Parameters of the matched route, decoded; defaults filled in. */
  params: Params
  /** Why no route took the request, where that was answered without an error being thrown. */
  miss: RouteMiss | undefined
  /** Who answers: name of the handler, for people: `product`, `error page`. */
  handlerName: string
  /** The record in the making; `undefined` while nothing is recorded. */
  recording: Recording | undefined
  /** The answer, once there is one. */
  reply: Reply | undefined
  /** What became of the answer; `undefined` until the host is done with it, or where no listener has `onTerminate`. */
  sent: SentAnswer | undefined
  #failure: Failure | undefined
  #firstKey: ExchangeKey<unknown> | undefined
  #firstValue: unknown
  /** Further places: each key, and behind it its value. A few at most: a list is made faster than a map. */
  #others: unknown[] | undefined
  #children: Exchange[] | undefined
  #request: Request | undefined

  constructor(parts: ExchangeParts) {
    this.context = parts.context
    this.body = parts.body
    this.parent = parts.parent
    this.client = parts.client
    this.log = parts.log
    this.route = undefined
    this.params = noParams as Params
    this.miss = undefined
    this.handlerName = ''
    this.recording = undefined
    this.reply = undefined
    this.sent = undefined
  }

  /**
   * What was thrown, once something was; `{ thrown }` because anything can be thrown, `undefined` too. The error of a miss is
   * made when it is first asked for.
   */
  get failure(): Failure | undefined {
    if (this.#failure === undefined && this.miss !== undefined) {
      this.#failure = { thrown: missError(this.context, this.miss) }
    }
    return this.#failure
  }

  set failure(failure: Failure | undefined) {
    this.#failure = failure
  }

  /** The request as the Fetch standard knows it, made on the first call. Throws a TypeError for what Fetch forbids (TRACE). */
  get request(): Request {
    this.#request ??= toFetchRequest(this.context, this.body)
    return this.#request
  }

  /** What was put in a place, or `undefined`. */
  get<T>(key: ExchangeKey<T>): T | undefined {
    if (this.#firstKey === key) return this.#firstValue as T
    const others = this.#others
    if (others === undefined) return undefined
    for (let index = 0; index < others.length; index += 2) if (others[index] === key) return others[index + 1] as T
    return undefined
  }

  /** Puts something in a place. */
  set<T>(key: ExchangeKey<T>, value: T): void {
    // Nearly every request fills one place, the currency's: that one needs no list.
    if (this.#firstKey === undefined || this.#firstKey === key) {
      this.#firstKey = key
      this.#firstValue = value
      return
    }
    this.#others ??= []
    for (let index = 0; index < this.#others.length; index += 2) {
      if (this.#others[index] !== key) continue
      this.#others[index + 1] = value
      return
    }
    this.#others.push(key, value)
  }

  /** Sub-requests, in the order they were made. */
  get children(): readonly Exchange[] {
    return this.#children ?? []
  }

  /** A sub-request on the same request: own record, own token, linked both ways. */
  createChild(handlerName: string): Exchange {
    const child = new Exchange({
      context: this.context,
      body: this.body,
      log: this.log,
      parent: this as Exchange,
      client: this.client,
    })
    child.handlerName = handlerName
    child.miss = this.miss
    child.failure = this.failure
    child.recording = this.recording?.createChild()
    if (child.recording !== undefined) child.log = new Logger(child.recording.logger)
    child.#firstKey = this.#firstKey
    child.#firstValue = this.#firstValue
    if (this.#others !== undefined) child.#others = this.#others.slice()
    this.#children ??= []
    this.#children.push(child)
    return child
  }
}

const noParams: object = Object.freeze(Object.create(null) as object)
