// The process that reads a copy of a database: the copy comes on standard input, rows leave as JSON. It may read its own file and nothing else.

import { once } from 'node:events'
import { constants, DatabaseSync } from 'node:sqlite'
import { buffer } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import type { readLimits } from '../../observe/outgoing/open-databases.ts'

const { SQLITE_OK, SQLITE_DENY, SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE } = constants
const allowed: ReadonlySet<number> = new Set([SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE])

function read(copy: Uint8Array, sql: string, { rows, columns: most, cell }: typeof readLimits): unknown {
  // A copy has no write-ahead log beside it: its header says so.
  copy.fill(1, 18, 20)
  const database = new DatabaseSync(':memory:')
  database.exec('PRAGMA temp_store = MEMORY')
  database.deserialize(copy)
  database.setAuthorizer((action) => (allowed.has(action) ? SQLITE_OK : SQLITE_DENY))
  // Time runs from here on.
  process.stdout.write('\n')
  const columns = database.prepare(sql).columns()
  if (columns.length > most) throw new Error(`it has more than ${most} columns`)
  const names = columns.map((_, at) => `c${at}`)
  const cut = names.map((one) => `iif(typeof(${one}) = 'blob', hex(substr(${one}, 1, 99)), substr(${one}, 1, ${cell}))`)
  const statement = database.prepare(
    `WITH fanlight (${names.join(', ')}) AS (${sql}\n) SELECT ${cut.join(', ')} FROM fanlight LIMIT ${rows}`,
  )
  statement.setReturnArrays(true)
  return {
    columns: columns.map(({ name }) => name),
    rows: statement.all().map((row) => Object.values(row).map((value) => (value === null ? null : String(value)))),
  }
}

const { sql, ...limits } = JSON.parse(process.env['FANLIGHT_READ'] ?? '') as typeof readLimits & { sql: string }
// SQLite does not limit its memory here: another thread looks at that of the process.
const tooMuch = `process.memoryUsage.rss() > ${limits.mb * 1024 * 1024}`
const watch = new Worker(`setInterval(() => ${tooMuch} && process.kill(process.pid, 'SIGKILL'), 10)`, { eval: true })
await once(watch, 'online')
const answer = await buffer(process.stdin)
  .then((copy) => read(copy, sql, limits))
  .catch((error: Error) => ({ problem: error.message }))
process.stdout.write(JSON.stringify(answer))
watch.unref()
