// The id that connects everything that is logged of a request.

import { randomUUID } from 'node:crypto'
import type { HttpRequest } from './request.ts'

/** What a trusted proxy calls the request: its `X-Request-Id`, else the trace of its `traceparent`; `null` if it does not say. */
export function forwardedRequestId(request: HttpRequest): string | null {
  if (!request.hasTrustedPeer) return null
  const named = request.header('x-request-id')
  if (named !== undefined && /^[\w.:=+@-]{1,128}$/.test(named)) return named
  const trace = request.header('traceparent') ?? ''
  return /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/.exec(trace)?.[1] ?? null
}

/** Twelve hexadecimal digits, 48 random bits: requests of one log are told apart. */
export function createRequestId(): string {
  return randomUUID().slice(-12)
}
