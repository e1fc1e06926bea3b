// What the library answers with where no route takes a request, for a bare server that sends the very same bytes: so much of a
// row without a route is the page, not the way to it.

import { negotiatedHeaders } from '../../../src/errors/problem.ts'
import { statusText } from '../../../src/base/http/node-http.ts'
import { renderPublicErrorPage, quietPagePolicy } from '../../../src/errors/page/quiet-page.ts'

/** Header fields as `writeHead()` takes them, and the body. */
export interface ErrorPage {
  readonly fields: Readonly<Record<string, string | number>>
  readonly body: string
}

/** The page of a status, made once; `further` are fields such as `Allow`. */
export function errorPage(statusCode: number, further: Readonly<Record<string, string>> = {}): ErrorPage {
  const facts = { statusCode, statusText: statusText(statusCode), reference: 'xrieiboyj03v' }
  const body = String(renderPublicErrorPage(facts))
  const fields: Record<string, string | number> = { 'content-type': 'text/html; charset=utf-8' }
  for (let index = 0; index < negotiatedHeaders.length; index += 2) {
    fields[negotiatedHeaders[index] ?? ''] = negotiatedHeaders[index + 1] ?? ''
  }
  fields['content-security-policy'] = quietPagePolicy
  return { fields: { ...fields, ...further, 'content-length': Buffer.byteLength(body) }, body }
}
