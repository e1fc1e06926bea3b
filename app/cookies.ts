// How the shop sets its cookies: small, for this site only, out of reach of scripts.

import type { Exchange } from '../src/index.ts'

const yearSeconds = 365 * 24 * 60 * 60

/** A `Set-Cookie` line. An empty value takes the cookie away. `value` must be made of letters, digits, `.`, `~` and `-`. */
export function setCookie(exchange: Pick<Exchange<object>, 'request'>, name: string, value: string): string {
  const secure = exchange.request.scheme === 'https' ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${value === '' ? 0 : yearSeconds}; HttpOnly; SameSite=Lax${secure}`
}
