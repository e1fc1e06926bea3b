// A replay as the fields of a form: what the page and the command line send, and what the application reads.

import type { QueryFields } from '../../base/http/query.ts'
import { didYouMean } from '../../base/options/nearest-name.ts'
import type { Fields } from '../../observe/collectors/request.ts'
import type { ReplayOrder, ReplayRefusal } from './replay.ts'

/** A ticket of a form counts as a yes. */
export interface ReplayFields extends Omit<ReplayOrder, 'token' | 'isConfirmed'> {
  /** The body as it is in a text area, whose line ends are the browser's. */
  readonly text?: string
  readonly confirm?: string
}

/** Names with one value. Others begin with `header:` or `query:`. */
const names = ['body', 'text', 'values', 'withoutMasked', 'confirm', 'headers'] as const

/** What the fields say. Throws a RangeError with a sentence for what cannot be used. */
export function readReplayFields(fields: QueryFields): ReplayFields {
  const valueOf = (name: (typeof names)[number]): string | undefined => fields.get(name)?.[0]
  for (const name of fields.keys()) {
    if (names.some((known) => known === name) || /^(?:header|query):/.test(name)) continue
    const meant = didYouMean(name, names)
    throw new RangeError(
      `Unknown field ${JSON.stringify(name.slice(0, 60))}.${meant} Known: ${names.join(', ')}, header:<name>, query:<name>.`,
    )
  }
  const { body, text, confirm } = { body: valueOf('body'), text: valueOf('text'), confirm: valueOf('confirm') }
  return {
    headers: [...fieldsOf(fields, 'header:'), ...linesOf(valueOf('headers') ?? '')],
    query: fieldsOf(fields, 'query:'),
    values: valueOf('values') === '1',
    withoutMasked: valueOf('withoutMasked') === '1',
    ...(body === undefined ? {} : { body }),
    ...(text === undefined ? {} : { text: text.replaceAll('\r\n', '\n') }),
    ...(confirm === undefined ? {} : { confirm }),
  }
}

/** The same fields, to send. */
export function writeReplayFields({
  headers,
  query,
  body,
  withoutMasked,
  values,
  confirm,
}: ReplayFields): URLSearchParams {
  const fields = new URLSearchParams()
  for (const [name, value] of headers ?? []) fields.append(`header:${name}`, value)
  for (const [name, value] of query ?? []) fields.append(`query:${name}`, value)
  if (body !== undefined) fields.set('body', body)
  if (values === true) fields.set('values', '1')
  if (withoutMasked === true) fields.set('withoutMasked', '1')
  if (confirm !== undefined) fields.set('confirm', confirm)
  return fields
}

/** What helps where nothing was sent: to give fields, to leave out what is masked, to say yes. */
export type ReplayHelp = 'headers' | 'query' | 'body' | 'withoutMasked' | 'confirm'

export function helpWith({ reason, missing }: ReplayRefusal): readonly ReplayHelp[] {
  const places = new Set(missing.map(({ place }) => (place === 'header' || place === 'cookie' ? 'headers' : place)))
  const given = (['headers', 'query', 'body'] as const).filter((name) => places.has(name))
  return [
    ...given,
    ...(missing.some(({ isCut }) => !isCut) ? (['withoutMasked'] as const) : []),
    ...(reason === 'unconfirmed' ? (['confirm'] as const) : []),
  ]
}

/** `Accept: text/html`, a field a line. Throws a RangeError that shows a line without a colon. */
export function linesOf(text: string): Fields {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  return lines.map((line) => {
    const field = fieldOf(line)
    if (field !== undefined) return field
    throw new RangeError(`Header: ${JSON.stringify(line.slice(0, 60))} is not valid. Use a name, a colon and a value.`)
  })
}

/** `Accept: text/html`; `undefined` for a text without a name. */
export function fieldOf(text: string): readonly [string, string] | undefined {
  const colon = text.indexOf(':')
  return colon > 0 ? [text.slice(0, colon).trim(), text.slice(colon + 1).trim()] : undefined
}

/** `page=2`; `undefined` for a text without a name. */
export function parameterOf(text: string): readonly [string, string] | undefined {
  const equals = text.indexOf('=')
  return equals > 0 ? [text.slice(0, equals), text.slice(equals + 1)] : undefined
}

function fieldsOf(fields: QueryFields, prefix: string): Fields {
  return [...fields]
    .filter(([name]) => name.startsWith(prefix))
    .flatMap(([name, values]) => values.map((value) => [name.slice(prefix.length), value] as const))
}
