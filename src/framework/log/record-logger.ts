// Keeps the log of one request, bounded, and passes each line on to the process log. What is kept is masked first.

import { FormedLine, type LineMask, type OwnLines } from './formed-line.ts'
import type { LogLine, LogSink } from './logger.ts'

/** A line as it is kept: masked, with its time. */
export interface LogRecord {
  readonly level: LogLine['level']
  readonly channel: string
  readonly message: string
  readonly context: Readonly<Record<string, unknown>>
  /** Milliseconds since the request began. */
  readonly timeMs: number
}

/** A kept line as it is made text. */
export interface KeptText {
  readonly formed: FormedLine
  /** Milliseconds since the request began. */
  readonly timeMs: number
}

/** Records kept at most where nothing else is said. */
export const defaultMaxRecords = 500

/** What a record logger needs from the rest. */
export interface RecordLoggerOptions extends LineMask {
  /** Where every line goes besides: the process log. */
  readonly downstream: LogSink
  /** Forms lines that are `isOwn`, those of many requests. Default: they are formed as others are. */
  readonly ownLines?: OwnLines
  /** Records kept at most; later ones are counted. Default 500. */
  readonly maxRecords?: number
}

/** Tells how long a request has been running. */
export interface RequestClock {
  /** Milliseconds since it began. */
  elapsedMs(): number
}

/** The log of one request. */
export class RecordLogger implements LogSink {
  readonly #options: RecordLoggerOptions
  readonly #clock: RequestClock
  #lines: KeptLine[] = []
  #dropped = 0

  constructor(options: RecordLoggerOptions, clock: RequestClock) {
    this.#options = options
    this.#clock = clock
  }

  /** Records in the order written, as plain data. */
  get records(): readonly LogRecord[] {
    return this.#lines.length === 0 ? none : this.#lines.map((line) => line.toRecord())
  }

  /** The same, not yet read: for who wants their text. */
  get lines(): readonly KeptText[] {
    return this.#lines
  }

  /** How many records there are. */
  get count(): number {
    return this.#lines.length
  }

  /** How many lines came after the bound was reached. */
  get dropped(): number {
    return this.#dropped
  }

  /** Forgets the records. */
  forget(): void {
    this.#lines = []
  }

  write(line: LogLine): void {
    const { downstream, maxRecords = defaultMaxRecords } = this.#options
    const kept = new KeptLine(line, this.#clock.elapsedMs(), this.#options)
    // What somebody may change later is read now; the rest when many lines are, which costs less for each.
    if (line.isOwn !== true) void kept.formed
    if (this.#lines.length < maxRecords) this.#lines.push(kept)
    else this.#dropped += 1
    if (downstream.writeMasked === undefined) downstream.write(kept.toRecord())
    else downstream.writeMasked(kept)
  }
}

const none: readonly never[] = Object.freeze([])

/** A line that is masked when it is read for the first time. */
class KeptLine implements LogLine, KeptText {
  readonly level: LogLine['level']
  readonly channel: string
  readonly timeMs: number
  readonly #options: RecordLoggerOptions
  #line: LogLine | undefined
  #formed: FormedLine | undefined

  constructor(line: LogLine, timeMs: number, options: RecordLoggerOptions) {
    this.level = line.level
    this.channel = line.channel
    this.timeMs = timeMs
    this.#options = options
    this.#line = line
  }

  get formed(): FormedLine {
    const line = this.#line
    if (line !== undefined) {
      const { ownLines } = this.#options
      const isOwn = line.isOwn === true && ownLines !== undefined
      this.#formed = isOwn ? ownLines.form(line) : new FormedLine(line, this.#options)
      // Lets go of what was not masked.
      this.#line = undefined
    }
    return this.#formed as FormedLine
  }

  get message(): string {
    return this.formed.message
  }

  get context(): LogLine['context'] {
    return this.formed.context
  }

  get tailJson(): string {
    return this.formed.tailJson
  }

  toRecord(): LogRecord {
    const { level, channel, message, context } = this.formed
    return { level, channel, message, context, timeMs: this.timeMs }
  }
}
