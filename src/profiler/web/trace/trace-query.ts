// What the address of the trace page says: the trace, the span to look at, and the first row.

import type { QueryFields } from '../../../framework/http/query.ts'
import { tokenPattern } from '../../profile.ts'
import { quoted, readValues, unknownNames } from '../query-values.ts'

export interface TraceQuery {
  /** A trace ID in lower case, or the token of a profile; empty where none was named. */
  readonly id: string
  /** Only this span and what is inside it; `null` for the whole trace. */
  readonly span: string | null
  /** The first row, counted from 1. */
  readonly from: number
  /** What cannot be used, one sentence each. */
  readonly problems: readonly string[]
  readonly ignored: readonly string[]
}

const labels = { id: 'Trace', span: 'Span', from: 'First row' } as const

export function readTraceQuery(query: QueryFields): TraceQuery {
  const problems: string[] = []
  const values = readValues(query, labels, problems)
  const { misspelt, foreign } = unknownNames(query, Object.keys(labels))
  problems.push(...misspelt)
  const [id = '', span = '', from = ''] = ['id', 'span', 'from'].map((name) =>
    (values.get(name as keyof typeof labels) ?? '').toLowerCase(),
  )
  if (id !== '' && !isTraceId(id) && !tokenPattern.test(id)) {
    problems.push(`Trace: ${quoted(id)} is not a trace ID. Use 32 hex digits, or the token of a profile.`)
  }
  if (span !== '' && !/^[0-9a-f]{16}$/.test(span))
    problems.push(`Span: ${quoted(span)} is not a span ID. Use 16 hex digits.`)
  if (from !== '' && !/^[1-9]\d{0,5}$/.test(from)) {
    problems.push(`First row: ${quoted(from)} is not a number. Use 1 or more.`)
  }
  return { id, span: span === '' ? null : span, from: Number(from) || 1, problems, ignored: foreign }
}

export function isTraceId(id: string): boolean {
  return /^[0-9a-f]{32}$/.test(id)
}
