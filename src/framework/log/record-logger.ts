// The log of one request: keeps its lines, up to a limit, and passes them on to the sink.

import type { Log, LogEntry, LogLine, LogSink } from './logger.ts'
import { redactedLine, type LogRedactor } from './redacted-log.ts'

/** A line as it is kept. */
export interface LogRecord extends Omit<LogLine, 'time'> {
  /** Milliseconds since the request began. */
  readonly timeMs: number
}

/** Default of `maxRecords`. */
export const defaultMaxRecords = 500

/** What the log of a request is made of. */
export interface RecordLoggerOptions {
  /** Gets every line too. */
  readonly sink: LogSink
  readonly redactor: LogRedactor
  /** Further lines are only counted. Default: 500. */
  readonly maxRecords?: number
}

/** Tells how long a request has been running. */
export interface RequestClock {
  /** Milliseconds since it began. */
  elapsedMs(): number
}

/** The log of one request. */
export class RecordLogger implements Log {
  readonly #options: RecordLoggerOptions
  readonly #clock: RequestClock
  /** In the order written. */
  records: LogRecord[] = []
  /** Lines beyond the limit. */
  dropped = 0

  constructor(options: RecordLoggerOptions, clock: RequestClock) {
    this.#options = options
    this.#clock = clock
  }

  forget(): void {
    this.records = []
  }

  write(entry: LogEntry): void {
    const { sink, redactor, maxRecords = defaultMaxRecords } = this.#options
    const line = redactedLine(entry, redactor)
    if (this.records.length < maxRecords) {
      const { level, channel, message, context } = line
      this.records.push({ level, channel, message, context, timeMs: this.#clock.elapsedMs() })
    } else this.dropped += 1
    sink.write(line)
  }
}
