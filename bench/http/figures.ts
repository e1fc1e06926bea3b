// Medians of rounds, and ratios to the baseline of the same round.

/** What one server did in one round. */
export interface Measured {
  readonly perSecond: number
  /** Processor time of the main thread for one request, in microseconds. */
  readonly mainMicroseconds: number
  /** The same of all threads. */
  readonly allMicroseconds: number
  readonly p99Ms: number
  /** Share of its core that the server had: near 1 when nobody else was there. */
  readonly share: number
}

/** The middle value; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  if (sorted.length % 2 === 1) return sorted[middle] ?? Number.NaN
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

/** The middle half of the values, as `0.93–1.02`: how far single rounds lie apart. */
export function middleHalf(values: readonly number[], digits: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN).toFixed(digits)
  return `${at(0.25)}–${at(0.75)}`
}

/** A table in Markdown, columns as wide as they must be. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}
