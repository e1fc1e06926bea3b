// The statements that the request sent to databases and caches, without their values.

import type { DatabaseData, Statements } from '../capture/statements.ts'
import type { RecordCollector } from '../request-record.ts'
import { cutList } from './cut-list.ts'

/** Reads the statements that were captured under `database`; nothing where none was sent. */
export const databaseCollector: RecordCollector<DatabaseData> = {
  name: 'database',
  reads: ['database'],
  // Only the capture keeps something under this name.
  collect: ({ recording }) => (recording?.kept('database') as Statements | undefined)?.toData(),
  summarize: ({ statements, dropped }) => ({ queryCount: statements.length + dropped }),
  // Groups and findings stay whole where they fit: they say more than the single statements.
  cut: (data, maxBytes) => {
    const groups = cutList(data.groups, maxBytes / 2)
    const left = maxBytes - Buffer.byteLength(JSON.stringify(groups)) - Buffer.byteLength(JSON.stringify(data.findings))
    const known = data.statements.filter(({ group }) => group < groups.length)
    const statements = cutList(known, left, ({ error }) => error !== null)
    return {
      ...data,
      groups,
      statements,
      findings: data.findings.filter(({ group }) => group < groups.length),
      dropped: data.dropped + data.statements.length - statements.length,
    }
  },
}
