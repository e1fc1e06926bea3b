// Node's HTTP module, and what it says of status codes. An import of its values would read all of them, and one loads undici:
// 35 ms of every start.

import type Http from 'node:http'

export const http: typeof Http = process.getBuiltinModule('node:http')

/** The statuses that redirect (RFC 9110, section 15.4), without 300 and 304. */
export const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308]

/** `Not Found` for 404. A code without a registered phrase gets the name of its class: `Client Error` for 499; others `Unknown Status`. */
export function statusText(code: number): string {
  return http.STATUS_CODES[code] ?? classes[Math.floor(code / 100)] ?? unknown
}

const unknown = 'Unknown Status'
const classes = [unknown, 'Informational', 'Success', 'Redirection', 'Client Error', 'Server Error']
