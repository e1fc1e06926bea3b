// Asks collectors inside a guard and holds what they gathered within one bound. Whatever goes wrong becomes a note; the
// request is never touched. What they gathered is encoded once, and is text from then on.

import { performance } from 'node:perf_hooks'
import { isPromise } from '../framework/kernel/awaitable.ts'
import { describeFailure } from '../framework/kernel/describe-failure.ts'
import type { Exchange } from '../framework/kernel/exchange.ts'
import { approximateSize } from '../framework/recording/approximate-size.ts'
import type { Note } from '../framework/recording/recording.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import type { Collector } from './collector.ts'
import type { RecordCollector, RequestRecord } from './request-record.ts'

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

/** What one collector gathered. */
export interface Part {
  readonly collector: NamedCutter
  /** As it was gathered; what nobody else can change any more. */
  readonly data: unknown
  /** The same as JSON, once it was encoded. */
  text?: string
}

/** What is asked of a collector after it has gathered. */
export type NamedCutter = Pick<Collector, 'name' | 'cut'> & Pick<RecordCollector, 'summarize'>

/** What several collectors gathered. */
export interface Gathered {
  readonly parts: readonly Part[]
  readonly notes: readonly Note[]
}

/** Gathers everything. Never throws. */
export function collectData(exchange: Exchange, collectors: readonly Collector[], redactor: Redactor): CollectedData {
  const { parts, notes } = holdWithinBound(gather(collectors, (collector) => collector.collect(exchange), redactor))
  return { data: Object.fromEntries(parts.map((part) => [part.collector.name, decode(part)])), notes }
}

/**
 * Asks some collectors. What they gather is encoded at once, so that nobody can change it; `plain` leaves that out for
 * collectors of this library, whose data is plain and nobody else's. Never throws.
 */
export function gather<One extends NamedCutter>(
  collectors: readonly One[],
  collect: (collector: One) => unknown,
  redactor: Redactor,
  form: 'encoded' | 'plain' = 'encoded',
): Gathered {
  if (collectors.length === 0) return nothing
  let parts: Part[] | undefined
  let notes: Note[] | undefined
  const note = (collector: NamedCutter, message: string): void => {
    notes ??= []
    notes.push({ source: noteSource(collector.name), message })
  }
  let beforeMs = performance.now()
  for (const collector of collectors) {
    try {
      const data = collect(collector)
      if (data !== undefined) {
        const part =
          form === 'plain' ? { collector, data } : partOf(collector, data, (message) => note(collector, message))
        if (part !== undefined) {
          parts ??= []
          parts.push(part)
        }
      }
    } catch (thrown) {
      note(collector, failureOf(thrown, redactor))
    }
    const nowMs = performance.now()
    if (nowMs - beforeMs > slowMs) {
      note(collector, `was slow: it held up the process for ${Math.round(nowMs - beforeMs)} ms.`)
    }
    beforeMs = nowMs
  }
  return parts === undefined && notes === undefined ? nothing : { parts: parts ?? [], notes: notes ?? [] }
}

/**
 * Asks one collector of this library, in a thread in which no request waits: what it gathers is encoded, but neither timed
 * nor weighed. What goes wrong is added to the notes. Never throws.
 */
export function gatherAside(
  collector: RecordCollector,
  record: RequestRecord,
  redactor: Redactor,
  notes: Note[],
): Part | undefined {
  try {
    const data = collector.collect(record)
    return data === undefined ? undefined : { collector, data, text: encode(data) }
  } catch (thrown) {
    notes.push({ source: noteSource(collector.name), message: failureOf(thrown, redactor) })
    return undefined
  }
}

function failureOf(thrown: unknown, redactor: Redactor): string {
  const { errorClass, message } = describeFailure(thrown)
  return redactor.text(`failed: ${errorClass}: ${message}`.slice(0, 500))
}

const nothing: Gathered = Object.freeze({ parts: [], notes: [] })

/** How notes about a collector name it. */
export function noteSource(collectorName: string): string {
  return `collector ${collectorName}`
}

/** The JSON of a part. */
export function encodePart(part: Part): string {
  part.text ??= encode(part.data)
  return part.text
}

function partOf(collector: NamedCutter, data: unknown, note: (message: string) => void): Part | undefined {
  if (isPromise(data)) {
    // Nobody waits for it, and a rejection that nobody handles would end the process.
    data.catch(() => undefined)
    note('failed: it answered with a promise; a collector answers at once.')
    return undefined
  }
  if (collector.cut === undefined && approximateSize(data, maxEncodedBytes) >= maxEncodedBytes) {
    note(`left out: more than ${kilobytes(maxEncodedBytes)}, a profile may hold ${kilobytes(maxProfileBytes)}.`)
    return undefined
  }
  // Encoding here, guarded, so that a hostile value can never fail the store.
  return { collector, data, text: encode(data) }
}

function encode(data: unknown): string {
  const text = JSON.stringify(data) as string | undefined
  if (text === undefined) throw new TypeError(`a ${typeof data} is no JSON`)
  // One character beyond Latin-1 doubles the memory of the whole text, and it is slow to write as UTF-8.
  return beyondLatin1.test(text) ? text.replaceAll(eachBeyondLatin1, escapeCharacter) : text
}

const beyondLatin1 = /[^\0-\u00ff]/
const eachBeyondLatin1 = /[^\0-\u00ff]/g

// As JSON writes it; of a pair of surrogates each on its own.
function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** The data of a part, which nothing else refers to. */
export function decode(part: Part): unknown {
  return JSON.parse(encodePart(part)) as unknown
}

/** Cuts the largest parts, or leaves them out, until the rest fits. */
export function holdWithinBound(gathered: Gathered): Gathered {
  let length = 0
  for (const part of gathered.parts) length += encodePart(part).length
  // No character takes more than three bytes.
  if (3 * length <= maxProfileBytes) return gathered
  let excess = -maxProfileBytes
  for (const part of gathered.parts) excess += bytesOf(part)
  if (excess <= 0) return gathered
  const parts = [...gathered.parts]
  const notes = [...gathered.notes]
  for (const part of parts.toSorted((one, other) => bytesOf(other) - bytesOf(one))) {
    if (excess <= 0) break
    const bytes = bytesOf(part)
    const shorter = cut(part, Math.max(minCutBytes, bytes - excess))
    const left = shorter === undefined ? 0 : bytesOf(shorter)
    const isCut = shorter !== undefined && left < bytes
    if (isCut) parts[parts.indexOf(part)] = shorter
    else parts.splice(parts.indexOf(part), 1)
    const said = isCut ? `cut to ${kilobytes(left)}` : 'left out'
    notes.push({
      source: noteSource(part.collector.name),
      message: `${said}: it gathered ${kilobytes(bytes)}, a profile may hold ${kilobytes(maxProfileBytes)}.`,
    })
    excess -= isCut ? bytes - left : bytes
  }
  return { parts, notes }
}

function bytesOf(part: Part): number {
  return Buffer.byteLength(encodePart(part))
}

function cut(part: Part, maxBytes: number): Part | undefined {
  const { collector } = part
  try {
    if (collector.cut === undefined) return undefined
    const data = collector.cut(decode(part), maxBytes)
    return { collector, data, text: encode(data) }
  } catch {
    return undefined
  }
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KB`
}
