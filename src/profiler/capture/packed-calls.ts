// The calls of one request on their way to another thread: numbers, one text, and of what comes again the same objects each time.
// Values are read in the order they were written.

import type { CallKind } from './call-kind.ts'
import { notKnown } from './known-figure.ts'

/** The calls of one request as plain facts. */
export interface PackedCalls {
  /** Numbers, and the lengths of the texts. */
  readonly figures: readonly number[]
  /** The kinds of calls; all texts, one after the other, not masked yet. */
  readonly more: readonly [kinds: readonly CallKind[], text: string]
}

/** Writes the calls of one request. */
export class CallsWriter {
  readonly #figures: number[] = []
  readonly #kinds: CallKind[] = []
  #text = ''

  figure(value: number): void {
    this.#figures.push(value)
  }

  text(value: string | null): void {
    this.#figures.push(value === null ? notKnown : value.length)
    if (value !== null) this.#text += value
  }

  kind(kind: CallKind): void {
    const place = this.#kinds.indexOf(kind)
    this.#figures.push(place >= 0 ? place : this.#kinds.push(kind) - 1)
  }

  /** What was written. */
  packed(): PackedCalls {
    const [first] = this.#kinds
    const kinds = first !== undefined && this.#kinds.length === 1 ? first.alone : this.#kinds
    return { figures: this.#figures, more: [kinds, this.#text] }
  }
}

/** Reads what a `CallsWriter` wrote, value by value. */
export class CallsReader {
  readonly #figures: readonly number[]
  readonly #kinds: readonly CallKind[]
  readonly #text: string
  #at = 0
  #textAt = 0

  constructor({ figures, more: [kinds, text] }: PackedCalls) {
    this.#figures = figures
    this.#kinds = kinds
    this.#text = text
  }

  /** Whether everything was read. */
  get isAtEnd(): boolean {
    return this.#at >= this.#figures.length
  }

  figure(): number {
    this.#at += 1
    return this.#figures[this.#at - 1] ?? notKnown
  }

  text(): string | null {
    const length = this.figure()
    if (length === notKnown) return null
    this.#textAt += length
    return this.#text.slice(this.#textAt - length, this.#textAt)
  }

  kind(): Pick<CallKind, 'client' | 'method' | 'sent'> {
    const kind = this.#kinds[this.figure()]
    if (kind === undefined) throw new RangeError('A call is of no kind that was written')
    return kind
  }
}
