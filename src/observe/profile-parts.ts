// The parts of a profile: each collector's data as JSON text, within one limit.

import { describeFailure } from '../http/kernel/describe-failure.ts'
import type { Note } from '../http/recording/recording.ts'
import type { Redactor } from '../base/redact/redactor.ts'

/** Bytes of JSON for all parts of a profile (SECURITY R9). */
export const maxProfileBytes: number = 256 * 1024
export const partWithBodies = 'request'
/** A part that is cut may keep this much. */
const minCutBytes = 16 * 1024
/** Room for what is around the list of a cut part; more if that did not fit. */
const reservedBytes = [128, 1024, 8192]

export interface Part {
  readonly name: string
  readonly json: string
  /** Makes the data smaller. Without it, a part that is too large is left out. */
  readonly cut?: ((data: never, maxBytes: number) => unknown) | undefined
}

/** Encodes data of a collector. Throws for anything that is not JSON. */
export function partOf(name: string, data: unknown, cut?: Part['cut']): Part {
  const json: string | undefined = JSON.stringify(data)
  if (json === undefined) throw new TypeError(`a ${typeof data} is not JSON`)
  return { name, json, cut }
}

export interface Gathered {
  readonly parts: readonly Part[]
  readonly notes: readonly Note[]
}

/** Cuts the largest parts, or leaves them out, until the rest fits. Parts that can be cut go first, bodies before all. */
export function holdWithinBound({ parts, notes }: Gathered): Gathered {
  const sizes = new Map(parts.map((part) => [part, Buffer.byteLength(part.json)]))
  const sizeOf = (part: Part): number => sizes.get(part) ?? 0
  let excess = parts.reduce((sum, part) => sum + sizeOf(part), -maxProfileBytes)
  if (excess <= 0) return { parts, notes }
  const kept = new Map(parts.map((part) => [part.name, part]))
  const said = [...notes]
  const ranks = new Map(parts.map((part) => [part, rankOf(part, sizeOf(part))]))
  const rank = (part: Part): number => ranks.get(part) ?? 0
  for (const part of parts.toSorted((one, other) => rank(other) - rank(one) || sizeOf(other) - sizeOf(one))) {
    if (excess <= 0) break
    const bytes = sizeOf(part)
    const shorter = cut(part, Math.max(minCutBytes, bytes - excess))
    const left = shorter === undefined ? bytes : Buffer.byteLength(shorter.json)
    const isCut = shorter !== undefined && left < bytes
    if (isCut) kept.set(part.name, shorter)
    else kept.delete(part.name)
    const what = isCut ? `cut to ${kilobytes(left)}` : 'left out'
    said.push(
      noteOf(part.name, `${what}: it gathered ${kilobytes(bytes)}, a profile may hold ${kilobytes(maxProfileBytes)}.`),
    )
    excess -= isCut ? bytes - left : bytes
  }
  return { parts: [...kept.values()], notes: said }
}

/** 0 for a part that does not get smaller. */
function rankOf(part: Part, bytes: number): number {
  const least = cut(part, minCutBytes)
  if (least === undefined || Buffer.byteLength(least.json) >= bytes) return 0
  return part.name === partWithBodies ? 2 : 1
}

// Most collectors count their list, not what is around it, so they get a little less room than there is.
function cut(part: Part, maxBytes: number): Part | undefined {
  if (part.cut === undefined) return undefined
  try {
    let shorter: Part | undefined
    for (const reserve of reservedBytes) {
      shorter = partOf(part.name, part.cut(JSON.parse(part.json) as never, maxBytes - reserve), part.cut)
      if (Buffer.byteLength(shorter.json) <= maxBytes) break
    }
    return shorter
  } catch {
    return undefined
  }
}

export function noteSource(collector: string): string {
  return `collector ${collector}`
}

export function noteOf(collector: string, message: string): Note {
  return { source: noteSource(collector), message }
}

/** A note about a collector and what was thrown; its message is masked. */
export function failureNote(collector: string, thrown: unknown, redactor: Redactor, what = 'failed'): Note {
  const { errorClass, message } = describeFailure(thrown)
  return noteOf(collector, redactor.text(`${what}: ${errorClass}: ${message}`, 500))
}

/** `301 KB`. */
export function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KB`
}

/** As many items as `maxBytes` of JSON hold, in their own order: important ones first, then from the beginning. The items are plain JSON. */
export function cutList<Item>(
  items: readonly Item[],
  maxBytes: number,
  isImportant: (item: Item) => boolean = () => false,
): readonly Item[] {
  const kept = new Set<number>()
  let left = maxBytes
  const inOrder = [...items.entries()].toSorted(
    ([, one], [, other]) => Number(isImportant(other)) - Number(isImportant(one)),
  )
  for (const [index, item] of inOrder) {
    left -= Buffer.byteLength(JSON.stringify(item)) + 1
    if (left < 0) break
    kept.add(index)
  }
  return items.filter((_item, index) => kept.has(index))
}
