// Whether the cookies of a request carry the signature of its application: only the process that served it can tell.

import type { Exchange } from '../../framework/kernel/exchange.ts'

/** Names of cookies. */
export interface CookieSignatures {
  readonly valid: readonly string[]
  /** They have a signature that does not fit, or is somebody else's. */
  readonly invalid: readonly string[]
}

/** Ends like a signed cookie: a dot and 32 bytes in base64. */
const looksSigned = /\.[\w+/-]{43}=?$/

/** `undefined` if the application has no secret, or nothing looks signed. */
export function cookieSignatures({ request, cookieSetting }: Exchange): CookieSignatures | undefined {
  const { signer } = cookieSetting
  if (signer === null) return undefined
  const signed = [...request.cookies].filter(([, value]) => looksSigned.test(value))
  if (signed.length === 0) return undefined
  const valid = signed.filter(([name, value]) => signer.read(name, value) !== undefined).map(([name]) => name)
  return { valid, invalid: signed.map(([name]) => name).filter((name) => !valid.includes(name)) }
}
