// A recorded request as a shell command that sends it again.

import type { Profile } from '../profile.ts'
import { mask } from '../../framework/redact/rules.ts'

interface RequestToRepeat {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Names of what had to be left out because its value was masked. */
  readonly omitted: readonly string[]
}

/** Fields that every client makes itself, and those that only a browser may. */
const ownFields = /^(?:host|connection|content-length|accept-encoding|te|upgrade|transfer-encoding|cookie|sec-.*)$/i
const fieldName = /^[!#$%&'*+.^`|~\w-]+$/
const address = /^https?:\/\/[^\s\p{Cc}]+$/u
const method = /^[A-Z][A-Z-]{0,30}$/

/** `null` where the profile does not say enough: no request was recorded, or its parts cannot stand in a command. */
export function requestToRepeat(profile: Pick<Profile, 'method' | 'url' | 'data'>): RequestToRepeat | null {
  if (!method.test(profile.method) || !address.test(profile.url)) return null
  const fields = fieldsOf(profile.data['request']).filter(([name]) => fieldName.test(name))
  const headers = fields.filter(([name, value]) => !ownFields.test(name) && isSendable(value))
  const omitted = fields.filter(([, value]) => value.includes(mask)).map(([name]) => name)
  return { method: profile.method, url: profile.url, headers, omitted }
}

function isSendable(value: string): boolean {
  return !value.includes(mask) && !/\p{Cc}/u.test(value)
}

/** Header fields of the request collector's data, as far as they have its form: an imported profile may hold anything. */
function fieldsOf(data: unknown): readonly (readonly [string, string])[] {
  const { headers } = (data ?? {}) as { readonly headers?: unknown }
  if (!Array.isArray(headers)) return []
  return headers.filter(
    (field: unknown): field is [string, string] =>
      Array.isArray(field) && typeof field[0] === 'string' && typeof field[1] === 'string',
  )
}

/** For POSIX shells: `curl --path-as-is --globoff 'http://…' \`, a header field a line. */
export function curlCommand({ method, url, headers }: RequestToRepeat): string {
  // The path goes out as it was sent: no dots resolved, no brackets read as ranges.
  const parts = [`curl --path-as-is --globoff ${quotePosix(url)}`]
  if (method === 'HEAD') parts.push('--head')
  else if (method !== 'GET') parts.push(`--request ${quotePosix(method)}`)
  // `name;` is how curl is told to send a field without a value.
  for (const [name, value] of headers)
    parts.push(`--header ${quotePosix(value === '' ? `${name};` : `${name}: ${value}`)}`)
  return parts.join(' \\\n  ')
}

/** For PowerShell 7: `Invoke-WebRequest -Uri '…' -Headers @{ … }`. */
export function powerShellCommand({ method, url, headers }: RequestToRepeat): string {
  const parts = [`Invoke-WebRequest -Uri ${quotePowerShell(url)}`]
  parts.push(`-CustomMethod ${quotePowerShell(method)}`)
  if (headers.length > 0) {
    // Names of a table are unlike whatever their letter case; the values of several fields are one list.
    const entries = [...joined(headers)].map(([name, value]) => `${quotePowerShell(name)} = ${quotePowerShell(value)}`)
    parts.push(`-Headers @{ ${entries.join('; ')} }`)
  }
  parts.push('-SkipHeaderValidation -SkipHttpErrorCheck')
  return parts.join(' `\n  ')
}

/** In single quotes, where a POSIX shell takes everything but the quote itself for text. */
export function quotePosix(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** In single quotes, where PowerShell doubles a quote; it takes typographic single quotes for quotes as well. */
export function quotePowerShell(text: string): string {
  return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`
}

function joined(headers: RequestToRepeat['headers']): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    const before = fields.get(key)
    fields.set(key, before === undefined ? value : `${before}, ${value}`)
  }
  return fields
}
