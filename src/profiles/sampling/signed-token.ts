// The signed header by which somebody asks for a recording: `X-Debug-Record: v1.<expiry>.<path>.<signature>`. It makes a
// request be recorded, and nothing else: who may open the profile is decided by the rules of access alone.

import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'

export const tokenHeader = 'x-debug-record'

/** A token that is valid for longer is refused, in milliseconds: 24 hours. */
export const maxTokenMs: number = 24 * 60 * 60 * 1000

/** Bytes of the path that a token may name. */
export const maxTokenPath = 512

interface TokenClaims {
  /** Until when, milliseconds since 1970; kept in whole seconds, rounded down. */
  readonly expiresAt: number
  /** For requests to this path and below: `/orders`. `/` for all. As it is sent, without query. */
  readonly path: string
}

export type TokenProblem = 'malformed' | 'forged' | 'expired' | 'valid for too long' | 'for another path'

/** Makes the value of the header. Throws a RangeError for a path that cannot be used. */
export function signToken({ expiresAt, path }: TokenClaims, key: KeyObject): string {
  if (!/^\/[!-~]*$/.test(path) || /[?#]/.test(path) || path.length > maxTokenPath) {
    throw new RangeError(
      `The path ${JSON.stringify(path.slice(0, 100))} cannot be signed; allowed: a path as it is sent, from "/", without query, ${maxTokenPath} bytes at most`,
    )
  }
  const signed = `v1.${Math.floor(expiresAt / 1000)}.${Buffer.from(path).toString('base64url')}`
  return `${signed}.${signatureOf(signed, key).toString('base64url')}`
}

/**
 * Why the value of the header does not count for a request to `path` at `now`, or `null` when it does. Anything may be
 * given: the form is checked first, in linear time, then the signature in constant time, then what it says.
 */
export function tokenProblem(value: string, key: KeyObject, { path, now }: RequestToCheck): TokenProblem | null {
  if (value.length > maxValue) return 'malformed'
  const parts = form.exec(value)
  if (parts === null) return 'malformed'
  const [, signed = '', seconds = '', scope = '', signature = ''] = parts
  const given = Buffer.from(signature, 'base64url')
  const expected = signatureOf(signed, key)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged'
  const leftMs = Number(seconds) * 1000 - now
  if (leftMs <= 0) return 'expired'
  if (leftMs > maxTokenMs) return 'valid for too long'
  return isWithin(path, Buffer.from(scope, 'base64url').toString()) ? null : 'for another path'
}

interface RequestToCheck {
  /** Path as sent, without query. */
  readonly path: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** 32 bytes of signature are 43 characters. */
const form = /^(v1\.(\d{1,12})\.([\w-]+))\.([\w-]{43})$/

const maxValue = 3 + 13 + Math.ceil((maxTokenPath * 4) / 3) + 1 + 43

// The first words make our signatures useless elsewhere, and others useless here.
function signatureOf(signed: string, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(`fanlight record\n${signed}`).digest()
}

/** Whether a path is the scope or lies below it: `/orders` covers `/orders/7`, not `/orders-old`. */
export function isWithin(path: string, scope: string): boolean {
  if (!path.startsWith(scope)) return false
  return scope.endsWith('/') || path.length === scope.length || path[scope.length] === '/'
}
