// Header fields of an error answer: those every such answer has, and those the error itself brings.

import { validateHeaderName, validateHeaderValue } from 'node:http'
import { isHttpError } from '../framework/http/http-error.ts'
import { protectiveHeaders } from '../framework/http/protective-headers.ts'
import { isReadable } from './read-once.ts'

/** Fields that every error answer has, flat (SECURITY R14). */
export const constantHeaders: readonly string[] = [
  ...protectiveHeaders,
  'vary',
  'Accept',
  'referrer-policy',
  'no-referrer',
]

/**
 * The flat list an HTTP error brings (`Allow`, `Retry-After`, …), without what is unfit to be sent or already decided.
 * Never throws.
 */
export function ownHeaders(thrown: unknown): string[] {
  const headers: string[] = []
  if (!isReadable(thrown) || !isHttpError(thrown)) return headers
  try {
    const own: readonly unknown[] = thrown.headers
    if (!Array.isArray(own)) return headers
    for (let index = 0; index + 1 < own.length && index < maxOwnFields * 2; index += 2) {
      const name: unknown = own[index]
      const value: unknown = own[index + 1]
      if (typeof name === 'string' && typeof value === 'string' && isFit(name, value)) headers.push(name, value)
    }
  } catch {
    // A list that cannot be read is no list.
  }
  return headers
}

const maxOwnFields = 50

// What describes the body is the renderer's to say, what describes the connection the adapter's.
const decidedElsewhere: ReadonlySet<string> = new Set(
  [
    constantHeaders.filter((_, index) => index % 2 === 0),
    ['content-type', 'content-length', 'content-encoding', 'content-security-policy', 'transfer-encoding', 'etag'],
    ['connection', 'keep-alive', 'trailer', 'upgrade', 'date', 'last-modified'],
  ].flat(),
)

function isFit(name: string, value: string): boolean {
  if (decidedElsewhere.has(name.toLowerCase())) return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}
