// Checks in debug that each reply can be sent. Otherwise clients would get a bare 500 without a reason.

import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { types } from 'node:util'
import { http } from '../framework/http/node-http.ts'
import { Upgrade } from '../framework/http/upgrade.ts'
import type { Exchange } from '../framework/kernel/exchange.ts'
import type { Listener } from '../framework/kernel/listener.ts'
import { describeValue } from '../framework/redact/describe-value.ts'
import { nameError } from '../framework/http/name-error.ts'

/** A reply with a status, header or body that HTTP cannot carry. */
class UnsendableReplyError extends TypeError {
  get code(): 'ERR_UNSENDABLE_REPLY' {
    return 'ERR_UNSENDABLE_REPLY'
  }
}
nameError(UnsendableReplyError)

/** Throws an `UnsendableReplyError` that names handler, header and value; for an error response it becomes a line in the log. */
export const replyCheck: Listener = {
  name: 'reply check',
  isInstrumentation: true,
  onResponse(exchange, { status, headers, body }) {
    if (!isBody(body)) {
      const advice = types.isPromise(body) ? 'put await before it' : 'use text, bytes or a stream'
      throw new UnsendableReplyError(`${whose(exchange)} has ${describe(body)} as its body; ${advice}`)
    }
    const isUpgrade = status === 101 && body instanceof Upgrade
    if (!isUpgrade && (!Number.isInteger(status) || status < 200 || status > 999)) {
      throw new UnsendableReplyError(`${whose(exchange)} has the status ${describe(status)}; use 200 to 999`)
    }
    for (let index = 0; index < headers.length; index += 2) {
      const name = headers[index]
      const value = headers[index + 1]
      try {
        http.validateHeaderName(name ?? '')
        http.validateHeaderValue(name ?? '', value as string)
      } catch (cause) {
        throw new UnsendableReplyError(
          `${whose(exchange)} has a header that cannot be sent: ${describe(name)} with the value ${describe(value)}`,
          { cause },
        )
      }
    }
  },
}

function isBody(body: unknown): boolean {
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) return true
  return body instanceof Readable || body instanceof ReadableStream || body instanceof Upgrade
}

function whose({ handlerName, route, failure, request }: Exchange): string {
  if (failure !== undefined) return `The error response to ${request.method} ${request.path}`
  return `The response of handler "${handlerName}" of route "${route?.name ?? ''}"`
}

function describe(value: unknown): string {
  return describeValue(value, 200)
}
