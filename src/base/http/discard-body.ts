// Ends bodies of replies that are not sent.

import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { ReplyBody } from './reply.ts'
import { Upgrade } from './upgrade.ts'

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
