// The log of one request: keeps its first lines, and passes all of them to the sink.

import type { Log, LogEntry, LogLine, LogSink } from './logger.ts'
import { redactedLine, type LogRedactor } from './redacted-log.ts'

/** A line as it is kept. */
export interface LogRecord extends Omit<LogLine, 'time'> {
  /** Milliseconds since the request began. */
  readonly timeMs: number
}

/** Default of `maxRecords`. */
export const defaultMaxRecords = 500

/** Options of the log of a request. */
export interface RecordLoggerOptions {
  /** Gets every line too. */
  readonly sink: LogSink
  readonly redactor: LogRedactor
  /** Most lines to keep; further ones are counted. Default: 500. */
  readonly maxRecords?: number
}

/** The clock of a request. */
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
