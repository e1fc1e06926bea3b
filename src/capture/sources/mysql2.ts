// Statements to MySQL and MariaDB, as `mysql2` (from 3.20) publishes them.

import { markCallSite } from '../call-site.ts'
import { sqlText } from '../statement-text.ts'
import { valueKey } from '../value-key.ts'
import { sqlRows } from './sql-rows.ts'
import type { TracingSourceParts } from './tracing-source.ts'

/** `query()` writes values into the text before it sends it, `execute()` sends them apart. */
export const mysql2Source: TracingSourceParts = {
  channels: ['mysql2:query', 'mysql2:execute'],
  start: (message) => {
    const sql = String(message['query'])
    const database = message['database']
    return {
      system: 'mysql',
      library: 'mysql2',
      text: sqlText(sql, 'mysql'),
      namespace: typeof database === 'string' && database !== '' ? database : null,
      key: valueKey([sql, message['values']]),
      site: markCallSite(24),
    }
  },
  rowsOf: sqlRows,
}
