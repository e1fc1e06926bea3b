// Many small values as one long text, one list of numbers and a short list of what is neither: what travels to another thread
// like that costs a fraction of many small objects. Values are read in the order they were written; both sides know it.

/** Values that were written. */
export interface FlatData {
  /** All strings, one after the other. */
  readonly text: string
  /** All numbers, and the lengths of the strings. */
  readonly figures: Float64Array<ArrayBuffer>
  /** What structured cloning has to copy by itself. */
  readonly others: readonly unknown[]
}

/** What stands for a string that is not there. */
const noString = -1
/** What stands for `null` where something else might be. */
const noOther = -1
/** What stands for a string among the others. */
const elsewhere = -2
/** What stands for the last string of a place. */
const asBefore = -3
/** Characters beyond these make the whole text take two bytes for each of its characters. */
const wide = /[^\0-\xff]/

/** Numbers that a writer has room for at first, and keeps room for. */
const usualFigures = 8192

/** Writes values, one batch after the other: fresh memory for each costs more than what is written into it. */
export class FlatWriter {
  #text = ''
  #figures = new Float64Array(usualFigures)
  #count = 0
  #others: unknown[] = []
  #lastOf: string[] = []

  /** Writes a number. */
  figure(value: number): void {
    if (this.#count === this.#figures.length) {
      const longer = new Float64Array(2 * this.#count)
      longer.set(this.#figures)
      this.#figures = longer
    }
    this.#figures[this.#count++] = value
  }

  /** Writes a string of Latin characters, as everything in the head of a request is, or that there is none. */
  string(value: string | null): void {
    this.figure(value === null ? noString : value.length)
    if (value !== null) this.#text += value
  }

  /** Writes any string. */
  anyString(value: string): void {
    if (!wide.test(value)) return this.string(value)
    this.figure(elsewhere)
    this.other(value)
  }

  /** Writes any string that is often the one that was written last under this number: then nothing of it is. */
  repeated(place: number, value: string): void {
    if (this.#lastOf[place] === value) return this.figure(asBefore)
    this.#lastOf[place] = value
    this.anyString(value)
  }

  /** Writes a list of strings of Latin characters. */
  strings(values: readonly string[]): void {
    this.figure(values.length)
    for (let index = 0; index < values.length; index += 1) this.string(values[index] ?? '')
  }

  /** Writes a list of numbers. */
  figures(values: readonly number[]): void {
    this.figure(values.length)
    for (let index = 0; index < values.length; index += 1) this.figure(values[index] ?? 0)
  }

  /** Writes anything that can be cloned. The same thing twice in a row is cloned once. */
  other(value: unknown): void {
    const last = this.#others.length - 1
    if (value === null) this.figure(noOther)
    else if (last >= 0 && this.#others[last] === value) this.figure(last)
    else this.figure(this.#others.push(value) - 1)
  }

  /** What was written, to be copied before anything else is written. The next value begins a batch. */
  take(): FlatData {
    // Copying takes all the memory behind a list: of one that is mostly empty a copy goes, and one that grew is not kept.
    const isMostlyEmpty = 2 * this.#count < this.#figures.length
    const figures = isMostlyEmpty ? this.#figures.slice(0, this.#count) : this.#figures.subarray(0, this.#count)
    const data = { text: this.#text, figures, others: this.#others }
    if (this.#figures.length > usualFigures) this.#figures = new Float64Array(usualFigures)
    this.#text = ''
    this.#count = 0
    this.#others = []
    this.#lastOf = []
    return data
  }
}

/** Reads what a `FlatWriter` wrote, value by value. */
export class FlatReader {
  readonly #data: FlatData
  #at = 0
  #textAt = 0
  readonly #lastOf: string[] = []

  constructor(data: FlatData) {
    this.#data = data
  }

  figure(): number {
    const value = this.#data.figures[this.#at]
    if (value === undefined) throw new RangeError('More was read than was written')
    this.#at += 1
    return value
  }

  string(): string | null {
    const length = this.figure()
    if (length === noString) return null
    if (length === elsewhere) return this.other() as string
    this.#textAt += length
    return this.#data.text.slice(this.#textAt - length, this.#textAt)
  }

  /** A string that is there. */
  text(): string {
    return this.string() ?? ''
  }

  /** What was written as `repeated`, under the same number. */
  repeated(place: number): string {
    if (this.#data.figures[this.#at] !== asBefore) return (this.#lastOf[place] = this.text())
    this.#at += 1
    return this.#lastOf[place] ?? ''
  }

  strings(): readonly string[] {
    const strings: string[] = []
    for (let left = this.figure(); left > 0; left -= 1) strings.push(this.text())
    return strings
  }

  figures(): readonly number[] {
    const figures: number[] = []
    for (let left = this.figure(); left > 0; left -= 1) figures.push(this.figure())
    return figures
  }

  other(): unknown {
    const place = this.figure()
    return place === noOther ? null : this.#data.others[place]
  }
}
