// Problem documents (RFC 9457) and header fields of error responses. Debug adds one member; the rest is the same everywhere.

import { isHttpError, type ProblemMembers } from '../base/http/http-error.ts'
import type { ProblemDocument } from '../http/kernel/handler-options.ts'
import { isRecord } from '../base/options/check-options.ts'
import type { ErrorRedactor } from './flattened-error.ts'
import type { PublicErrorFacts } from './page/quiet-page.ts'
import { types } from 'node:util'
import { isReadable, prototypeChain } from '../base/redact/walk-value.ts'
import { listedFields, ownWindowHeaders, protectiveHeaders } from '../base/http/header-fields.ts'
import { http } from '../base/http/node-http.ts'
import type { Reply } from '../base/http/reply.ts'

/** Members that an error cannot set. */
const decidedHere: ReadonlySet<string> = new Set(['status', 'reference', 'debug'])

/** The document outside debug; `own` is what the error adds. */
export function problemOf(
  { statusCode, statusText, reference }: PublicErrorFacts,
  own: ProblemMembers | null,
): ProblemDocument {
  return { type: 'about:blank', title: statusText, ...own, status: statusCode, reference }
}

/**
 * What a 4xx adds to its document, masked: what `toProblem()` gives, else the `problem` of an HTTP error. `null` for nothing, also if the
 * method throws. Reads each once.
 */
export function ownMembers(
  statusCode: number,
  thrown: unknown,
  redactor: Pick<ErrorRedactor, 'value'>,
): ProblemMembers | null {
  if (statusCode >= 500 || !isErrorValue(thrown)) return null
  try {
    const method = 'toProblem' in thrown ? readOnce(thrown, 'toProblem')?.value : undefined
    const members: unknown =
      typeof method === 'function'
        ? Reflect.apply(method, thrown, [])
        : isHttpError(thrown) && 'problem' in thrown
          ? readOnce(thrown, 'problem')?.value
          : undefined
    if (members === undefined) return null
    const given = plainRecord(redactor.value(members))
    return Object.fromEntries(Object.entries(given).filter(([name]) => !decidedHere.has(name)))
  } catch {
    return null
  }
}

/** Plain data as a record; empty for anything but an object. */
export function plainRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

/** Whether a value is an Error, also of another realm or made by `Object.create(Error.prototype)`. Never throws. */
export function isErrorValue(value: unknown): value is object {
  if (!isReadable(value)) return false
  return types.isNativeError(value) || prototypeChain(value).some((prototype) => prototype === Error.prototype)
}

/** A property, own or inherited; `undefined` if there is none, its getter throws, or a prototype is a Proxy. */
export function readOnce(object: object, key: string): { readonly value: unknown } | undefined {
  try {
    for (const holder of prototypeChain(object)) {
      const property = Object.getOwnPropertyDescriptor(holder, key)
      if (property === undefined) continue
      return { value: property.get === undefined ? property.value : Reflect.apply(property.get, object, []) }
    }
  } catch {
    // The getter threw.
  }
  return undefined
}

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
