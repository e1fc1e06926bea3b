// How a pass is recognised in a request: read for each request while the lock has a link, so without what checks one.

import type { HttpRequest } from '../base/http/request.ts'

/** Query parameter of a link. Masked in logs and profiles by its name. */
export const passParameter = 'fanlight-pass'

/** Browsers send a cookie to every port of a host: the port follows. */
export const passCookiePrefix = 'fanlight_pass_'

/** Whether a request brings the pass of a link or of its cookie, good or not. */
export function bringsPass(request: HttpRequest): boolean {
  return bringsLink(request) || request.header('cookie')?.includes(passCookiePrefix) === true
}

export function bringsLink({ method, rawQuery }: HttpRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && rawQuery.includes(`${passParameter}=`)
}
