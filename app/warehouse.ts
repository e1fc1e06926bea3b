// The shop's warehouse keeps its stock on paper. It exists to fail: /demo/error shows how a mistake in here travels up.

/** A shelf whose stock nobody knows. */
export class WarehouseError extends Error {
  /** Which shelf: `B7`. */
  readonly shelf: string

  constructor(shelf: string, options: ErrorOptions) {
    super(`The stock of shelf "${shelf}" is unknown`, options)
    this.name = 'WarehouseError'
    this.shelf = shelf
  }
}

/** What was written on the sheets, by shelf. The comma on the second one was a slip of the pen. */
const sheets: ReadonlyMap<string, string> = new Map([
  ['A1', '{ "coir-mat": 31, "boot-scraper": 4 }'],
  ['B7', '{ "lion-knocker": 12, "letter-plate": 9, }'],
])

/** Pieces on a shelf, by product. Throws a `WarehouseError` when its sheet cannot be read. */
export function countShelf(shelf: string): ReadonlyMap<string, number> {
  try {
    return readSheet(shelf)
  } catch (cause) {
    throw new WarehouseError(shelf, { cause })
  }
}

function readSheet(shelf: string): ReadonlyMap<string, number> {
  try {
    const counts: unknown = JSON.parse(sheets.get(shelf) ?? '')
    return new Map(Object.entries(counts as Record<string, number>))
  } catch (cause) {
    throw new Error(`The sheet of shelf "${shelf}" is not JSON`, { cause })
  }
}
