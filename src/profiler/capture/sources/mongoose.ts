// Operations on MongoDB, as `mongoose` (from 9.7) publishes them.

import { deepStackFrames } from '../begin-statement.ts'
import { mongoText } from '../command-text.ts'
import { valueKey } from '../value-key.ts'
import type { TracingSourceParts } from './tracing-source.ts'

/** Queries, aggregations, saves, inserts and bulk writes; cursors are not heard of. */
export const mongooseSource: TracingSourceParts = {
  channels: [
    'mongoose:query',
    'mongoose:aggregate',
    'mongoose:model:save',
    'mongoose:model:insertMany',
    'mongoose:model:bulkWrite',
  ],
  start: (message) => {
    const args = message['args']
    const { database } = message
    const operation = String(message['operation'])
    return {
      system: 'mongodb',
      library: 'mongoose',
      text: mongoText(operation, String(message['collection']), questionOf(args)),
      namespace: typeof database === 'string' ? database : null,
      key: valueKey([operation, message['collection'], questionOf(args)]),
      site: deepStackFrames,
    }
  },
  rowsOf: (result) => {
    if (result === null) return 0
    return Array.isArray(result) ? result.length : null
  },
}

function questionOf(args: unknown): unknown {
  if (typeof args !== 'object' || args === null) return undefined
  return Reflect.get(args, 'filter') ?? Reflect.get(args, 'pipeline')
}
