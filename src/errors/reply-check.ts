// Looks at each reply in debug before it leaves: one whose head cannot be sent would reach the client as a bare 500, with
// no word of the reason. Here the reason becomes an error like any other.

import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { Reply } from '../framework/http/reply.ts'
import type { Exchange } from '../framework/kernel/exchange.ts'
import type { Listener } from '../framework/kernel/listener.ts'
import { describeValue } from './describe-value.ts'

/** A reply that cannot be sent: its status or a header is not what HTTP can carry. */
export class UnsendableReplyError extends TypeError {
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'UnsendableReplyError', configurable: true, writable: true })
  }
  /** Stable code to tell errors apart by. */
  get code(): 'ERR_UNSENDABLE_REPLY' {
    return 'ERR_UNSENDABLE_REPLY'
  }
}

/** Throws an UnsendableReplyError in `onResponse`, which names handler, field and value. Error answers are left alone. */
export const replyCheck: Listener = {
  name: 'reply check',
  isInstrumentation: true,
  onResponse(exchange, reply) {
    if (exchange.failure === undefined) check(exchange, reply)
  },
}

function check(exchange: Exchange, { status, headers }: Reply): void {
  if (!Number.isInteger(status) || status < 200 || status > 999) {
    throw new UnsendableReplyError(`${whose(exchange)} has the status ${describe(status)}; allowed are 200 to 999`)
  }
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]
    const value = headers[index + 1]
    if (isPlainlyFine(name, value)) continue
    try {
      validateHeaderName(name ?? '')
      validateHeaderValue(name ?? '', value as string)
    } catch (cause) {
      throw new UnsendableReplyError(
        `${whose(exchange)} has a header that cannot be sent: ${describe(name)} with the value ${describe(value)}`,
        { cause },
      )
    }
  }
}

/** Whether one look tells that a field can be sent; of the others Node has the last word, and says why. */
function isPlainlyFine(name: unknown, value: unknown): boolean {
  if (typeof name !== 'string' || typeof value !== 'string') return false
  const isType = name === 'content-type'
  if (isType && fineTypes.has(value)) return true
  if (!fieldName.test(name) || notInValue.test(value)) return false
  if (isType && fineTypes.size < maxFineTypes) fineTypes.add(value)
  return true
}

/** Media types that were fine: nearly every answer has one of few. Of no other field is a value kept, it may be secret. */
const fineTypes = new Set<string>()
const maxFineTypes = 100

const fieldName = /^[\w-]+$/
const notInValue = /[^\t\x20-\x7e]/

function whose({ handlerName, route }: Exchange): string {
  return `The answer of handler "${handlerName}" of route "${route?.name ?? ''}"`
}

function describe(value: unknown): string {
  return describeValue(value, { maxChars: 200 })
}
