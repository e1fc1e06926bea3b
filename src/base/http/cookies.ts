// Cookies: read from a request, and written as `Set-Cookie` fields with safe defaults.

import { parseCookie, stringifySetCookie } from 'cookie'
import { checkOptions, flag, oneOf, text, wholeNumberRule, type OptionRules } from '../options/check-options.ts'
import type { CookieSigner } from './cookie-signer.ts'

/** How a browser keeps a cookie. */
export interface CookieOptions {
  /** How long the browser keeps it, in seconds. Default: until the browser ends. */
  readonly maxAgeSeconds?: number
  /** It is sent to this path and those below. Default: `/`. */
  readonly path?: string
  /** It is sent to this domain and all below. Default: only to the host that set it. */
  readonly domain?: string
  /** Whether scripts of the page cannot read it. Default: yes. */
  readonly httpOnly?: boolean
  /**
   * Whether it is sent over HTTPS only. Default: if this request came over HTTPS; always if browsers want it: for `sameSite: 'none'`,
   * `partitioned`, and names that begin with `__Secure-` or `__Host-`.
   */
  readonly secure?: boolean
  /** Whether requests from other sites have it: `lax` for links only, `strict` never, `none` always. Default: `lax`. */
  readonly sameSite?: 'lax' | 'strict' | 'none'
  /** Whether a page inside another site has a separate cookie for each of these sites. Default: no. */
  readonly partitioned?: boolean
  /** Whether it gets a signature, so that a changed value is noticed. Everybody can still read it. Default: no. */
  readonly signed?: boolean
}

/** A cookie that a reply sets. */
export interface CookieToSet {
  readonly name: string
  readonly value: string
  readonly options: CookieOptions
}

/** What a cookie depends on other than its options. */
export interface CookieSetting {
  readonly isHttps: boolean
  /** `null` if the application has no secret. */
  readonly signer: CookieSigner | null
}

/** Name and value together; a browser drops larger cookies without a word. */
export const maxCookieBytes = 4096

const rules: OptionRules<CookieOptions> = {
  maxAgeSeconds: wholeNumberRule,
  path: { allowed: 'a path that starts with "/"', fits: (value) => typeof value === 'string' && value.startsWith('/') },
  domain: text,
  httpOnly: flag,
  secure: flag,
  sameSite: oneOf('lax', 'strict', 'none'),
  partitioned: flag,
  signed: flag,
}

/**
 * Reads a `Cookie` header, `a=1; b=2`. The first cookie of a name counts: browsers send the most specific path first (RFC 6265,
 * section 5.4). Values are percent-decoded if they are valid. Never throws.
 */
export function readCookies(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>()
  for (const [name, value] of Object.entries(parseCookie(header ?? ''))) {
    if (name !== '' && value !== undefined) cookies.set(name, value)
  }
  return cookies
}

/** Throws a TypeError that names the cookie: for names, values and options that a browser would not take. */
export function checkCookie({ name, value, options }: CookieToSet): void {
  const cookie = `cookie "${name}"`
  checkOptions<CookieOptions>(cookie, options, rules)
  if (typeof value !== 'string') throw new TypeError(`The value of ${cookie} is not a string`)
  if (!value.isWellFormed()) throw new TypeError(`The value of ${cookie} is not valid Unicode`)
  const { secure, path = '/', domain } = options
  const reason = whySecure(name, options)
  if (secure === false && reason !== null) {
    throw new TypeError(`Option "secure" of ${cookie} is false, but browsers refuse that with ${reason}`)
  }
  if (leavesHost(name, path, domain)) {
    throw new TypeError(`The ${cookie} must have the path "/" and no domain: browsers want it for the prefix __Host-`)
  }
}

/** The value as it is sent, and the `Set-Cookie` field. Throws what `checkCookie` throws, and an Error if there is no secret to sign with. */
export function writeCookie(
  cookie: CookieToSet,
  setting: CookieSetting,
): { readonly sent: string; readonly field: string } {
  checkCookie(cookie)
  const { name, options } = cookie
  const { maxAgeSeconds, path = '/', domain, httpOnly = true, sameSite = 'lax', partitioned = false } = options
  const value = options.signed === true ? signerFor(name, setting).sign(name, cookie.value) : cookie.value
  const secure = options.secure ?? (setting.isHttps || whySecure(name, options) !== null)
  const lifetime = maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }
  const place = domain === undefined ? { path } : { path, domain }
  const field = stringify({ name, value, ...place, ...lifetime, httpOnly, secure, sameSite, partitioned })
  const size = field.split(';', 1)[0]?.length ?? 0
  if (size > maxCookieBytes) {
    throw new TypeError(
      `Cookie "${name}" has ${size} bytes, and browsers keep at most ${maxCookieBytes}; keep the data in a store, and its key in the cookie`,
    )
  }
  return { sent: value, field }
}

/** The signer. Throws an Error that says where a secret is set. */
export function signerFor(name: string, { signer }: CookieSetting): CookieSigner {
  if (signer !== null) return signer
  throw new Error(
    `Cookie "${name}" cannot be signed: the application has no secret. Set APP_COOKIE_SECRETS, or the option cookieSecrets of createApp()`,
  )
}

/** Why browsers take the cookie with `Secure` only. */
function whySecure(name: string, { sameSite, partitioned }: CookieOptions): string | null {
  if (sameSite === 'none') return "sameSite: 'none'"
  if (partitioned === true) return 'partitioned: true'
  const prefix = securePrefix(name)
  return prefix === undefined ? null : `the prefix ${prefix}`
}

/** The beginning of a name for which browsers want `Secure`. They ignore its case. */
export function securePrefix(name: string): string | undefined {
  return /^__(?:Secure|Host)-/i.exec(name)?.[0]
}

/** Whether browsers drop a cookie, because its name says that it is of one host and all of it. */
export function leavesHost(name: string, path: string | undefined, domain: string | undefined): boolean {
  return /^__Host-/i.test(name) && (path !== '/' || domain !== undefined)
}

function stringify(cookie: Parameters<typeof stringifySetCookie>[0]): string {
  try {
    return stringifySetCookie(cookie)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new TypeError(`Cookie "${cookie.name}" cannot be sent: ${reason}`, { cause })
  }
}
