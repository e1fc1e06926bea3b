// A recorded request as it can be sent again, also as a `curl` command, and what of it is missing because it was masked, cut or not captured.

import { multipart } from '../http/recording/body-rule.ts'
import { lackOf } from '../http/recording/captured-body.ts'
import { joinPath } from '../base/http/json.ts'
import { fieldValue } from '../base/http/header-fields.ts'
import { readPairs } from '../base/http/query.ts'
import { mask } from '../base/redact/rules.ts'
import type { Fields } from '../observe/collectors/request.ts'
import { browserMethod, runMethods, spansMethod, type Profile } from '../observe/profile.ts'
import { dataOf, type StoredBody, type StoredParts } from './stored-data.ts'
import { quotePosix } from '../base/markdown-text.ts'

/** A request to send, or why there is none. */
type Repeatable =
  | { readonly state: 'repeatable'; readonly request: RepeatableRequest }
  /** `problem` is one sentence. */
  | { readonly state: 'impossible'; readonly problem: string }

/** A recorded request. What is masked in it is named in `missing`. */
export interface RepeatableRequest {
  readonly method: string
  /** Full URL as recorded. */
  readonly url: string
  readonly scheme: 'http' | 'https'
  /** As recorded: `127.0.0.1:8000`. */
  readonly host: string
  /** Path and query as sent; masked values are `******`. */
  readonly target: string
  /** Without masked fields, and without those that every client makes itself: `Host`, `Connection`, `Content-Length`. */
  readonly headers: Fields
  readonly body: RepeatableBody
  readonly missing: readonly MissingValue[]
}

export type RepeatableBody =
  | { readonly state: 'none' }
  | {
      readonly state: 'there'
      readonly kind: 'json' | 'form' | 'text'
      /** Without parameters; empty where none was sent. */
      readonly mediaType: string
      /** JSON and forms are rebuilt from the recorded values; masked values are `******`. */
      readonly text: string
    }
  /** `reason` is one sentence. */
  | { readonly state: 'missing'; readonly reason: string }

/** A value that was masked or cut. */
export interface MissingValue {
  readonly place: 'header' | 'cookie' | 'query' | 'path' | 'body'
  /** The name of a header, cookie or parameter; the segment of a path; in a body `items[0].password`, or empty for all of it. */
  readonly name: string
  /** Whether it was cut or not captured; else it was masked. */
  readonly isCut: boolean
}

/** For people: `header authorization`, `body items[0].password`. */
export function missingText({ place, name }: Pick<MissingValue, 'place' | 'name'>): string {
  return name === '' ? `all of the ${place}` : `${place} ${name}`
}

/** Every client makes these itself, and a body is never sent encoded. The signed header of a recording is for one time. */
const ownFields =
  /^(?:host|connection|keep-alive|content-length|content-encoding|transfer-encoding|te|expect|x-debug-record)$/i
const notRequests: ReadonlySet<string> = new Set([...Object.values(runMethods), spansMethod, browserMethod])

const fieldName = /^[!#$%&'*+.^`|~\w-]+$/
const address = /^(https?):\/\/([^\s\p{Cc}/?#]+)([/?][^\s\p{Cc}#]*)$/u
const method = /^[A-Z][A-Z-]{0,30}$/

/** Reads a profile. Never throws: a profile from a file may hold anything. */
export function repeatableRequest(profile: Profile): Repeatable {
  if (notRequests.has(profile.method)) return impossible('This is not the profile of a request.')
  if (profile.parentToken !== null) {
    return impossible(`This is a sub-request: send its request again, ${profile.parentToken}.`)
  }
  const parts = address.exec(profile.url)
  if (!method.test(profile.method) || parts === null) {
    return impossible('The method or the URL cannot be sent as it was recorded.')
  }
  const [, scheme, authority = '', target = ''] = parts
  const recorded = dataOf(profile, 'request') ?? nothingRecorded
  const fields = recorded.headers.filter(([name]) => fieldName.test(name) && !ownFields.test(name))
  if (fieldValue(fields, 'upgrade') !== undefined) {
    return impossible('The request asks for another protocol, such as WebSocket; it cannot be sent again.')
  }
  const body = bodyOf(recorded.body)
  return {
    state: 'repeatable',
    request: {
      method: profile.method,
      url: profile.url,
      scheme: scheme === 'https' ? 'https' : 'http',
      host: fieldValue(recorded.headers, 'host') ?? authority,
      target,
      headers: fields.filter(([, value]) => !isMissing(value) && !/\p{Cc}/u.test(value)),
      body,
      missing: [
        ...fields.flatMap(([name, value]) => missingIn(name, value)),
        ...missingInTarget(target),
        ...(body.state === 'there' ? missingInBody(recorded.body?.content) : []),
      ],
    },
  }
}

const nothingRecorded: Pick<StoredParts['request'], 'headers' | 'body'> = { headers: [] }

function impossible(problem: string): Repeatable {
  return { state: 'impossible', problem }
}

/** The mark in place of a value that was cut, or was too deep to be kept. */
const cut =
  /… \[\d+ more characters\]$|^\[(?:\d+ more|left out|Object|Array|text of \d+ characters, too long to be read)\]$/

function isMissing(value: string): boolean {
  return isMasked(value) || cut.test(value)
}

/** Whether a value of a recorded request holds a mask. */
export function isMasked(value: string): boolean {
  return value.includes(mask)
}

function missingIn(name: string, value: string): readonly MissingValue[] {
  if (!isMissing(value)) return []
  const isCut = !isMasked(value)
  if (name.toLowerCase() !== 'cookie' || !value.includes('=')) return [{ place: 'header', name, isCut }]
  const cookies = value.split(';').map((cookie) => cookie.trim().split('=', 1)[0] ?? '')
  return cookies.map((cookie) => ({ place: 'cookie', name: cookie, isCut }))
}

/** Path and query of a request target; the query is empty if there is none. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const [path = '', ...query] = target.split('?')
  return { path, query: query.join('?') }
}

function missingInTarget(target: string): readonly MissingValue[] {
  const { path, query } = splitTarget(target)
  return [
    ...path
      .split('/')
      .filter(isMissing)
      .map((name) => ({ place: 'path', name, isCut: !isMasked(name) }) as const),
    ...readPairs(query)
      .filter(([name, value]) => isMissing(name) || isMissing(value))
      .map(([name, value]) => ({ place: 'query', name, isCut: !isMasked(name + value) }) as const),
  ]
}

function bodyOf(body: StoredBody | undefined): RepeatableBody {
  if (body === undefined || body.state === 'none') return { state: 'none' }
  const { state, mediaType, content, isComplete = true, readBytes, keptBytes = readBytes } = body
  const missing = (reason: string): RepeatableBody => ({ state: 'missing', reason })
  if (state !== 'kept' || content === null) return missing(`The body ${lackOf(state) ?? 'was not recorded.'}`)
  if (!isComplete || keptBytes !== readBytes) return missing('Only the beginning of the body was captured.')
  const text = mediaType === multipart ? undefined : textOf(content)
  if (text === undefined) return missing('The body cannot be written again: it is binary or in parts.')
  return { state: 'there', kind: text.kind, mediaType, text: text.text }
}

type TextContent = { readonly kind: 'json' | 'form' | 'text'; readonly text: string }

function textOf({ kind, value, fields, text }: NonNullable<StoredBody['content']>): TextContent | undefined {
  if (kind === 'json') return { kind, text: JSON.stringify(value) ?? 'null' }
  if (kind === 'form') return { kind, text: formText(fields ?? []) }
  // What is not UTF-8 was decoded with marks in place of letters.
  if (kind === 'text' && text !== undefined && !text.includes('\ufffd')) return { kind, text }
  return undefined
}

function formText(fields: Fields): string {
  const encoded = new URLSearchParams()
  for (const [name, value] of fields) encoded.append(name, value)
  return encoded.toString()
}

/** Places named at most. */
const maxPlaces = 100
/** Levels that are recorded are fewer; a file may hold any. */
const maxDepth = 20
/** Fields of a form that are recorded at most. */
const maxFields = 500

function missingInBody(content: StoredBody['content'] | undefined): readonly MissingValue[] {
  const found: MissingValue[] = []
  const note = (name: string, isCut: boolean): void => {
    if (found.length < maxPlaces) found.push({ place: 'body', name, isCut })
  }
  if (content?.kind === 'json') noteLeaves(content.value, '', note)
  else if (content?.kind === 'form') {
    const fields = content.fields ?? []
    for (const [name, value] of fields) {
      if (isMissing(name) || isMissing(value)) note(name, !isMasked(name + value))
    }
    if (fields.length >= maxFields) note('', true)
  } else {
    const text = content?.text ?? ''
    if (isMissing(text)) note('', cut.test(text))
  }
  return found
}

type Note = (name: string, isCut: boolean) => void

function noteLeaves(value: unknown, path: string, note: Note, depth = 0): void {
  if (depth > maxDepth) return note(path, true)
  if (typeof value === 'string' && isMissing(value)) return note(path, !isMasked(value))
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    const inner = joinPath(path, key, Array.isArray(value))
    if (isMissing(key)) note(inner, !isMasked(key))
    noteLeaves(member, inner, note, depth + 1)
  }
}

/** Curl makes the first itself, and only a browser may send the others. */
const notForCurl = /^(?:accept-encoding|sec-.*)$/i

/** For POSIX shells: `curl --path-as-is --globoff 'http://…' \`, a header field a line. Masked values are sent as they are shown. */
export function curlCommand({ method, url, headers, body, missing }: RepeatableRequest): string {
  const isCut = missing.some(({ place, name }) => place === 'body' && name === '')
  const text = body.state === 'there' && !isCut ? body.text : null
  // The path goes out as it was sent: no dots resolved, no brackets read as ranges.
  const parts = [`curl --path-as-is --globoff ${quotePosix(url)}`]
  if (method === 'HEAD') parts.push('--head')
  else if (method !== 'GET' || text !== null) parts.push(`--request ${quotePosix(method)}`)
  for (const [name, value] of headers) {
    // `name;` is how curl is told to send a field without a value.
    const field = value === '' ? `${name};` : `${name}: ${value}`
    if (!notForCurl.test(name)) parts.push(`--header ${quotePosix(field)}`)
  }
  if (text !== null) parts.push(`--data-raw ${quotePosix(text)}`)
  return parts.join(' \\\n  ')
}
