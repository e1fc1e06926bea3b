// The place of a request in a trace that crosses services (W3C Trace Context): taken from the request where it names one,
// begun here where not, and handed on to the services that are called.

import { randomBytes } from 'node:crypto'
import type { HttpRequest } from '../../framework/http/request.ts'

/** One request's place in a trace. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** The caller's span, 16 hexadecimal digits; `null` where the trace begins here. */
  readonly parentSpanId: string | null
  /** Two hexadecimal digits; bit 1 says that the trace is recorded. */
  readonly flags: string
  /** What tracing systems hand on unread; `null` where there is none. */
  readonly state: string | null
}

/** What a `traceparent` says; `null` for one that is malformed or of a version that is not allowed. */
export function parseTraceparent(value: string): Omit<TraceContext, 'state'> | null {
  const match = traceparentPattern.exec(value)
  if (match === null) return null
  const [, version = '', traceId = '', parentSpanId = '', flags = '', rest = ''] = match
  if (version === 'ff' || (version === '00' && rest !== '')) return null
  if (/^0+$/.test(traceId) || /^0+$/.test(parentSpanId)) return null
  return { traceId, parentSpanId, flags }
}

/** The trace of a request: the one it names, or a new one. */
export function traceContextOf(request: HttpRequest): TraceContext {
  const sent = request.headerValues('traceparent')
  const taken = sent.length === 1 ? parseTraceparent((sent[0] ?? '').trim()) : null
  if (taken === null) return { traceId: createTraceId(), parentSpanId: null, flags: '01', state: null }
  const state = request.headerValues('tracestate').join(',')
  return { ...taken, state: tracestatePattern.test(state) ? state : null }
}

/** The header for a call to another service, whose span is `spanId`. */
export function traceparentOf({ traceId, flags }: TraceContext, spanId: string): string {
  return `00-${traceId}-${spanId}-${flags}`
}

/** A new span's name: 16 hexadecimal digits, never all zero. */
export function createSpanId(): string {
  return randomDigits(8)
}

/** A later version may add fields behind a dash. */
const traceparentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
/** Printable, and as long as must be handed on at least. */
const tracestatePattern = /^[\x21-\x7e][\x20-\x7e]{0,511}$/

function createTraceId(): string {
  return randomDigits(16)
}

/** Random digits to take from: to ask for so many at once costs little more than to ask for a few. */
const pool = { digits: '', used: 0 }
const poolBytes = 4096

/** Random hexadecimal digits of so many bytes, a multiple of 8. No eight bytes in a row are all zero. */
function randomDigits(count: number): string {
  if (pool.used + 2 * count > pool.digits.length) {
    const bytes = randomBytes(poolBytes)
    for (let last = 7; last < poolBytes; last += 8) bytes[last]! |= 1
    pool.digits = bytes.toString('hex')
    pool.used = 0
  }
  pool.used += 2 * count
  return pool.digits.slice(pool.used - 2 * count, pool.used)
}
