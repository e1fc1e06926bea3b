// A recorded request as a shell command that sends it again.

import type { RepeatableRequest } from '../replay/repeatable-request.ts'

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

/** For PowerShell 7: `Invoke-WebRequest -Uri '…' -Headers @{ … }`. */
export function powerShellCommand(request: SentRequest): string {
  const { method, url } = request
  const headers = headersOf(request)
  const body = bodyOf(request)
  const parts = [`Invoke-WebRequest -Uri ${quotePowerShell(url)}`]
  parts.push(`-CustomMethod ${quotePowerShell(method)}`)
  if (headers.length > 0) {
    // Names of a table are unlike whatever their letter case; the values of several fields are one list.
    const entries = [...joined(headers)].map(([name, value]) => `${quotePowerShell(name)} = ${quotePowerShell(value)}`)
    parts.push(`-Headers @{ ${entries.join('; ')} }`)
  }
  if (body !== null) parts.push(`-Body ${quotePowerShell(body)}`)
  parts.push('-SkipHeaderValidation -SkipHttpErrorCheck')
  return parts.join(' `\n  ')
}

function headersOf({ headers }: SentRequest): SentRequest['headers'] {
  return headers.filter(([name]) => !ownFields.test(name))
}

/** `null` if there is none, or where not all of it is known. */
function bodyOf({ body, missing }: SentRequest): string | null {
  return body.state === 'there' && missing.every(({ place }) => place !== 'body') ? body.text : null
}

/** In single quotes, where a POSIX shell takes everything but the quote itself for text. */
export function quotePosix(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** In single quotes, where PowerShell doubles a quote; it takes typographic single quotes for quotes as well. */
export function quotePowerShell(text: string): string {
  return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`
}

function joined(headers: SentRequest['headers']): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    const before = fields.get(key)
    fields.set(key, before === undefined ? value : `${before}, ${value}`)
  }
  return fields
}
