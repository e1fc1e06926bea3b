// How many rows a result of an SQL library has: read, or changed.

/** Length of a list of rows, or the count that a result carries (`rowCount`, `affectedRows`, `changes`); else `null`. */
export function sqlRows(result: unknown): number | null {
  if (Array.isArray(result)) return result.length
  if (typeof result !== 'object' || result === null) return null
  for (const name of ['rowCount', 'affectedRows', 'changes', 'numAffectedRows']) {
    const count: unknown = Reflect.get(result, name)
    if (typeof count === 'number' || typeof count === 'bigint') return Number(count)
  }
  // `pg` counts the rows of what has some; a `BEGIN` has none.
  if (Reflect.get(result, 'rowCount') === null) return null
  const rows: unknown = Reflect.get(result, 'rows')
  return Array.isArray(rows) ? rows.length : null
}
