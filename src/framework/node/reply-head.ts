// Works out what of a reply goes on the wire: status, header fields with the length of the body, and whether a body follows.

import { byteLength } from '../http/byte-length.ts'
import type { Reply, ReplyBody } from '../http/reply.ts'

/** A reply as it is sent. */
export interface ReplyHead {
  readonly status: number
  /** Fields of the reply, as a flat list: name, value, name, value … Those of the host come after it. Not to be changed. */
  readonly headers: readonly string[]
  /** Value of `Content-Length`; `null` where the head has none. */
  readonly contentLength: string | null
  /** Whether the head says `Connection: close`. */
  readonly closes: boolean
  /** Whether nothing of the head but its length depends on the request. */
  readonly isRepeatable: boolean
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
  let headers: readonly string[] = reply.headers
  let closes = isLast
  let declared: string | undefined
  if (mayHoldFraming(headers)) {
    const kept: string[] = []
    for (let index = 0; index < reply.headers.length; index += 2) {
      const name = reply.headers[index] ?? ''
      const value = reply.headers[index + 1] ?? ''
      if (name.length === 14 && name.toLowerCase() === 'content-length')
        declared = digits.test(value) ? value : undefined
      else if (name.length === 10 && name.toLowerCase() === 'connection') closes ||= value.toLowerCase() === 'close'
      else if (name.length !== 17 || name.toLowerCase() !== 'transfer-encoding') kept.push(name, value)
    }
    headers = kept
  }
  const isBodyless = status === 204 || status === 304
  const isCounted = !isBodyless && length !== null && !(isHead && body === null)
  const isDeclared = isBodyless ? status === 304 && declared !== undefined : length !== null || declared !== undefined
  const hasBody = !isHead && !isBodyless
  return {
    status,
    headers,
    contentLength: isCounted ? String(length) : isDeclared ? (declared ?? '0') : null,
    closes,
    isRepeatable: hasBody && !closes && length !== null,
    body: hasBody ? body : null,
    length: hasBody ? length : 0,
  }
}

/** All fields of a head, those of the host last. */
export function allFields({ headers, contentLength, closes }: ReplyHead): string[] {
  const fields = headers.slice()
  if (contentLength !== null) fields.push('content-length', contentLength)
  if (closes) fields.push('connection', 'close')
  return fields
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
