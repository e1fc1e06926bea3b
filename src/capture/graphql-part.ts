// The GraphQL operations of the request: documents masked, and how long their resolvers ran.

import { counted, formatCount, formatDuration } from '../base/html/components.ts'
import { type Blocks, type Card, type Line, empty, heading, note, table, text } from '../observe/blocks/blocks.ts'
import { keptNote, type DescribedPart } from '../observe/blocks/described-part.ts'
import type { Profile } from '../observe/profile.ts'
import { dataOf } from '../profiles/stored-data.ts'
import type { Redactor } from '../base/redact/redactor.ts'
import { cutList } from '../observe/profile-parts.ts'
import { graphqlName } from '../observe/recorded-route.ts'
import type { BuiltInCollector, RecordedGraphql, RecordedOperation } from '../observe/request-record.ts'

/** Nothing if no operation was sent. */
export function graphqlCollector(redactor: Redactor): BuiltInCollector<RecordedGraphql> {
  const maskValue = (name: string, value: string): string => {
    const { [name]: masked } = redactor.record({ [name]: value })
    return typeof masked === 'string' ? masked : ''
  }
  return {
    name: graphqlName,
    collect: ({ parts: { graphql } }) => {
      if (graphql === undefined) return undefined
      return {
        ...graphql,
        operations: graphql.operations.map((operation) => ({
          ...operation,
          document: operation.document === null ? null : redactor.text(graphqlText(operation.document, maskValue)),
        })),
        resolvers: graphql.resolvers.toSorted((one, other) => other.totalMs - one.totalMs),
      }
    },
    cut: (data, maxBytes) => {
      const operations = cutList(data.operations, maxBytes / 2, ({ errorCount }) => errorCount > 0)
      const resolvers = cutList(data.resolvers, maxBytes / 2)
      const left = data.resolvers.slice(resolvers.length).reduce((sum, { count }) => sum + count, 0)
      const place = (index: number): number | null => {
        const kept = data.operations[index] === undefined ? -1 : operations.indexOf(data.operations[index])
        return kept === -1 ? null : kept
      }
      return {
        operations,
        dropped: data.dropped + data.operations.length - operations.length,
        resolvers: resolvers.map((one) => Object.assign(one, { operation: place(one.operation ?? -1) })),
        droppedCalls: data.droppedCalls + left,
      }
    },
  }
}

const maxFindings = 10

export const graphqlPart: DescribedPart<RecordedGraphql> = {
  name: graphqlName,
  title: 'GraphQL',
  noun: 'operation',
  empty: 'No GraphQL operations. Captured with graphql 17 or newer; older versions need fanlight/register.',
  badge: ({ operations, dropped }) => {
    const failed = operations.filter(({ errorCount }) => errorCount > 0).length
    const hint = counted(operations.length + dropped, 'operation')
    if (failed > 0) return { count: failed, tone: 'error', hint: `${failed} with errors of ${hint}` }
    return { count: operations.length + dropped, tone: 'neutral', hint }
  },
  draw: (data, profile) => [
    keptNote(data.operations.length, data.dropped, 'operations'),
    ...resolverFindings(profile),
    ...data.operations.map((operation, index) => operationCard(operation, resolverMs(data, index))),
    heading('Resolvers'),
    ...resolverBlocks(data),
  ],
}

/** The time of all resolvers that an operation called, together; `null` if it called none. */
function resolverMs({ resolvers }: RecordedGraphql, index: number): number | null {
  const own = resolvers.filter(({ operation }) => operation === index)
  return own.length === 0 ? null : own.reduce((sum, { totalMs }) => sum + totalMs, 0)
}

/** Queries that a resolver sent again and again. */
function resolverFindings(profile: Profile): Blocks {
  return (dataOf(profile, 'database')?.findings ?? [])
    .filter(({ kind, field }) => kind === 'n+1' && field !== undefined)
    .slice(0, maxFindings)
    .map(({ field = '', count, totalMs }) =>
      note([
        { strong: 'N+1:' },
        'the resolver',
        { code: field },
        'sent',
        { profile: profile.token, panel: 'database', text: `one query ${formatCount(count)} times` },
        `with different values (${formatDuration(totalMs)} total). Gather the keys of all its calls, with`,
        { code: 'dataloader' },
        'for example, and load them with one query.',
      ]),
    )
}

function operationCard(operation: RecordedOperation, resolversMs: number | null): Card {
  const { kind, name, document, isCut, variables, errors, errorCount } = operation
  const more = errorCount - errors.length
  return {
    kind: 'card',
    head: [
      errorCount === 0 ? null : { mark: counted(errorCount, 'error'), tone: 'error' },
      { code: kind ?? 'operation' },
    ],
    name: name === null ? 'without a name' : { code: name },
    time: total(operation),
    facts: steps(operation, resolversMs),
    blocks: [
      ...[...Map.groupBy(errors, (message) => message)].map(([message, same]) => {
        const times = same.length === 1 ? null : { strong: `${same.length} ×` }
        return note([times, { recorded: message }], 'error')
      }),
      note(more > 0 && `${counted(more, 'more error')} not kept.`),
      document === null
        ? text('The text of the document is not known.')
        : { kind: 'source', title: 'Document', text: document, isCut, isOpen: true },
      variables && { kind: 'value', title: 'Variables', value: variables, isOpen: true },
    ],
  }
}

function total({ parseMs, validateMs, executeMs }: RecordedOperation): string {
  const known = [parseMs, validateMs, executeMs].filter((ms) => ms !== null)
  return known.length === 0 ? 'not ended' : formatDuration(known.reduce((sum, ms) => sum + ms, 0))
}

function steps(
  { startMs, parseMs, validateMs, executeMs }: RecordedOperation,
  resolversMs: number | null,
): readonly Line[] {
  const known = {
    'parsed in': parseMs,
    'validated in': validateMs,
    'executed in': executeMs,
    resolvers: resolversMs,
  }
  const said = Object.entries(known).map(([what, ms]) => (ms === null ? null : `${what} ${formatDuration(ms)}`))
  return [`+${formatDuration(startMs)}`, ...said]
}

function resolverBlocks({ operations, resolvers, droppedCalls }: RecordedGraphql): Blocks {
  if (resolvers.length === 0) {
    return [empty('No resolver ran, or each of them only read a property.')]
  }
  const hasSeveral = operations.length > 1
  const numbers = ['Calls', 'Total', 'Slowest', 'Failed'].map((number) => ({ number }))
  return [
    table(
      'Resolvers by total time',
      'field',
      ['Field', ...(hasSeveral ? ['Operation'] : []), ...numbers],
      resolvers.map(({ name, operation, count, totalMs, slowestMs, failed }) => [
        { code: name },
        ...(hasSeveral ? [operationName(operations, operation)] : []),
        formatCount(count),
        formatDuration(totalMs),
        formatDuration(slowestMs),
        failed === 0 ? null : { mark: formatCount(failed), tone: 'error' },
      ]),
    ),
    note(droppedCalls !== 0 && `${counted(droppedCalls, 'more call')} of other fields not kept.`),
  ]
}

/** With its number, for operations may share a name. */
function operationName(operations: RecordedGraphql['operations'], index: number | null | undefined): Line {
  const operation = operations[index ?? -1]
  return operation === undefined
    ? 'unknown'
    : { recorded: `${(index ?? 0) + 1}. ${operation.name ?? operation.kind ?? 'operation'}` }
}

const token =
  /"""[^]*?(?:"""|$)|"(?:[^"\\\n]|\\[^])*(?:"|(?=\n)|$)|#[^\n]*|\.\.\.|[A-Za-z_]\w*|-?\d[\w.+-]*|[\s,]+|[^]/g

/** Without comments. `maskValue` gives what is shown for a value that is written in it, by the name of its argument or field. */
export function graphqlText(source: string, maskValue: (name: string, value: string) => string): string {
  let name = ''
  let last = ''
  const masked = source.replaceAll(token, (text) => {
    if (text.startsWith('#')) return ''
    if (/^[\s,]/.test(text)) return text
    if (text === ':' && /^[A-Za-z_]/.test(last)) name = last
    last = text
    const isValue = text.startsWith('"') || /^-?\d/.test(text)
    return isValue ? shown(text, maskValue(name, valueOf(text))) : text
  })
  return masked.trim()
}

function valueOf(text: string): string {
  const quote = /^(?:"""|"|)/.exec(text)?.[0] ?? ''
  const isClosed = text.length >= 2 * quote.length && text.endsWith(quote)
  return text.slice(quote.length, isClosed ? text.length - quote.length : undefined)
}

function shown(text: string, value: string): string {
  return text.startsWith('"') ? JSON.stringify(value) : value
}
