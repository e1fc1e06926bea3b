// Turns what a handler returned into a reply, and says clearly when it is nothing that could be one.

import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { Reply } from '../http/reply.ts'
import type { Exchange } from './exchange.ts'

/** A handler returned something that is no answer. */
export class HandlerResultError extends TypeError {
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'HandlerResultError', configurable: true, writable: true })
  }
  /** Stable code to tell errors apart by. */
  get code(): 'ERR_HANDLER_RESULT' {
    return 'ERR_HANDLER_RESULT'
  }
}

/** A `Reply` as it is, a Fetch `Response` as a reply of the same status, headers and body. Throws for anything else. */
export function toReply(result: unknown, exchange: Exchange): Reply {
  if (result instanceof Reply) return result
  if (result instanceof Response) return fromResponse(result)
  const what =
    result === undefined ? 'nothing (undefined)' : `a value of type ${result === null ? 'null' : typeof result}`
  throw new HandlerResultError(
    `Handler "${exchange.handlerName}" of route "${exchange.route?.name ?? ''}" returned ${what}; ` +
      'return html(), json(), text(), redirect(), empty(), stream() or a Response',
  )
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
