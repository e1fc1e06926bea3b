// The queries of the driver `postgres`.

import { beginQuery, deepStackFrames } from '../../capture/begin-query.ts'
import type { RunningQuery } from '../../observe/outgoing/queries.ts'
import { sqlText, valueKey } from '../../observe/outgoing/query-text.ts'
import { sqlUse } from '../../observe/outgoing/shared-values.ts'
import { sqlRows } from '../../observe/tracing-source.ts'
import { membersOf } from '../../base/members.ts'

interface Query {
  readonly strings: readonly string[]
  readonly args: readonly unknown[]
  readonly executed: boolean
  /** What sends it: one for each pool, transaction or reserved connection. */
  readonly handler: object
  /** The stack where a template was first sent from; empty for `unsafe`. */
  readonly origin?: unknown
  readonly cursorFn?: unknown
  readonly forEachFn?: unknown
  resolve: (result: unknown) => unknown
  reject: (reason: unknown) => unknown
}

/** The driver tells the query how it ended; nobody else has to wait for it, so a failure that nobody handles stays one. */
export function observePostgresQuery(sent: object): void {
  const query = sent as Query
  const running = beginQuery(() => {
    const parts = textOf(query)
    return {
      system: 'postgresql',
      library: 'postgres',
      text: sqlText(parts.text, 'postgresql'),
      key: valueKey([parts.text, parts.values]),
      use: () => sqlUse(query.handler, parts.text, parts.values),
      site: siteOf(query),
      isMoment: query.cursorFn !== undefined || query.forEachFn !== undefined,
    }
  })
  if (running !== undefined) follow(query, running)
}

function follow(query: Query, running: RunningQuery): void {
  const { resolve, reject } = query
  query.resolve = (result) => {
    running.end(rowsOf(result))
    return resolve(result)
  }
  query.reject = (reason) => {
    running.fail(reason)
    return reject(reason)
  }
}

/** Of several queries in one text, nothing is known. */
function rowsOf(result: unknown): number | null {
  if (Array.isArray(result) && Array.isArray(result[0])) return null
  const count: unknown = Reflect.get(Object(result), 'count')
  return typeof count === 'number' ? count : sqlRows(result)
}

function siteOf({ origin }: Query): Error | number {
  if (typeof origin !== 'string' || origin === '') return deepStackFrames
  const site = new Error('sent here')
  site.stack = origin
  return site
}

/** Nested pieces at most. */
const maxDepth = 20

/** The text as written, with the pieces that are put into it, and `?` for values. */
function textOf({ strings, args }: Query, depth = 0): { readonly text: string; readonly values: readonly unknown[] } {
  const values: unknown[] = []
  let text = strings[0] ?? ''
  for (const [index, arg] of args.entries()) {
    if (strings.length === 1) values.push(arg)
    else
      text +=
        (depth < maxDepth && isPiece(arg) ? putIn(arg, depth, values) : putValue(arg, values)) +
        (strings[index + 1] ?? '')
  }
  return { text, values }
}

function putIn(piece: Query, depth: number, values: unknown[]): string {
  const inner = textOf(piece, depth + 1)
  values.push(...inner.values)
  return inner.text
}

/** A name of a table or column is part of the text. */
function putValue(value: unknown, values: unknown[]): string {
  const { constructor, value: inner } = membersOf(value)
  if (membersOf(constructor).name === 'Identifier' && typeof inner === 'string') return inner
  values.push(value)
  return '?'
}

function isPiece(value: unknown): value is Query {
  return (
    typeof value === 'object' && value !== null && 'strings' in value && 'args' in value && Array.isArray(value.strings)
  )
}
