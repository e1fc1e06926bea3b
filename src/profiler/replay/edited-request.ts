// A recorded request with what its sender changes: the message to send, or what is still missing.

import { nameOf } from '../../framework/redact/mask-text.ts'
import type { Fields } from '../collectors/request.ts'
import { isMasked, missingText, splitTarget, type MissingValue, type RepeatableRequest } from './repeatable-request.ts'

/** What is changed before a request is sent again. */
export interface ReplayEdits {
  /** Each replaces all fields of its name; an empty value leaves the field out. Default: none. */
  readonly headers?: Fields
  /** Each name replaces all parameters of its name; several of one name are sent in order. Default: none. */
  readonly query?: Fields
  /** Replaces the body. Default: the recorded one. */
  readonly body?: string | undefined
  /** Leave masked headers, cookies, parameters and fields of the body out. Default: no. */
  readonly withoutMasked?: boolean
}

/** A request as it is sent. */
export interface ReplayMessage extends Pick<RepeatableRequest, 'method' | 'scheme' | 'host' | 'target' | 'headers'> {
  readonly body: string | null
}

type EditedRequest =
  | { readonly state: 'ready'; readonly message: ReplayMessage }
  /** `problem` is for people. */
  | { readonly state: 'incomplete'; readonly problem: string; readonly missing: readonly MissingValue[] }
  | { readonly state: 'invalid'; readonly problem: string }

const wholeBody: MissingValue = { place: 'body', name: '', isCut: true }

/** A replay begins a trace; the trace of the recorded request has ended. */
const leftOut: ReadonlySet<string> = new Set(['traceparent', 'tracestate'])
const fixedFields: ReadonlySet<string> = new Set(['host', 'connection', 'content-length', 'transfer-encoding'])

/** Applies the edits. Never throws. */
export function editRequest(request: RepeatableRequest, edits: ReplayEdits): EditedRequest {
  const { headers = [], query = [], withoutMasked = false } = edits
  const wrong = headers.find((field) => fieldProblem(field) !== null)
  if (wrong !== undefined) return { state: 'invalid', problem: fieldProblem(wrong) ?? '' }
  const { body } = edits
  if (body !== undefined && isMasked(body) && request.body.state === 'there' && isMasked(request.body.text)) {
    return { state: 'invalid', problem: 'Body: some values are still masked. Replace every ******.' }
  }
  const missing = request.missing.filter(
    (value) => !isGiven(value, edits) && (value.isCut || value.place === 'path' || !withoutMasked),
  )
  const lacksBody = request.body.state === 'missing' && edits.body === undefined
  if (missing.length > 0 || lacksBody) {
    const problem = problemOf(request, missing, lacksBody)
    return { state: 'incomplete', problem, missing: lacksBody ? [...missing, wholeBody] : missing }
  }
  const replaced = new Set(headers.map(([name]) => name.toLowerCase()))
  const kept = request.headers.filter(([name]) => !replaced.has(name.toLowerCase()) && !leftOut.has(name.toLowerCase()))
  const { method, scheme, host } = request
  return {
    state: 'ready',
    message: {
      method,
      scheme,
      host,
      target: editedTarget(request.target, query, withoutMasked),
      headers: [...kept, ...headers.filter(([, value]) => value !== '')],
      body: edits.body ?? recordedBody(request, withoutMasked),
    },
  }
}

function fieldProblem([name, value]: readonly [string, string]): string | null {
  const shown = JSON.stringify(name.slice(0, 60))
  if (!/^[!#$%&'*+.^`|~\w-]+$/.test(name)) return `Header: ${shown} is not a name. Use letters, digits and dashes.`
  // eslint-disable-next-line no-control-regex
  if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value))
    return `Header: the value of ${shown} has a character that cannot be sent.`
  if (name.toLowerCase() === 'host') return 'Header: "Host" stays as it was recorded.'
  return fixedFields.has(name.toLowerCase()) ? `Header: ${shown} is made by the sender.` : null
}

function isGiven({ place, name }: MissingValue, { headers = [], query = [], body }: ReplayEdits): boolean {
  if (place === 'body') return body !== undefined
  if (place === 'query') return query.some(([given]) => given === name)
  const wanted = place === 'cookie' ? 'cookie' : name.toLowerCase()
  return place !== 'path' && headers.some(([given]) => given.toLowerCase() === wanted)
}

function problemOf({ body }: RepeatableRequest, missing: readonly MissingValue[], lacksBody: boolean): string {
  const names = (isCut: boolean): string =>
    missing
      .filter((value) => value.isCut === isCut)
      .map(missingText)
      .join(', ')
  return [
    ...(names(false) === ''
      ? []
      : [`Masked when recorded: ${names(false)}. Give new values, or leave out what is masked.`]),
    ...(names(true) === '' ? [] : [`Cut when recorded: ${names(true)}. Give new values.`]),
    ...(missing.some(({ place }) => place === 'path') ? ['A masked path cannot be replaced.'] : []),
    ...(lacksBody && body.state === 'missing' ? [`${body.reason} Give one.`] : []),
  ].join(' ')
}

function editedTarget(target: string, edits: Fields, withoutMasked: boolean): string {
  const { path, query: recorded } = splitTarget(target)
  const pairs = recorded === '' ? [] : recorded.split('&')
  const replaced = new Set(edits.map(([name]) => name))
  const kept = pairs.filter((pair) => !replaced.has(nameOf(pair)) && !(withoutMasked && isMasked(pair)))
  const given = edits.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  const query = [...kept, ...given].join('&')
  return `${path.startsWith('/') ? path : `/${path}`}${query === '' ? '' : `?${query}`}`
}

function recordedBody({ body }: RepeatableRequest, withoutMasked: boolean): string | null {
  if (body.state !== 'there') return null
  if (!withoutMasked || !isMasked(body.text)) return body.text
  if (body.kind === 'json') return JSON.stringify(JSON.parse(body.text, withoutMasks)) ?? 'null'
  if (body.kind === 'form')
    return body.text
      .split('&')
      .filter((pair) => !isMasked(pair))
      .join('&')
  return body.text
}

/** Removes the member of an object; in a list the place stays, with `null`. */
function withoutMasks(_name: string, value: unknown): unknown {
  return typeof value === 'string' && isMasked(value) ? undefined : value
}
