// The links of a lock and the cookies that they set: signed with the key of the lock, so both are void with it.

import { createHmac } from 'node:crypto'
import { redirect, type Reply } from '../base/http/reply.ts'
import type { HttpRequest } from '../base/http/request.ts'
import { isSameSecret } from '../base/http/same-secret.ts'
import type { LockLink } from '../profiles/lock.ts'
import { passCookiePrefix, passParameter } from './pass-names.ts'

/** The address of a link, on the application: `/?fanlight-pass=…`. */
export function linkAddress(link: LockLink): string {
  return `/?${passParameter}=${proofOf(link, 'link')}`
}

/** For the right link: sets the cookie and redirects to the same address without the pass. */
export function exchangePass(request: HttpRequest, link: LockLink, nowMs: number): Reply | undefined {
  const given = request.query.get(passParameter)
  const leftSeconds = Math.floor((Date.parse(link.expiresAt) - nowMs) / 1000)
  if (given === null || leftSeconds <= 0 || !isSameSecret(given, proofOf(link, 'link'))) return undefined
  const query = new URLSearchParams(request.rawQuery)
  query.delete(passParameter)
  // Two slashes at the start would lead to another host.
  const path = request.path.replace(/^[/\\]+/, '/')
  const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
  const reply = redirect(query.size === 0 ? path : `${path}?${query.toString()}`, { status: 303, headers })
  return reply.cookie(`${passCookiePrefix}${request.port}`, proofOf(link, 'cookie'), { maxAgeSeconds: leftSeconds })
}

export function holdsPass(request: HttpRequest, link: LockLink, nowMs: number): boolean {
  const sent = request.cookies.get(`${passCookiePrefix}${request.port}`)
  if (sent === undefined || Date.parse(link.expiresAt) <= nowMs) return false
  return isSameSecret(sent, proofOf(link, 'cookie'))
}

/** What a cookie holds makes no link, and the other way round. */
function proofOf({ key, expiresAt }: LockLink, use: 'link' | 'cookie'): string {
  return createHmac('sha256', Buffer.from(key, 'base64url')).update(`fanlight ${use} ${expiresAt}`).digest('base64url')
}
