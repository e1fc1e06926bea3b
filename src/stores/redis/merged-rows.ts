// The rows of all partitions in one order, read page by page as far as somebody asks for them.

import type { Partition } from './partitions.ts'
import type { Reading } from './reading.ts'
import type { RedisReply } from './redis-command.ts'

export interface FoundRow {
  readonly seq: number
  readonly partition: Partition
  readonly text: string
}

/** One class of rows in one partition, between two numbers, both excluded. */
export interface RowSource {
  readonly partition: Partition
  readonly key: string
  readonly above: number
  readonly below: number
}

export type RowOrder = 'newest first' | 'oldest first'

/** Rows of one page: about 2 ms of the server's processor. */
const maxPage = 1000

interface Line {
  readonly source: RowSource
  rows: readonly FoundRow[]
  /** Place in `rows` of the next one to give. */
  at: number
  /** The number that the next page starts from, excluded. */
  from: number
  pageSize: number
  isAtEnd: boolean
}

export class MergedRows {
  readonly #reading: Reading
  readonly #order: RowOrder
  #lines: readonly Line[]

  /** `expected`: how many will be asked for, about. */
  constructor(reading: Reading, sources: readonly RowSource[], order: RowOrder, expected: number) {
    this.#reading = reading
    this.#order = order
    const pageSize = Math.min(maxPage, 8 + Math.ceil((2 * expected) / Math.max(1, sources.length)))
    this.#lines = sources.map((source) => ({
      source,
      rows: [],
      at: 0,
      from: order === 'newest first' ? source.below : source.above,
      pageSize,
      isAtEnd: false,
    }))
  }

  /** The next ones, fewer only at the end or when the time for the reading is over. */
  async take(count: number): Promise<readonly FoundRow[]> {
    const taken: FoundRow[] = []
    while (taken.length < count && !this.#reading.isOver) {
      if (this.#lines.some(isEmpty)) await this.#fill()
      const line = this.#next()
      const row = line?.rows[line.at]
      if (line === undefined || row === undefined) break
      line.at += 1
      taken.push(row)
    }
    return taken
  }

  /** The line whose next row comes first. */
  #next(): Line | undefined {
    const sign = this.#order === 'newest first' ? 1 : -1
    let next: Line | undefined
    let best = -Infinity
    for (const line of this.#lines) {
      const seq = (line.rows[line.at]?.seq ?? -Infinity) * sign
      if (seq <= best || line.at === line.rows.length) continue
      best = seq
      next = line
    }
    return next
  }

  /** Reads the next page of every line that has run out, and of those that soon will: each turn costs a way to the servers. */
  async #fill(): Promise<void> {
    const lines = this.#lines.filter((line) => !line.isAtEnd && line.rows.length - line.at <= line.pageSize / 4)
    await Promise.all(lines.map((line) => this.#read(line)))
    this.#lines = this.#lines.filter((line) => !line.isAtEnd || line.at < line.rows.length)
  }

  async #read(line: Line): Promise<void> {
    const { partition, key, above, below } = line.source
    const command =
      this.#order === 'newest first'
        ? (['xrevrange', key, idBefore(line.from), idAfter(above), 'COUNT', line.pageSize] as const)
        : (['xrange', key, idAfter(line.from), idBefore(below), 'COUNT', line.pageSize] as const)
    const [reply] = (await this.#reading.send(partition, [command])) ?? []
    const page = rowsOf(reply, partition)
    line.rows = [...line.rows.slice(line.at), ...page]
    line.at = 0
    line.isAtEnd = page.length < line.pageSize
    line.from = page.at(-1)?.seq ?? line.from
    line.pageSize = Math.min(maxPage, line.pageSize * 2)
  }
}

/** The rows of a reply to XRANGE or XREVRANGE. */
export function rowsOf(reply: RedisReply | undefined, partition: Partition): readonly FoundRow[] {
  if (!Array.isArray(reply)) return []
  return reply.map(([id, fields]) => ({
    seq: Number.parseInt(String(id), 10),
    partition,
    text: String(Array.isArray(fields) ? fields[1] : ''),
  }))
}

function isEmpty({ rows, at, isAtEnd }: Line): boolean {
  return !isAtEnd && at === rows.length
}

function idAfter(seq: number): string {
  return seq === 0 ? '-' : `(${seq}-0`
}

function idBefore(seq: number): string {
  return seq === Number.POSITIVE_INFINITY ? '+' : `(${seq}-0`
}
