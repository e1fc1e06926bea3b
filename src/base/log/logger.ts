// Levels, entries and lines of the log, and the interface of a sink.

import { membersOf } from '../members.ts'

export interface LogRecord extends Omit<LogLine, 'time' | 'mayWait' | 'requestId'> {
  /** Milliseconds since the request began. */
  readonly timeMs: number
  /** Lines left out before this one. Default: none. */
  readonly leftOutBefore?: number
}

/** Lines to keep: half of them first, half of them last. */
const defaultMaxRecords = 500
/** Further warnings and errors to keep, the first ones; at most half of them warnings. */
const maxProblems = 500

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

/** Severity, with pino's names, worst first. */
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const
/** From `trace` to `fatal`. */
export type LogLevel = (typeof logLevels)[number]

/** `error` and `fatal`. */
export function isErrorLevel(level: LogLevel): boolean {
  return level === 'error' || level === 'fatal'
}

/** `warn`, `error` and `fatal`. */
export function isProblem(level: LogLevel): boolean {
  return level === 'warn' || isErrorLevel(level)
}

/** A line as a logger gets it, before secrets are masked. */
export interface LogEntry {
  readonly level: LogLevel
  /** The part that writes: `router`, `kernel`, `profiler`, `app`. */
  readonly channel: string
  /** Message with placeholders: `Matched route "{route}".` */
  readonly message: string
  /** Values of the placeholders, and more data. */
  readonly context: Readonly<Record<string, unknown>>
  /** The request that the line belongs to: `exchange.id`. Default: none. */
  readonly requestId?: string | undefined
  /** Printed with the context, and left out of the profile, which has it elsewhere. Default: nothing. */
  readonly printed?: Readonly<Record<string, unknown>> | undefined
  /** Whether the line may be written with others of the next 10 ms, if it comes before each later line. Default: at once. */
  readonly mayWait?: boolean
}

/** An entry as a sink gets it: plain data, with secrets masked. */
export interface LogLine extends Omit<LogEntry, 'printed'> {
  /** Milliseconds since 1970. */
  readonly time: number
}

/** Where log lines go. */
export interface LogSink {
  /** Must not throw. */
  write(line: LogLine): void
  /** Whether the sink keeps this level and channel. Asked before lines that every request logs. Default: yes. */
  wants?(level: LogLevel, channel: string): boolean
  /** Lines lost so far. Default: unknown. */
  readonly dropped?: number
}

/** Never throws. */
export interface Log {
  write(entry: LogEntry): void
  /** As for a sink. */
  wants?(level: LogLevel, channel: string): boolean
}

interface Bound {
  /** Whose id the lines carry. */
  readonly request?: { readonly id: string } | undefined
  readonly fields?: LogEntry['context'] | undefined
}

/** The logger of handlers: `exchange.log.info('Paid {amount}.', { amount })`. */
export class Logger implements Log {
  readonly #log: Log
  readonly #channel: string
  readonly #bound: Bound

  constructor(log: Log, channel = 'app', bound: Bound = {}) {
    this.#log = log
    this.#channel = channel
    this.#bound = bound
  }

  /** Details of every step. */
  trace(message: string, context: LogEntry['context'] = {}): void {
    this.write({ level: 'trace', channel: this.#channel, message, context })
  }
  /** For looking into one thing. */
  debug(message: string, context: LogEntry['context'] = {}): void {
    this.write({ level: 'debug', channel: this.#channel, message, context })
  }
  /** Something went as expected. `{name}` in the message is replaced by that value of the context. */
  info(message: string, context: LogEntry['context'] = {}): void {
    this.write({ level: 'info', channel: this.#channel, message, context })
  }
  /** What somebody should look at. */
  warn(message: string, context: LogEntry['context'] = {}): void {
    this.write({ level: 'warn', channel: this.#channel, message, context })
  }
  /** What failed, with the error under any name: `{ error }` prints its stack and those of its causes. Marks the profile of the request. */
  error(message: string, context: LogEntry['context'] = {}): void {
    this.write({ level: 'error', channel: this.#channel, message, context })
  }
  /** Whether a line of this level would be kept anywhere. */
  wants(level: LogLevel, channel: string): boolean {
    return this.#log.wants?.(level, channel) ?? true
  }
  /** Writes an entry under its own channel. */
  write(entry: LogEntry): void {
    const { request, fields } = this.#bound
    if (request === undefined && fields === undefined) this.#log.write(entry)
    else {
      const context = fields === undefined ? entry.context : { ...fields, ...entry.context }
      this.#log.write({ ...entry, context, requestId: request?.id ?? entry.requestId })
    }
  }
  /** A logger whose lines have these fields in their context, too: `exchange.log.child({ order: 7 })`. A field of a line wins. */
  child(fields: LogEntry['context']): Logger {
    return new Logger(this.#log, this.#channel, { ...this.#bound, fields: { ...this.#bound.fields, ...fields } })
  }
  /** A logger whose lines carry the id of a request. */
  of(request: { readonly id: string }): Logger {
    return new Logger(this.#log, this.#channel, { request, fields: this.#bound.fields })
  }
  /** A logger that drops the info lines of a channel. */
  withoutInfoOf(channel: string): Logger {
    const wants = (level: LogLevel, name: string): boolean =>
      !(level === 'info' && name === channel) && this.wants(level, name)
    return new Logger({ write: (entry) => this.#log.write(entry), wants }, this.#channel, this.#bound)
  }
  /** A logger for another channel. */
  withChannel(channel: string): Logger {
    return new Logger(this.#log, channel, this.#bound)
  }
}

/** An error in the context of a line, as `TypeError: late`, and its stack; `null` for other values. */
export function loggedError(value: unknown): { readonly text: string; readonly stack: string } | null {
  const { type, name = type, message, stack } = membersOf(value)
  if (typeof name !== 'string' || typeof message !== 'string' || typeof stack !== 'string') return null
  return { text: message === '' ? name : `${name}: ${message}`, stack }
}

/** Fills `{placeholders}` from the context: strings as they are, errors as class and message, other values as JSON. Unknown placeholders stay. */
export function fillPlaceholders({ message, context }: Pick<LogEntry, 'message' | 'context'>): string {
  let filled = ''
  let from = 0
  for (let open = message.indexOf('{'); open >= 0; open = message.indexOf('{', open + 1)) {
    const end = message.indexOf('}', open) + 1
    const name = message.slice(open + 1, end - 1)
    if (end === 0 || !Object.hasOwn(context, name)) continue
    filled += message.slice(from, open) + textOf(context[name], message.slice(open, end))
    from = end
  }
  return filled + message.slice(from)
}

function textOf(value: unknown, placeholder: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  try {
    const error = loggedError(value)
    if (error !== null) return error.text
    return JSON.stringify(value) ?? String(value)
  } catch {
    return placeholder
  }
}

interface LogRedactor {
  /** Any context as plain, masked, bounded data. */
  record(context: LogEntry['context']): LogEntry['context']
  text(text: string): string
}

/** Without what is only printed. */
function redactedLine(entry: LogEntry, redactor: LogRedactor): LogLine {
  const { level, requestId, mayWait = false } = entry
  const line = { level, time: Date.now(), ...maskedParts(entry, redactor) }
  return { ...line, ...(requestId === undefined ? {} : { requestId }), ...(mayWait ? { mayWait } : {}) }
}

function maskedParts(
  { channel, message, context }: LogEntry,
  redactor: LogRedactor,
): Pick<LogLine, 'channel' | 'message' | 'context'> {
  const plain = plainContext(context, redactor)
  const template = redactor.text(message)
  const filled = fillPlaceholders({ message: template, context: plain })
  const masked = redactor.text(filled)
  // A secret may only show once the template is filled in: `Bearer {token}`.
  return { channel: redactor.text(channel), message: masked === filled ? template : masked, context: plain }
}

/** The same line with what is only printed. */
function printedLine(line: LogLine, { printed }: LogEntry, redactor: LogRedactor): LogLine {
  return printed === undefined ? line : { ...line, context: { ...line.context, ...plainContext(printed, redactor) } }
}

function plainContext(context: LogEntry['context'], redactor: LogRedactor): LogEntry['context'] {
  try {
    return redactor.record(context)
  } catch {
    return { value: '[Unreadable]' }
  }
}

export class RedactedLog implements Log {
  readonly #sink: LogSink
  readonly #redactor: LogRedactor

  constructor(sink: LogSink, redactor: LogRedactor) {
    this.#sink = sink
    this.#redactor = redactor
  }

  write(entry: LogEntry): void {
    if (!this.wants(entry.level, entry.channel)) return
    this.#sink.write(printedLine(redactedLine(entry, this.#redactor), entry, this.#redactor))
  }

  wants(level: LogLevel, channel: string): boolean {
    return this.#sink.wants?.(level, channel) ?? true
  }
}
