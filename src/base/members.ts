// Values of which the compiler knows less than is true: members of foreign values, tables by their names, and items that belong together.

/** The members of any value, each to be checked where it is used. `null` and `undefined` have none. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value)
}

/** The items of a list; of anything else none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Whether a value is a list, also one that may only be read. */
export function isList<Value>(value: Value): value is Extract<Value, readonly unknown[]> {
  return Array.isArray(value)
}

/** The names of a table that is written in the source, in their order: of another one the type may not name all. */
export function namesOf<Table extends object>(table: Table): readonly Extract<keyof Table, string>[] {
  const names: Extract<keyof Table, string>[] = []
  for (const name in table) names.push(name)
  return names
}

export function hasName<Table extends object>(table: Table, name: PropertyKey): name is keyof Table {
  return Object.hasOwn(table, name)
}

export function tableOf<Name extends string, Row>(
  names: readonly Name[],
  make: (name: Name) => Row,
): Readonly<Record<Name, Row>> {
  const rows: Partial<Record<Name, Row>> = {}
  for (const name of names) rows[name] = make(name)
  // Now each name has its row.
  return rows as Record<Name, Row>
}

export type Awaitable<T> = T | Promise<T>

/** Tells a promise (or any thenable) from a value. */
export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** All items in their order, each with those after it as long as the next belongs to the one before it. */
export function runsOf<Item>(
  items: readonly Item[],
  belongs: (before: Item, item: Item) => boolean,
): readonly (readonly [Item, ...Item[]])[] {
  const runs: [Item, ...Item[]][] = []
  for (const item of items) {
    const run = runs.at(-1)
    if (run !== undefined && belongs(run.at(-1) as Item, item)) run.push(item)
    else runs.push([item])
  }
  return runs
}
