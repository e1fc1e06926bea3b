// The port between a host and the application: what a host calls for each request, and who responded first where other code shares the
// response, as with `app.handler` on your own server.

import type { Reply } from '../../base/http/reply.ts'
import type { HttpRequest } from '../../base/http/request.ts'
import type { Awaitable } from '../../base/members.ts'
import type { ClientConnection, Exchange, SentResponse } from '../kernel/exchange.ts'
import type { ServerResponse } from 'node:http'
import { nameError } from '../../base/http/http-error.ts'

/** A handled request; an `Exchange` is one. */
export interface HandledRequest {
  /** The response. If there is none, the host sends a constant 500. */
  readonly reply: Reply | undefined
}

/** What became of a response. */
export interface Sent extends SentResponse {
  /** What the stream of the body threw, if that ended it. */
  readonly error?: unknown
}

/** What a host refused before it became a request; `null` for what it could not read. */
export interface Refusal {
  readonly method: string | null
  /** Without its query. */
  readonly path: string | null
  readonly status: number
  /** Address of the other end of the socket. */
  readonly client: string
}

/** An application as hosts see it. */
export interface RequestHandler<Handled extends HandledRequest = Exchange> {
  /**
   * Handles a request, synchronously where possible. Must not throw or reject; if it does, the host sends a constant 500.
   * `client` tells whether the client is still there.
   */
  handle(request: HttpRequest, client?: ClientConnection): Awaitable<Handled>
  /** `false` if `terminate` need not be called. Default: `true`. */
  readonly hearsEnds?: boolean
  /** Called before `terminate` when other code that shares the response has responded first. Must not throw. */
  respondedElsewhere?(handled: Handled, sent: ForeignResponse): void
  /** Whether to record where other code sends responses, on servers that the host did not create. Default: `false`. */
  readonly watchesSends?: boolean
  /** Called when a request is refused without it. Must not throw. */
  refused?(refusal: Refusal): void
  /** Called once per response, after its last byte left or could not leave. Must not throw. */
  terminate(handled: Handled, sent: Sent): void
}

/** A response that other code began before the application's was ready. */
export interface ForeignResponse {
  readonly sentStatus: number
  /** Names of the headers that were set, without those that went to `writeHead()` only. Values may be secret. */
  readonly sentHeaders: readonly string[]
  readonly isEnded: boolean
  /** Where it was begun, `respond (app/server.ts:12:5)`; `null` if that was not watched, or before the application got the response. */
  readonly place: string | null
}

/** Marks where the first response was begun. Never thrown: it is the cause of the error of the second response. */
class FirstSend extends Error {}
nameError(FirstSend)

/** What other code has sent; `null` while nothing has left. */
export function foreignResponse(response: WatchedResponse): ForeignResponse | null {
  if (!response.headersSent && !response.writableEnded) return null
  const { firstSend = null } = response[sendWatch] ?? {}
  return {
    sentStatus: response.statusCode,
    sentHeaders: response.getHeaderNames(),
    isEnded: response.writableEnded,
    place: firstSend === null ? null : callerOf(firstSend),
  }
}

/** The innermost frame of a stack, relative to the working directory. */
function callerOf({ stack = '' }: Error): string {
  const line = /^ +at (.+)$/m.exec(stack)?.[1] ?? 'an unknown place'
  return line.replace('file://', '').replace(`${process.cwd()}/`, '')
}

/**
 * Notes where the first bytes of a response leave, and makes that place the cause of the error that Node throws for later headers.
 * For debug: it wraps the methods of the response, also those that middleware has replaced.
 */
export function watchSends(response: WatchedResponse): void {
  const watch: SendWatch = { depth: 0, isOurs: false, firstSend: null }
  response[sendWatch] = watch
  const methods: Partial<Record<(typeof watched)[number], unknown>> = response
  for (const name of watched) {
    const original: (...values: never[]) => unknown = response[name]
    methods[name] = function watching(...values: unknown[]): unknown {
      const wasSent = response.headersSent
      watch.depth += 1
      try {
        return Reflect.apply(original, response, values)
      } catch (error) {
        joinFirstSend(error, response, watch)
        throw error
      } finally {
        watch.depth -= 1
        // Node calls some of these methods from others; only the outermost call counts.
        if (watch.depth === 0 && !wasSent && response.headersSent && !watch.isOurs) {
          watch.firstSend ??= sentFrom(response, watching)
        }
      }
    }
  }
}

/** Says that the response that follows is the application's, so that no stack is needed. */
export function noteOwnResponse(response: WatchedResponse): void {
  const watch = response[sendWatch]
  if (watch !== undefined) watch.isOurs = true
}

interface SendWatch {
  /** How deep the watched methods call each other. */
  depth: number
  isOurs: boolean
  firstSend: FirstSend | null
}

interface WatchedResponse extends ServerResponse {
  [sendWatch]?: SendWatch
}

const sendWatch: unique symbol = Symbol('watched sends')
const watched = ['writeHead', 'write', 'end', 'flushHeaders', 'setHeader', 'appendHeader', 'removeHeader'] as const

function sentFrom(response: ServerResponse, caller: (...values: unknown[]) => unknown): FirstSend {
  const place = new FirstSend(`The first response, with status ${response.statusCode}, was begun here`)
  Error.captureStackTrace(place, caller)
  return place
}

function joinFirstSend(error: unknown, response: ServerResponse, { isOurs, firstSend }: SendWatch): void {
  if (!(error instanceof Error) || error.cause !== undefined) return
  if (!('code' in error) || error.code !== 'ERR_HTTP_HEADERS_SENT') return
  const cause = isOurs ? ownResponse(response) : firstSend
  if (cause !== null) Object.defineProperty(error, 'cause', { value: cause, configurable: true, writable: true })
}

/** Has no place: it would be in this library. */
function ownResponse({ statusCode }: ServerResponse): FirstSend {
  const mark = new FirstSend(`The first response, with status ${statusCode}, was the application’s`)
  mark.stack = `${mark.name}: ${mark.message}`
  return mark
}
