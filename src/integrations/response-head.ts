// The head of a response as it is about to leave: what was set on the response, and what `writeHead()` is given.

import type { ClientRequest, OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http'

/** Name and value by turns; values as they were given. */
export type HeadFields = (string | OutgoingHttpHeader)[]

export interface ResponseHead {
  readonly status: number
  /** Default: the phrase of the status. */
  readonly message: string | undefined
  readonly fields: HeadFields
  /** Names in lower case that are set on the response and not given to `writeHead()`. */
  readonly set: ReadonlySet<string>
  /** Whether it is given a list. */
  readonly isList: boolean
}

/** The arguments of `writeHead()`. */
export type HeadArguments = readonly [status: number, ...more: unknown[]]

/** Reads a head without changing it. `null` for arguments that Node itself has to judge. */
export function readHead(response: ServerResponse, [status, ...more]: HeadArguments): ResponseHead | null {
  const [first, second] = more
  const message = typeof first === 'string' ? first : undefined
  const given = typeof first === 'string' ? second : (second ?? first)
  const fields = fieldsOf(given)
  if (fields === null || !Number.isInteger(status)) return null
  const phrase = message ?? (response.statusMessage || undefined)
  return { status, message: phrase, ...merge(response, fields), isList: Array.isArray(given) }
}

/**
 * What `writeHead()` is to be given for these fields to leave, without what is set as it is to leave: Node would set it again, and an application
 * may have put a function of its own in the place of `setHeader()`.
 */
export function fieldsToGive(
  response: ServerResponse,
  { set, isList }: ResponseHead,
  fields: HeadFields,
): HeadFields | OutgoingHttpHeaders {
  const values = new Map<string, { readonly name: string; value: OutgoingHttpHeader }>()
  for (let index = 0; index < fields.length; index += 2) {
    const name = String(fields[index])
    const value = fields[index + 1] as OutgoingHttpHeader
    const known = values.get(name.toLowerCase())
    if (known === undefined) values.set(name.toLowerCase(), { name, value })
    else known.value = [known.value, value].flat().map(String)
  }
  for (const name of set) {
    const known = values.get(name)
    if (known !== undefined && String(response.getHeader(name)) === String(known.value)) values.delete(name)
  }
  if (isList) return fields.filter((_, index) => values.has(String(fields[index - (index % 2)]).toLowerCase()))
  const record: Record<string, OutgoingHttpHeader> = Object.create(null)
  for (const { name, value } of values.values()) record[name] = value
  return record
}

function fieldsOf(given: unknown): HeadFields | null {
  if (given === undefined || given === null) return []
  if (typeof given !== 'object') return null
  if (!Array.isArray(given)) {
    return Object.entries(given as OutgoingHttpHeaders).flatMap(([name, value]) => split(name, value))
  }
  const list: readonly unknown[] = given
  const flat = Array.isArray(list[0]) ? list.flat(1) : list
  if (flat.length % 2 !== 0) return null
  const fields: HeadFields = []
  for (let index = 0; index < flat.length; index += 2) {
    fields.push(...split(String(flat[index]), flat[index + 1] as OutgoingHttpHeader | undefined))
  }
  return fields
}

/** A field with several values is several fields. A value that is missing stays, for Node to refuse. */
function split(name: string, value: OutgoingHttpHeader | undefined): HeadFields {
  return Array.isArray(value) ? value.flatMap((one) => [name, one]) : [name, value as OutgoingHttpHeader]
}

/** Every outgoing message has it; the types know it of requests only. */
type RawNames = ServerResponse & Pick<ClientRequest, 'getRawHeaderNames'>

/** What `writeHead()` is given takes the place of what was set under the same names. */
function merge(response: ServerResponse, given: HeadFields): Pick<ResponseHead, 'fields' | 'set'> {
  const names = new Set<string>()
  for (let index = 0; index < given.length; index += 2) names.add(String(given[index]).toLowerCase())
  const fields: HeadFields = []
  const set = new Set<string>()
  for (const name of (response as RawNames).getRawHeaderNames()) {
    if (names.has(name.toLowerCase())) continue
    set.add(name.toLowerCase())
    fields.push(...split(name, response.getHeader(name)))
  }
  fields.push(...given)
  return { fields, set }
}
