// Levels, entries and lines of the log, and the interface of a sink.

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

/** Fills `{placeholders}` from the context: strings as they are, other values as JSON. Unknown placeholders stay. */
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
    return JSON.stringify(value) ?? String(value)
  } catch {
    return placeholder
  }
}

export interface LogRedactor {
  /** Any context as plain, masked, bounded data. */
  record(context: LogEntry['context']): LogEntry['context']
  text(text: string): string
}

/** Without what is only printed. */
export function redactedLine(entry: LogEntry, redactor: LogRedactor): LogLine {
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
export function printedLine(line: LogLine, { printed }: LogEntry, redactor: LogRedactor): LogLine {
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
