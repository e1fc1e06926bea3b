// The GraphQL operations of the request: documents formatted and masked, resolvers by the time they ran.

import type { Redactor } from '../../framework/redact/redactor.ts'
import { graphqlText } from '../capture/graphql-text.ts'
import { cutList } from '../profile-parts.ts'
import type { BuiltInCollector, RecordedOperation, ResolverTimes } from '../request-record.ts'

/** An operation as its panel shows it, with its document formatted and masked. */
export type GraphqlOperation = RecordedOperation

export interface GraphqlData {
  readonly operations: readonly GraphqlOperation[]
  /** Operations that were not kept. */
  readonly dropped: number
  /** By the time they ran, longest first. Those that only read a property are left out. */
  readonly resolvers: readonly ResolverTimes[]
  /** Calls of resolvers of further fields. */
  readonly droppedCalls: number
}

/** Nothing if no operation was sent. */
export function graphqlCollector(redactor: Redactor): BuiltInCollector<GraphqlData> {
  const maskValue = (name: string, value: string): string => {
    const { [name]: masked } = redactor.record({ [name]: value })
    return typeof masked === 'string' ? masked : ''
  }
  return {
    name: 'graphql',
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
