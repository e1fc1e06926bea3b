// A recorded request as a `curl` command that sends it again.

import { quotePosix } from '../../base/quote-posix.ts'
import type { RepeatableRequest } from '../repeatable-request.ts'

type SentRequest = Pick<RepeatableRequest, 'method' | 'url' | 'headers' | 'body' | 'missing'>

/** Every client makes these itself, or only a browser may send them. */
const ownFields = /^(?:accept-encoding|sec-.*)$/i

/** For POSIX shells: `curl --path-as-is --globoff 'http://…' \`, a header field a line. */
export function curlCommand(request: SentRequest): string {
  const { method, url } = request
  const body = bodyOf(request)
  // The path goes out as it was sent: no dots resolved, no brackets read as ranges.
  const parts = [`curl --path-as-is --globoff ${quotePosix(url)}`]
  if (method === 'HEAD') parts.push('--head')
  else if (method !== 'GET' || body !== null) parts.push(`--request ${quotePosix(method)}`)
  // `name;` is how curl is told to send a field without a value.
  for (const [name, value] of headersOf(request))
    parts.push(`--header ${quotePosix(value === '' ? `${name};` : `${name}: ${value}`)}`)
  if (body !== null) parts.push(`--data-raw ${quotePosix(body)}`)
  return parts.join(' \\\n  ')
}

function headersOf({ headers }: SentRequest): SentRequest['headers'] {
  return headers.filter(([name]) => !ownFields.test(name))
}

/** `null` if there is none, or where it was cut. Masked values are sent as they are shown. */
function bodyOf({ body, missing }: SentRequest): string | null {
  return body.state === 'there' && missing.every(({ place, name }) => place !== 'body' || name !== '')
    ? body.text
    : null
}
