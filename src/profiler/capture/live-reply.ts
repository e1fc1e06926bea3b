// Replies of this framework that leave a connection open: events are read as they leave, and what takes a connection over runs as a part
// of its request.

import { Readable } from 'node:stream'
import { isStream } from '../../framework/http/discard-body.ts'
import { Reply, type ReplyBody } from '../../framework/http/reply.ts'
import { Upgrade } from '../../framework/http/upgrade.ts'
import { runInExchange } from '../../framework/kernel/current-exchange.ts'
import type { Exchange } from '../../framework/kernel/exchange.ts'
import { beginEventStream, tapEvents } from './event-stream.ts'

/** A reply in place of this one: the application may send the same again. `undefined` for every other reply. */
export function liveReply(exchange: Exchange, reply: Reply): Reply | undefined {
  const body = liveBody(exchange, reply)
  return body === undefined ? undefined : new Reply(reply.status, reply.headers, body)
}

function liveBody(exchange: Exchange, reply: Reply): ReplyBody | undefined {
  const { body } = reply
  if (body instanceof Upgrade) return new Upgrade((parts) => runInExchange(exchange, () => body.accept(parts)))
  if (!isStream(body) || exchange.request.method === 'HEAD') return undefined
  const events = runInExchange(exchange, () => beginEventStream((name) => reply.header(name)))
  return events === undefined ? undefined : tapEvents(body instanceof Readable ? body : Readable.fromWeb(body), events)
}
