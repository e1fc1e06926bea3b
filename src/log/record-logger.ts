// Keeps the log of one request, bounded, and passes each line on to the process log. What is kept is masked first.

import type { LogLine, LogSink } from './logger.ts'

/** A line as it is kept: masked, with its time. */
export interface LogRecord extends LogLine {
  /** Milliseconds since the request began. */
  readonly timeMs: number
}

/** What a record logger needs from the rest. */
export interface RecordLoggerOptions {
  /** Where every line goes besides: the process log. */
  readonly downstream: LogSink
  /** Turns any context into plain, masked, bounded data. */
  readonly mask: (context: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
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
  readonly #records: LogRecord[] = []
  #dropped = 0

  constructor(options: RecordLoggerOptions, clock: RequestClock) {
    this.#options = options
    this.#clock = clock
  }

  /** Records in the order written. */
  get records(): readonly LogRecord[] {
    return this.#records
  }

  /** How many lines came after the bound was reached. */
  get dropped(): number {
    return this.#dropped
  }

  write(line: LogLine): void {
    const { downstream, maxRecords = 500 } = this.#options
    const masked: LogRecord = {
      level: line.level,
      channel: line.channel,
      message: this.#options.maskText(line.message),
      context: this.#options.mask(line.context),
      timeMs: this.#clock.elapsedMs(),
    }
    if (this.#records.length < maxRecords) this.#records.push(masked)
    else this.#dropped += 1
    if (downstream.writeMasked === undefined) downstream.write(masked)
    else downstream.writeMasked(masked)
  }
}
