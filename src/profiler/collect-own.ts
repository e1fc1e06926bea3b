// Asks the application's own collectors, in the main thread: they get the exchange. What they gather is JSON text from then on.

import { performance } from 'node:perf_hooks'
import { isPromise } from '../framework/kernel/awaitable.ts'
import type { Exchange } from '../framework/kernel/exchange.ts'
import { approximateSize } from '../framework/recording/approximate-size.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import type { Collector } from './collector.ts'
import {
  failureNote,
  holdWithinBound,
  kilobytes,
  maxProfileBytes,
  noteOf,
  partOf,
  type Gathered,
} from './profile-parts.ts'
import type { Note } from '../framework/recording/recording.ts'

/** Larger data is not even encoded. */
const maxEncodedBytes = 8 * 1024 * 1024
/** A collector that takes longer, in milliseconds, gets a note. */
const slowMs = 50

/** What own collectors gathered: names and JSON texts. */
export interface OwnData {
  readonly parts: readonly { readonly name: string; readonly json: string }[]
  readonly notes: readonly Note[]
}

/** Asks them all. Whatever goes wrong becomes a note. Never throws. */
export function collectOwn(exchange: Exchange, collectors: readonly Collector[], redactor: Redactor): OwnData {
  const parts: Gathered['parts'][number][] = []
  const notes: Note[] = []
  for (const collector of collectors) {
    const { name } = collector
    const startedMs = performance.now()
    try {
      const data = collector.collect(exchange)
      const problem = problemOf(data, collector.cut !== undefined)
      if (problem !== undefined) notes.push(noteOf(name, problem))
      else if (data !== undefined) {
        parts.push(partOf(name, data, collector.cut && ((value, maxBytes) => collector.cut?.(value, maxBytes))))
      }
    } catch (thrown) {
      notes.push(failureNote(name, thrown, redactor))
    }
    const tookMs = performance.now() - startedMs
    if (tookMs > slowMs) notes.push(noteOf(name, `was slow: it held up the process for ${Math.round(tookMs)} ms.`))
  }
  // Cut here: the thread of the store does not have the collectors.
  const held = holdWithinBound({ parts, notes })
  return { parts: held.parts.map(({ name, json }) => ({ name, json })), notes: held.notes }
}

function problemOf(data: unknown, canBeCut: boolean): string | undefined {
  if (isPromise(data)) {
    // An unhandled rejection would end the process.
    data.catch(() => undefined)
    return 'failed: it answered with a promise; a collector answers at once.'
  }
  if (!canBeCut && approximateSize(data, maxEncodedBytes) >= maxEncodedBytes) {
    return `left out: more than ${kilobytes(maxEncodedBytes)}, a profile may hold ${kilobytes(maxProfileBytes)}.`
  }
  return undefined
}
