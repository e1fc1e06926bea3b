// Asks every collector inside a guard and holds what they gathered within one bound. Whatever goes wrong becomes a note;
// the request is never touched.

import { isPromise } from '../kernel/awaitable.ts'
import { describeFailure } from '../kernel/describe-failure.ts'
import type { Exchange } from '../kernel/exchange.ts'
import { approximateSize } from '../recording/approximate-size.ts'
import type { Note } from '../recording/recording.ts'
import type { Redactor } from '../redact/redactor.ts'
import type { Collector } from './collector.ts'

/** Bytes of JSON that all parts of a profile may take together (SECURITY R9). */
export const maxProfileBytes: number = 256 * 1024
/** Data beyond this, counted nearly, is not even encoded. */
const maxEncodedBytes = 8 * 1024 * 1024
/** A part that was cut still gets this much. */
const minCutBytes = 16 * 1024
/** A collector that takes longer, in milliseconds, is named: it holds up every other request. */
const slowMs = 50

/** What was gathered, as plain JSON by the collector's name, and what the profile should say about it. */
export interface CollectedData {
  readonly data: Readonly<Record<string, unknown>>
  readonly notes: readonly Note[]
}

interface Part {
  readonly collector: Collector
  data: unknown
  bytes: number
}

/** Gathers everything. Never throws. */
export function collectData(exchange: Exchange, collectors: readonly Collector[], redactor: Redactor): CollectedData {
  const parts: Part[] = []
  const notes: Note[] = []
  const note = (collector: Collector, message: string): void => {
    notes.push({ source: noteSource(collector.name), message })
  }
  for (const collector of collectors) {
    const startedMs = performance.now()
    try {
      const part = collect(exchange, collector, (message) => note(collector, message))
      if (part !== undefined) parts.push(part)
    } catch (thrown) {
      const { errorClass, message } = describeFailure(thrown)
      note(collector, redactor.text(`failed: ${errorClass}: ${message}`.slice(0, 500)))
    }
    const tookMs = performance.now() - startedMs
    if (tookMs > slowMs) note(collector, `was slow: it held up the process for ${Math.round(tookMs)} ms.`)
  }
  holdWithinBound(parts, note)
  return { data: Object.fromEntries(parts.map(({ collector, data }) => [collector.name, data])), notes }
}

/** How notes about a collector name it. */
export function noteSource(collectorName: string): string {
  return `collector ${collectorName}`
}

function collect(exchange: Exchange, collector: Collector, note: (message: string) => void): Part | undefined {
  const collected = collector.collect(exchange)
  if (collected === undefined) return undefined
  if (isPromise(collected)) {
    // Nobody waits for it, and a rejection that nobody handles would end the process.
    collected.catch(() => undefined)
    note('failed: it answered with a promise; a collector answers at once.')
    return undefined
  }
  if (collector.cut === undefined && approximateSize(collected, maxEncodedBytes) >= maxEncodedBytes) {
    note(`left out: more than ${kilobytes(maxEncodedBytes)}, a profile may hold ${kilobytes(maxProfileBytes)}.`)
    return undefined
  }
  return encode(collector, collected)
}

// Encoding here, guarded, so that a hostile value can never fail the store; what nothing else refers to can be kept as it is.
function encode(collector: Collector, collected: unknown): Part {
  const text = JSON.stringify(collected) as string | undefined
  if (text === undefined) throw new TypeError(`a ${typeof collected} is no JSON`)
  return { collector, data: JSON.parse(text), bytes: Buffer.byteLength(text) }
}

/** Cuts the largest parts, or leaves them out, until the rest fits. */
function holdWithinBound(parts: Part[], note: (collector: Collector, message: string) => void): void {
  let excess = parts.reduce((sum, { bytes }) => sum + bytes, 0) - maxProfileBytes
  for (const part of parts.toSorted((one, other) => other.bytes - one.bytes)) {
    if (excess <= 0) return
    const { bytes } = part
    const shorter = cut(part, Math.max(minCutBytes, bytes - excess))
    const isCut = shorter !== undefined && shorter.bytes < bytes
    if (isCut) Object.assign(part, shorter)
    else parts.splice(parts.indexOf(part), 1)
    const left = isCut ? `cut to ${kilobytes(part.bytes)}` : 'left out'
    note(part.collector, `${left}: it gathered ${kilobytes(bytes)}, a profile may hold ${kilobytes(maxProfileBytes)}.`)
    excess -= isCut ? bytes - part.bytes : bytes
  }
}

function cut({ collector, data }: Part, maxBytes: number): Part | undefined {
  try {
    const shorter = collector.cut?.(data, maxBytes)
    return shorter === undefined ? undefined : encode(collector, shorter)
  } catch {
    return undefined
  }
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KB`
}
