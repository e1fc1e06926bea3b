// Works out what of a reply goes on the wire: status, header fields with the length of the body, and whether a body follows.

import { byteLength } from '../../http/byte-length.ts'
import type { Reply, ReplyBody } from '../../http/reply.ts'

/** A reply as it is sent. */
export interface ReplyHead {
  readonly status: number
  /** Flat list: name, value, name, value … */
  readonly headers: string[]
  /** How many parts of the list stand before the length, where that comes last and nothing else is special; else 0. */
  readonly repeatable: number
  /** What follows the head; `null` when nothing does. */
  readonly body: ReplyBody
  /** Bytes of the body, where they are known before it is sent. */
  readonly length: number | null
}

/**
 * Prepares a reply without changing it. Length and framing are the host's: `Content-Length` is counted for whole bodies and
 * kept for streams, `Transfer-Encoding` and `Connection` of the reply are left out, but for `Connection: close`. HEAD, 204
 * and 304 have no body. Throws a RangeError for a status that is no final one.
 */
export function prepareHead(reply: Reply, isHead: boolean, isLast: boolean): ReplyHead {
  const { status, body } = reply
  if (!Number.isInteger(status) || status < 200 || status > 999) {
    throw new RangeError(`${String(status)} is no status of an answer; allowed are 200 to 999`)
  }
  const isWhole = body === null || typeof body === 'string' || body instanceof Uint8Array
  const length = isWhole ? lengthOf(body) : null
  let headers = reply.headers.slice()
  let closes = isLast
  let declared: string | undefined
  if (mayHoldFraming(headers)) {
    headers = []
    for (let index = 0; index < reply.headers.length; index += 2) {
      const name = reply.headers[index] ?? ''
      const value = reply.headers[index + 1] ?? ''
      if (name.length === 14 && name.toLowerCase() === 'content-length')
        declared = digits.test(value) ? value : undefined
      else if (name.length === 10 && name.toLowerCase() === 'connection') closes ||= value.toLowerCase() === 'close'
      else if (name.length !== 17 || name.toLowerCase() !== 'transfer-encoding') headers.push(name, value)
    }
  }
  const isBodyless = status === 204 || status === 304
  const repeatable = isHead || isBodyless || closes || length === null ? 0 : headers.length
  if (isBodyless ? status === 304 && declared !== undefined : length !== null || declared !== undefined) {
    headers.push(
      'content-length',
      isBodyless || length === null || (isHead && body === null) ? (declared ?? '0') : String(length),
    )
  }
  if (closes) headers.push('connection', 'close')
  const hasBody = !isHead && !isBodyless
  return { status, headers, repeatable, body: hasBody ? body : null, length: hasBody ? length : 0 }
}

/** Whether one of the names is as long as those that are the host's. */
function mayHoldFraming(headers: readonly string[]): boolean {
  for (let index = 0; index < headers.length; index += 2) {
    const length = headers[index]?.length
    if (length === 14 || length === 10 || length === 17) return true
  }
  return false
}

const digits = /^\d{1,15}$/

function lengthOf(body: string | Uint8Array | null): number {
  if (body === null) return 0
  return typeof body === 'string' ? byteLength(body) : body.byteLength
}
