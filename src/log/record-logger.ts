// Keeps the log of one request, bounded, and passes each line on to the process log. What is kept is masked first.

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

/** A kept line whose context can be had as text too. */
export interface MaskedLine extends Omit<LogRecord, 'context'> {
  /** The context as JSON. */
  readonly contextJson: string
}

/** Records kept at most where nothing else is said. */
export const defaultMaxRecords = 500

/** What a record logger needs from the rest. */
export interface RecordLoggerOptions {
  /** Where every line goes besides: the process log. */
  readonly downstream: LogSink
  /** Turns any context into plain, masked, bounded data. */
  readonly mask: (context: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** The same for the context of a line that `isOwn`. Default: as any other. */
  readonly maskOwn?: (context: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** Masks what a message may hold by accident: `Bearer …`, userinfo. */
  readonly maskText: (text: string) => string
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
    return this.#lines.length === 0 ? none : this.#lines.map((line) => line.masked())
  }

  /** The same, not yet read: for who wants their text. */
  get lines(): readonly MaskedLine[] {
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
    if (line.isOwn !== true) kept.masked()
    if (this.#lines.length < maxRecords) this.#lines.push(kept)
    else this.#dropped += 1
    if (downstream.writeMasked === undefined) downstream.write(kept.masked())
    else downstream.writeMasked(kept)
  }
}

const none: readonly never[] = Object.freeze([])

/** A line that is masked when it is read for the first time, and made text once for all who want it. */
class KeptLine implements LogLine, MaskedLine {
  readonly level: LogLine['level']
  readonly channel: string
  readonly timeMs: number
  readonly #mask: RecordLoggerOptions
  #line: LogLine
  #masked: LogRecord | undefined
  #contextJson: string | undefined

  constructor(line: LogLine, timeMs: number, mask: RecordLoggerOptions) {
    this.level = line.level
    this.channel = line.channel
    this.timeMs = timeMs
    this.#mask = mask
    this.#line = line
  }

  get message(): string {
    return this.masked().message
  }

  get context(): LogLine['context'] {
    return this.masked().context
  }

  get contextJson(): string {
    this.#contextJson ??= JSON.stringify(this.masked().context)
    return this.#contextJson
  }

  masked(): LogRecord {
    if (this.#masked !== undefined) return this.#masked
    const { level, channel, timeMs } = this
    const { maskText, mask, maskOwn = mask } = this.#mask
    const { message, context, isOwn } = this.#line
    const masked = {
      level,
      channel,
      message: maskText(message),
      context: isOwn === true ? maskOwn(context) : mask(context),
      timeMs,
    }
    this.#masked = masked
    // Lets go of what was not masked.
    this.#line = masked
    return masked
  }
}
