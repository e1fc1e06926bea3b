// Asks PostgreSQL for the plan of a query without its values: on a separate connection from the pool, in a read-only transaction that
// is rolled back, and never with ANALYZE, so the query is not run.

import type { Explain } from '../query-plans.ts'

interface ExplainingClient {
  query(config: object): Promise<unknown>
  release(failed?: boolean): void
}

const timeoutMs = 2000

/** `connect` is the pool's own, which is not observed. */
export function pgExplain(pool: WeakRef<object>, connect: (...args: never[]) => unknown): Explain {
  return async (text) => {
    const open = pool.deref()
    if (open === undefined) throw new Error('the pool is closed')
    const client: unknown = await Reflect.apply(connect, open, [])
    if (!canExplain(client)) throw new Error('the pool gave no connection')
    // The extended protocol takes one statement only, whatever the text holds.
    const ask = async (sql: string): Promise<unknown> =>
      client.query({ text: sql, queryMode: 'extended', rowMode: 'array' })
    let isSound = false
    try {
      const { prepared, parameters } = withParameters(text)
      await ask('BEGIN READ ONLY')
      await ask(`SET LOCAL statement_timeout = ${timeoutMs}`)
      await ask('SET LOCAL plan_cache_mode = force_generic_plan')
      await ask(`PREPARE fanlight_explain AS ${prepared}`)
      const values = parameters === 0 ? '' : `(${Array.from({ length: parameters }, () => 'NULL').join(', ')})`
      const rows = rowsOf(await ask(`EXPLAIN EXECUTE fanlight_explain${values}`))
      await ask('DEALLOCATE fanlight_explain')
      await ask('ROLLBACK')
      isSound = true
      return rows
    } finally {
      // A connection whose transaction may still be open is not given back.
      client.release(!isSound)
    }
  }
}

/** Literals that were taken out become parameters after those that are there. */
function withParameters(text: string): { readonly prepared: string; readonly parameters: number } {
  let parameters = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  const prepared = text.replace(/"(?:[^"]|"")*"|\?/g, (part) => (part === '?' ? `$${++parameters}` : part))
  return { prepared, parameters }
}

function rowsOf(result: unknown): readonly string[] {
  const rows: unknown = typeof result === 'object' && result !== null ? Reflect.get(result, 'rows') : undefined
  return Array.isArray(rows) ? rows.map((row: unknown) => (Array.isArray(row) ? String(row[0]) : '')) : []
}

function canExplain(client: unknown): client is ExplainingClient {
  return typeof client === 'object' && client !== null && 'query' in client && 'release' in client
}
