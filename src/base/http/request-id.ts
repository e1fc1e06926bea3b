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

/** `[0-9a-z]{12}`, 62 random bits. */
export function createRequestId(): string {
  const bits = randomUUID()
  return base36(bits.slice(0, 8)) + base36(bits.slice(-8))
}

function base36(hex: string): string {
  return (Number.parseInt(hex, 16) % 36 ** 6).toString(36).padStart(6, '0')
}
