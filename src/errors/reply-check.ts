// Checks in debug that each reply can be sent. Otherwise clients would get a bare 500 without a reason.

import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { types } from 'node:util'
import { http } from '../base/http/node-http.ts'
import { Upgrade, jsonValues } from '../base/http/reply.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import type { Listener } from '../http/kernel/listener.ts'
import { describeValue } from '../base/redact/walk-value.ts'
import { nameError } from '../base/http/http-error.ts'
import { findJsonMember } from '../base/http/json.ts'
import { isPromise } from '../base/members.ts'
import { currentExchange } from '../http/kernel/current-exchange.ts'
import { promiseInJson } from '../base/log/lines.ts'
import { StackFrames } from './stack-frames.ts'

/** A reply with a status, header or body that HTTP cannot carry. */
class UnsendableReplyError extends TypeError {
  declare readonly code: 'ERR_UNSENDABLE_REPLY'
}
nameError(UnsendableReplyError, 'ERR_UNSENDABLE_REPLY')

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

/** Members that are looked at. */
const maxMembers = 5000

/** Listens from `start()` to `stop()`; the warning is in the log of the request. */
export class UnawaitedJson {
  readonly #frames: StackFrames
  readonly #isOwn: (exchange: Exchange) => boolean
  readonly #check = (value: unknown): void => {
    const exchange = currentExchange()
    if (exchange?.recording !== undefined && this.#isOwn(exchange) && holdsPromise(value)) this.#warn(exchange, value)
  }

  /** `projectRoot`: absolute directory; the place of a warning is the first frame below it. `isOwn`: whether a request is of its application. */
  constructor(projectRoot: string, isOwn: (exchange: Exchange) => boolean) {
    this.#frames = new StackFrames(projectRoot)
    this.#isOwn = isOwn
  }

  start(): void {
    jsonValues.subscribe(this.#check)
  }

  stop(): void {
    jsonValues.unsubscribe(this.#check)
  }

  #warn(exchange: Exchange, root: unknown): void {
    const member = findJsonMember(root, ({ value }) => isPromise(value))
    const frames = this.#frames.read(new Error().stack ?? '', '', { maxFrames: 20, maxExcerpts: 0 })
    const own = frames.find(({ origin }) => origin === 'own')
    const place = own === undefined ? null : `${own.file}:${own.line}`
    const facts = { path: member?.path ?? '', isPromise: member === undefined || types.isPromise(member.value), place }
    exchange.log.write(promiseInJson(facts))
  }
}

/** `JSON.stringify` has gone through the value, so it holds no cycle. */
function holdsPromise(root: unknown): boolean {
  const waiting: unknown[] = [root]
  for (let count = 0; count < maxMembers && waiting.length > 0; count += 1) {
    const value = waiting.pop()
    if (typeof value !== 'object' || value === null || types.isProxy(value)) continue
    if (isPromise(value)) return true
    for (const key of Object.keys(value)) {
      const member: unknown = Object.getOwnPropertyDescriptor(value, key)?.value
      if (typeof member === 'object') waiting.push(member)
    }
  }
  return false
}
