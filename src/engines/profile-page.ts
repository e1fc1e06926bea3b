// What every store of profiles does alike with the pages of a list: their size, and the cursor between them.

/** Entries of one page: what was asked for within 1–200, else 25. */
export function pageLimit(limit: number | undefined): number {
  if (limit === undefined || !Number.isFinite(limit)) return 25
  return Math.min(200, Math.max(1, Math.trunc(limit)))
}

/** The cursor of the page after the entry with this sequence number. */
export function cursorAfter(seq: number): string {
  return `p${seq.toString(36)}`
}

/** The sequence number that a cursor stands for, infinity for the first page, `undefined` for a malformed cursor. */
export function seqOfCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  if (!/^p[0-9a-z]{1,10}$/.test(cursor)) return undefined
  return Number.parseInt(cursor.slice(1), 36)
}
