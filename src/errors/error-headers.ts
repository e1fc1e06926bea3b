// Header fields of error responses.

import { listedFields, ownWindowHeaders, protectiveHeaders } from '../base/http/header-fields.ts'
import { isHttpError } from '../base/http/http-error.ts'
import { http } from '../base/http/node-http.ts'
import type { Reply } from '../base/http/reply.ts'
import { isReadable } from '../base/redact/value-marks.ts'

const referrerHeaders: readonly string[] = ['referrer-policy', 'no-referrer']

/** Header fields of every error response, flat (SECURITY R14). */
export const errorHeaders: readonly string[] = [...protectiveHeaders, ...referrerHeaders]

/** The same for a response whose form follows `Accept`. */
export const negotiatedHeaders: readonly string[] = [...protectiveHeaders, 'vary', 'Accept', ...referrerHeaders]

/** Adds the fields whose names the reply does not have yet. */
export function withMissing(reply: Reply, fields: readonly string[]): Reply {
  for (const [name, value] of listedFields(fields)) {
    if (reply.header(name) === undefined) reply.appendHeader(name, value)
  }
  return reply
}

/** Header fields of an HTTP error (`Allow`, `Retry-After`, …), flat, without invalid ones and those that the handler decides. Never throws. */
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
    // A list that cannot be read counts as none.
  }
  return headers
}

const maxOwnFields = 50

// The renderer decides what describes the body, the server what describes the connection.
const decidedElsewhere: ReadonlySet<string> = new Set(
  [
    [...negotiatedHeaders, ...ownWindowHeaders].filter((_, index) => index % 2 === 0),
    ['content-type', 'content-length', 'content-encoding', 'content-security-policy', 'transfer-encoding', 'etag'],
    ['connection', 'keep-alive', 'trailer', 'date', 'last-modified'],
  ].flat(),
)

function isFit(name: string, value: string): boolean {
  if (decidedElsewhere.has(name.toLowerCase())) return false
  try {
    http.validateHeaderName(name)
    http.validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}
