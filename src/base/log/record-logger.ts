// The log of one request: keeps the first and last lines, and warnings and errors between them. The sink gets all lines.

import {
  isErrorLevel,
  type Log,
  type LogEntry,
  type LogLine,
  type LogSink,
  printedLine,
  redactedLine,
  type LogRedactor,
} from './logger.ts'

export interface LogRecord extends Omit<LogLine, 'time' | 'mayWait' | 'requestId'> {
  /** Milliseconds since the request began. */
  readonly timeMs: number
  /** Lines left out before this one. Default: none. */
  readonly leftOutBefore?: number
}

/** Lines to keep: half of them first, half of them last. */
export const defaultMaxRecords = 500
/** Further warnings and errors to keep, the first ones; at most half of them warnings. */
export const maxProblems = 500

export interface RecordLoggerOptions {
  readonly sink: LogSink
  readonly redactor: LogRedactor
  /** Default: 500. */
  readonly maxRecords?: number
}

interface RequestClock {
  /** Milliseconds since it began. */
  elapsedMs(): number
}

/** Keeps the lines of a request for its profile, within bounds. */
export class RecordLogger implements Log {
  readonly #options: RecordLoggerOptions
  readonly #clock: RequestClock
  #first: LogRecord[] = []
  #problems: LogRecord[] = []
  #last: LogRecord[] = []
  /** Lines left out since the newest of `#problems`. */
  #leftOut = 0
  dropped = 0
  /** Whether a line that is kept is being printed. */
  isPrinting = false

  constructor(options: RecordLoggerOptions, clock: RequestClock) {
    this.#options = options
    this.#clock = clock
  }

  /** In the order written. */
  get records(): readonly LogRecord[] {
    const [next, ...last] = this.#last
    return next === undefined ? this.#first : [...this.#first, ...this.#problems, after(this.#leftOut, next), ...last]
  }

  forget(): void {
    this.#first = []
    this.#problems = []
    this.#last = []
  }

  write(entry: LogEntry): void {
    const { sink, redactor } = this.#options
    const line = this.keep(entry)
    this.print(() => sink.write(printedLine(line, entry, redactor)))
  }

  /** Runs what prints a kept line, perhaps through another logger, and gives what that gives. */
  print<Result>(work: () => Result): Result {
    const wasPrinting = this.isPrinting
    this.isPrinting = true
    try {
      return work()
    } finally {
      this.isPrinting = wasPrinting
    }
  }

  /** Keeps a line that the sink is not to get: the application prints it itself. Gives the line as it was kept. */
  keep(entry: LogEntry): LogLine {
    const { redactor, maxRecords = defaultMaxRecords } = this.#options
    const line = redactedLine(entry, redactor)
    const { level, channel, message, context } = line
    const record = { level, channel, message, context, timeMs: this.#clock.elapsedMs() }
    if (this.#first.length < maxRecords / 2) this.#first.push(record)
    else {
      this.#last.push(record)
      if (this.#first.length + this.#last.length > maxRecords) this.#leaveOut(this.#last.shift())
    }
    return line
  }

  #leaveOut(record: LogRecord | undefined): void {
    if (record === undefined) return
    const room = isErrorLevel(record.level) ? maxProblems : record.level === 'warn' ? maxProblems / 2 : 0
    if (this.#problems.length < room) {
      this.#problems.push(after(this.#leftOut, record))
      this.#leftOut = 0
    } else {
      this.#leftOut += 1
      this.dropped += 1
    }
  }
}

function after(leftOutBefore: number, record: LogRecord): LogRecord {
  return leftOutBefore === 0 ? record : { ...record, leftOutBefore }
}
