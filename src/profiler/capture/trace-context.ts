// W3C Trace Context: continues the trace that a request names, or starts one, and hands it on to called services.

import { randomBytes } from 'node:crypto'
import type { HttpRequest } from '../../framework/http/request.ts'

/** A request's place in a trace. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** The caller's span, 16 hexadecimal digits; `null` if the trace starts here. */
  readonly parentSpanId: string | null
  /** Two hexadecimal digits; bit 1 means that the trace is recorded. */
  readonly flags: string
  /** `tracestate`, handed on unread; `null` if there is none. */
  readonly state: string | null
}

/** Parses a `traceparent`; `null` if it is malformed or its version is not allowed. */
export function parseTraceparent(value: string): Omit<TraceContext, 'state'> | null {
  const match = traceparentPattern.exec(value)
  if (match === null) return null
  const [, version = '', traceId = '', parentSpanId = '', flags = '', rest = ''] = match
  if (version === 'ff' || (version === '00' && rest !== '')) return null
  if (/^0+$/.test(traceId) || /^0+$/.test(parentSpanId)) return null
  return { traceId, parentSpanId, flags }
}

/** The trace that a request names, or a new one. */
export function traceContextOf(request: HttpRequest): TraceContext {
  const sent = request.headerValues('traceparent')
  const taken = sent.length === 1 ? parseTraceparent((sent[0] ?? '').trim()) : null
  if (taken === null) return { traceId: createTraceId(), parentSpanId: null, flags: '01', state: null }
  const state = request.headerValues('tracestate').join(',')
  return { ...taken, state: tracestatePattern.test(state) ? state : null }
}

/** The `traceparent` for an outgoing request with the span `spanId`. */
export function traceparentOf({ traceId, flags }: TraceContext, spanId: string): string {
  return `00-${traceId}-${spanId}-${flags}`
}

/** 16 random hexadecimal digits, never all zero. */
export function createSpanId(): string {
  return randomDigits(8)
}

/** A later version may add fields behind a dash. */
const traceparentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
/** Printable; the length that must be supported. */
const tracestatePattern = /^[\x21-\x7e][\x20-\x7e]{0,511}$/

function createTraceId(): string {
  return randomDigits(16)
}

/** Random hexadecimal digits, never all zero. */
function randomDigits(bytes: number): string {
  const random = randomBytes(bytes)
  random[0]! |= 1
  return random.toString('hex')
}
