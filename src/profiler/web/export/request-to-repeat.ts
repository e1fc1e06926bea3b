// What can be sent again of a recorded request: its method, address, and the header fields that were not masked and are the
// client's own choice.

import type { Profile } from '../../profile.ts'
import { mask } from '../../../framework/redact/rules.ts'

/** A request to repeat. */
export interface RequestToRepeat {
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
