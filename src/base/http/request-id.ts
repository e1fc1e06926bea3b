// The id that connects everything that is logged of a request.

import { randomInt } from 'node:crypto'
import type { HttpRequest } from './request.ts'

/** What a trusted proxy calls the request: its `X-Request-Id`, else the trace of its `traceparent`; `null` if it does not say. */
export function forwardedRequestId(request: Pick<HttpRequest, 'hasTrustedPeer' | 'header'>): string | null {
  if (!request.hasTrustedPeer) return null
  const named = request.header('x-request-id')
  if (named !== undefined && /^[\w.:=+@-]{1,128}$/.test(named)) return named
  const trace = request.header('traceparent') ?? ''
  return /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/.exec(trace)?.[1] ?? null
}

/** `[0-9a-z]{12}`, 62 bits of the system's random source. */
export function createRequestId(): string {
  return sixLetters(randomInt(36 ** 6)) + sixLetters(randomInt(36 ** 6))
}

/** All of two letters: `toString(36)` takes three times as long. */
const pairs: readonly string[] = Array.from({ length: 36 ** 2 }, (_, index) => index.toString(36).padStart(2, '0'))

function sixLetters(value: number): string {
  const rest = Math.floor(value / 36 ** 2)
  const last = Math.floor(rest / 36 ** 2)
  // The rest of a division of so large a number takes longer than a product.
  return `${pairs[value - rest * 36 ** 2]}${pairs[rest - last * 36 ** 2]}${pairs[last]}`
}
