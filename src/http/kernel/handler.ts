// What handles a request once its route is known, and what it may return.

import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { SafeHtml } from '../../base/html/html.ts'
import { reply, Reply, Upgrade } from '../../base/http/reply.ts'
import type { ParamValue } from '../../base/http/request.ts'
import type { Awaitable } from '../../base/members.ts'
import type { Exchange } from './exchange.ts'
import { writeCookie } from '../../base/http/cookies.ts'
import { HttpError, nameError } from '../../base/http/http-error.ts'
import type { ValidValues } from '../../routing/route-definition.ts'

/**
 * Handles a request. It returns markup of the `html` tag, a `Reply` (`json()`, `text()`, `redirect()`, …) or a Fetch `Response`. Whatever it
 * throws becomes an error reply.
 */
export type Handler<
  Params extends object = Readonly<Record<string, ParamValue>>,
  Valid extends Partial<ValidValues> = Partial<ValidValues>,
> = (exchange: Exchange<Params, Valid>) => Awaitable<SafeHtml | Reply | Response>

/** The values that a route has a schema for. */
type Given<Valid> = { readonly [Part in keyof Valid as [Valid[Part]] extends [never] ? never : Part]: Valid[Part] } & {}

/** Types the exchange of handlers in a route table by the path: routing itself does not know the kernel. */
declare module '../../routing/route-definition.ts' {
  interface RouteHandlerTypes<Params extends object, Valid extends ValidValues> {
    readonly handler: Handler<Params, Given<Valid>>
  }
}

/** A handler returned something that cannot be sent. */
export class HandlerResultError extends TypeError {
  declare readonly code: 'ERR_HANDLER_RESULT'
}
nameError(HandlerResultError, 'ERR_HANDLER_RESULT')

/** The reply for what a handler returned. Throws a `HandlerResultError` that says what to return instead. */
export function toReply(result: unknown, exchange: Exchange): Reply {
  if (result instanceof Reply) {
    if (result.body instanceof Upgrade && exchange.client?.takesUpgrade !== true) throw needsUpgrade()
    return withCookies(result, exchange)
  }
  if (result instanceof SafeHtml) return reply(result)
  if (result instanceof Response) return fromResponse(result)
  const handler = `Handler "${exchange.handlerName}" of route "${exchange.route?.name ?? ''}"`
  const markup = 'html`…`'
  if (typeof result === 'string') {
    throw new HandlerResultError(
      `${handler} returned a string; return ${markup} for markup, text() for plain text, or json()`,
    )
  }
  const what =
    result === undefined ? 'nothing (undefined)' : `a value of type ${result === null ? 'null' : typeof result}`
  throw new HandlerResultError(
    `${handler} returned ${what}; return ${markup}, json(), text(), redirect(), empty(), stream() or a Response`,
  )
}

function needsUpgrade(): HttpError {
  const detail =
    'This address takes WebSocket connections: send GET over HTTP/1.1 with "Connection: Upgrade" and "Upgrade: websocket"'
  return new HttpError(426, detail, { headers: { upgrade: 'websocket' }, problem: { detail } })
}

/** The reply with its cookies as header fields. Throws what `writeCookie` throws. */
export function withCookies(reply: Reply, exchange: Exchange): Reply {
  if (reply.cookies === undefined) return reply
  const fields = reply.cookies.flatMap((cookie) => ['set-cookie', writeCookie(cookie, exchange.cookieSetting).field])
  // The application may send the same reply to others.
  return new Reply(reply.status, [...reply.headers, ...fields], reply.body)
}

function fromResponse(response: Response): Reply {
  const headers: string[] = []
  for (const [name, value] of response.headers) headers.push(name, value)
  return new Reply(response.status, headers, response.body === null ? null : toNodeStream(response.body))
}

// The DOM's ReadableStream and Node's are the same object at run time, but two types.
function toNodeStream(body: NonNullable<Response['body']>): Readable {
  return Readable.fromWeb(body as ReadableStream<Uint8Array>)
}
