// Queries to databases and caches, without their values.

import type { Redactor } from '../../framework/redact/redactor.ts'
import { databaseData, type DatabaseData } from '../capture/database-data.ts'
import type { BuiltInCollector } from '../request-record.ts'
import { cutList } from './cut-list.ts'

/** Nothing if no query was sent. */
export function databaseCollector(redactor: Redactor): BuiltInCollector<DatabaseData> {
  return {
    name: 'database',
    collect: ({ parts }) => parts.queries && databaseData(parts.queries, redactor),
    summarize: ({ queries, dropped }) => ({ queryCount: queries.length + dropped }),
    // Groups and findings say more than single queries: they are cut last.
    cut: (data, maxBytes) => {
      const groups = cutList(data.groups, maxBytes / 2)
      const used = Buffer.byteLength(JSON.stringify(groups)) + Buffer.byteLength(JSON.stringify(data.findings))
      const known = data.queries.filter(({ group }) => group < groups.length)
      const queries = cutList(known, maxBytes - used, ({ error }) => error !== null)
      return {
        ...data,
        groups,
        queries,
        findings: data.findings.filter(({ group }) => group < groups.length),
        dropped: data.dropped + data.queries.length - queries.length,
      }
    },
  }
}
