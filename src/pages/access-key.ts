// The key to the profiler: part of the address that is printed at the start. The first visit exchanges it for a cookie.

import { createHmac, randomBytes, type KeyObject } from 'node:crypto'
import type { Reply } from '../base/http/reply.ts'
import type { HttpRequest } from '../base/http/request.ts'
import { isSameSecret } from '../base/http/same-secret.ts'
import { profilerRedirect } from './profiler-reply.ts'

/** Query parameter that holds the key. Masked in logs and profiles by its name. */
const parameter = 'key'

const bearer = /^Bearer ([^\s]{1,4096})$/i

/** One key. What the cookie holds is derived from it, so the cookie does not reveal the key. */
export class AccessKey {
  /** Query of the address to print: `key=…`. A key of the user's own is named, not shown. */
  readonly printed: string
  readonly #proof: string

  /** Default: a new random key. `variable`: what a key of the user's own is called. */
  constructor(own?: KeyObject, variable = 'APP_PROFILER_KEY') {
    const key = own ?? randomBytes(24).toString('base64url')
    this.#proof = proofOf(key)
    this.printed = `${parameter}=${typeof key === 'string' ? key : `$${variable}`}`
  }

  /** By its cookie, or by the key itself in `Authorization: Bearer …`, for clients without cookies. */
  isHeldBy(request: HttpRequest): boolean {
    const sent = request.cookies.get(cookieName(request))
    if (sent !== undefined && isSameSecret(sent, this.#proof)) return true
    const given = bearer.exec(request.header('authorization') ?? '')?.[1]
    return given !== undefined && isSameSecret(proofOf(given), this.#proof)
  }

  /** Sets the cookie and redirects to the same address without the key; `null` for a request without the right key. */
  exchange(request: HttpRequest): Reply | null {
    const given = request.query.get(parameter)
    if (given === null || !isSameSecret(proofOf(given), this.#proof)) return null
    const query = new URLSearchParams(request.rawQuery)
    query.delete(parameter)
    const location = query.size === 0 ? request.path : `${request.path}?${query.toString()}`
    const secure = request.scheme === 'https' ? '; Secure' : ''
    const cookie = `${this.cookie(request)}; Path=/; HttpOnly; SameSite=Strict${secure}`
    return profilerRedirect(location, ['set-cookie', cookie])
  }

  /** Name and value of the cookie for a server on that port. */
  cookie(server: Pick<HttpRequest, 'port'>): string {
    return `${cookieName(server)}=${this.#proof}`
  }
}

/** Browsers send a cookie to every port of a host: so each port has its own name. */
function cookieName({ port }: Pick<HttpRequest, 'port'>): string {
  return `fanlight_profiler_${port}`
}

function proofOf(key: string | KeyObject): string {
  return createHmac('sha256', key).update('fanlight profiler').digest('base64url')
}
