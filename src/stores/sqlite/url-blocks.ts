// The URLs of many profiles in one block each, so that a search for a part of a URL reads a few dozen bytes a profile rather
// than its row, and skips the rows of every block without a hit. A filter beside each block lets most searches skip the
// block itself. Runs in the worker thread.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SeqRange } from '../profile-page.ts'
import { mayHold, trigramBits, trigramFilter } from './trigram-filter.ts'

/** Sequence numbers of one block. */
const blockLength = 1024
/** Blocks that one write makes at most, where many are missing: an older file is caught up with bit by bit. */
const maxBlocksPerWrite = 8

/** Keeps the blocks. All but the newest profiles are in one; the newest are few and read as rows. */
export class UrlBlocks {
  readonly #lastBlock: StatementSync
  readonly #firstSeq: StatementSync
  readonly #urls: StatementSync
  readonly #insert: StatementSync
  readonly #insertFilter: StatementSync
  readonly #filters: StatementSync
  readonly #block: StatementSync
  readonly #near: StatementSync
  readonly #rewrite: StatementSync
  readonly #rewriteFilter: StatementSync
  readonly #removeBelow: readonly StatementSync[]
  readonly #removeBeyond: readonly StatementSync[]

  constructor(database: DatabaseSync) {
    this.#lastBlock = database.prepare('SELECT max(last_seq) AS seq FROM url_block')
    this.#firstSeq = database.prepare('SELECT min(seq) AS seq FROM profile')
    this.#urls = database.prepare('SELECT url FROM profile WHERE seq BETWEEN ? AND ?')
    this.#insert = database.prepare('INSERT INTO url_block (last_seq, first_seq, urls) VALUES (?, ?, ?)')
    this.#insertFilter = database.prepare('INSERT INTO url_filter (last_seq, first_seq, trigrams) VALUES (?, ?, ?)')
    this.#filters = database.prepare(
      'SELECT first_seq, last_seq, trigrams FROM url_filter WHERE last_seq > ? AND first_seq < ? ORDER BY last_seq DESC',
    )
    this.#block = database.prepare('SELECT urls FROM url_block WHERE last_seq = ?')
    this.#near = database.prepare('SELECT first_seq, last_seq FROM url_block WHERE last_seq > ? AND last_seq <= ?')
    this.#rewrite = database.prepare('UPDATE url_block SET urls = ? WHERE last_seq = ?')
    this.#rewriteFilter = database.prepare('UPDATE url_filter SET trigrams = ? WHERE last_seq = ?')
    const removed = (condition: string): readonly StatementSync[] =>
      ['url_block', 'url_filter'].map((table) => database.prepare(`DELETE FROM ${table} WHERE last_seq ${condition}`))
    this.#removeBelow = removed('< (SELECT coalesce(min(seq), 0) FROM profile)')
    this.#removeBeyond = removed('> (SELECT coalesce(max(seq), 0) FROM profile)')
  }

  /** To be called in a transaction that wrote profiles, with the newest sequence number. */
  extend(newestSeq: number): void {
    let from = this.#nextFrom()
    for (let count = 0; count < maxBlocksPerWrite && newestSeq - from >= blockLength; count++) {
      const to = from + blockLength - 1
      const urls = this.#urlsBetween(from, to)
      this.#insert.run(to, from, urls)
      this.#insertFilter.run(to, from, trigramFilter(urls))
      from = to + 1
    }
  }

  /**
   * To be called when old profiles were removed, with the last ordinary one of them: the blocks that it was in or that it
   * leaves behind shrink to what is kept longer.
   */
  removed(lastOrdinarySeq: number): void {
    for (const statement of this.#removeBelow) statement.run()
    for (const { first_seq: first, last_seq: last } of this.#near.all(lastOrdinarySeq - blockLength, lastOrdinarySeq)) {
      const urls = this.#urlsBetween(Number(first), Number(last))
      this.#rewrite.run(urls, Number(last))
      this.#rewriteFilter.run(trigramFilter(urls), Number(last))
    }
  }

  /** To be called when any profiles were removed: the numbers of removed newest ones are given out again. */
  removeBeyondNewest(): void {
    for (const statement of this.#removeBeyond) statement.run()
  }

  /** The parts of a range that may hold profiles whose URL has this part, newest first; letter case of A–Z is ignored. */
  *narrow(part: string, { above, below }: SeqRange): Generator<SeqRange> {
    const wanted = Buffer.from(lowerCase(part))
    // Where blocks are still missing these are more than the newest few.
    const sealed = this.#nextFrom() - 1
    if (below - 1 > sealed) yield { above: Math.max(above, sealed), below }
    const needed = trigramBits(wanted)
    for (const { first_seq: first, last_seq: last, trigrams } of this.#filters.iterate(above, below)) {
      if (trigrams instanceof Uint8Array && !mayHold(trigrams, needed)) continue
      const urls = this.#block.get(Number(last))?.['urls']
      if (!(urls instanceof Uint8Array) || !bytesOf(urls).includes(wanted)) continue
      yield { above: Math.max(above, Number(first) - 1), below: Math.min(below, Number(last) + 1) }
    }
  }

  /** No URL holds a NUL that a search could ask for. */
  #urlsBetween(first: number, last: number): Buffer {
    const urls = this.#urls.all(first, last).map(({ url }) => lowerCase(String(url)))
    return Buffer.from(urls.join('\0'))
  }

  /** The first number that is in no block yet; blocks follow each other without a gap. */
  #nextFrom(): number {
    const last = this.#lastBlock.get()?.['seq']
    if (typeof last === 'number') return last + 1
    const first = this.#firstSeq.get()?.['seq']
    return typeof first === 'number' ? first : 1
  }
}

/** As SQL's LIKE compares: A–Z only. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
