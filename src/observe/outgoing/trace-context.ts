// W3C Trace Context: continues the trace that a request names, or starts one, and hands it on to called services. Throws dice that
// fall alike in all of them.

import { randomBytes, randomUUID } from 'node:crypto'
import type { HttpRequest } from '../../base/http/request.ts'
import type { KeptName } from '../../http/recording/recording.ts'

/** A request's place in a trace. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** The caller's span, 16 hexadecimal digits; `null` if the trace starts here. */
  readonly parentSpanId: string | null
  /** Two hexadecimal digits; bit 1 means that the trace is recorded. */
  readonly flags: string
  /** `tracestate`, passed on unread; `null` if there is none. */
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

/** Of a request that passed it on by other means than an outgoing request. */
export const traceIdName: KeptName<string> = 'traceId'

/** The traces of requests. A request that names none gets one with the first question, and keeps it. */
export class Traces {
  readonly #known = new WeakMap<HttpRequest, TraceContext>()

  of(request: HttpRequest): TraceContext {
    const known = this.#known.get(request)
    if (known !== undefined) return known
    const trace = traceContextOf(request)
    this.#known.set(request, trace)
    return trace
  }
}

/** The trace that a request names, or a new one. */
export function traceContextOf(request: HttpRequest): TraceContext {
  const sent = request.headerValues('traceparent')
  const taken = sent.length === 1 ? parseTraceparent((sent[0] ?? '').trim()) : null
  // Node makes the random bytes of many at a time.
  if (taken === null) return { traceId: randomUUID().replaceAll('-', ''), parentSpanId: null, flags: '01', state: null }
  const state = request.headerValues('tracestate').join(',')
  return { ...taken, state: tracestatePattern.test(state) ? state : null }
}

export function traceparentOf({ traceId, flags }: TraceContext, spanId: string): string {
  return `00-${traceId}-${spanId}-${flags}`
}

/** 16 random hexadecimal digits, never all zero. */
export function createSpanId(): string {
  const random = randomBytes(8)
  random[0]! |= 1
  return random.toString('hex')
}

/**
 * A number from 0, below 1, for a trace. A trace that is recorded at one rate is recorded at every higher one. It is a hash (FNV-1a, then
 * mixed as in MurmurHash3) and no part of the identifier: not everybody's identifiers are random throughout.
 */
export function traceDice(traceId: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < traceId.length; index += 1) {
    hash = Math.imul(hash ^ traceId.charCodeAt(index), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}

/** A later version may add fields after a dash. */
const traceparentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
/** Printable; the length that must be supported. */
const tracestatePattern = /^[\x21-\x7e][\x20-\x7e]{0,511}$/
