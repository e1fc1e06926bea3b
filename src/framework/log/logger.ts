// The port through which the library and its users write log lines. Who listens (the process log, a request's record) is
// decided where the application is put together.

/** Severity, in the words and the order of pino. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'

/** Whether a line of this level tells of an error. */
export function isErrorLevel(level: LogLevel): boolean {
  return level === 'error' || level === 'fatal'
}

/** One line before it is written. */
export interface LogLine {
  readonly level: LogLevel
  /** Who speaks: `router`, `kernel`, `profiler`, `app`. */
  readonly channel: string
  /** Message with placeholders: `Matched route "{route}".` */
  readonly message: string
  /** What fills the placeholders, and more; plain data. */
  readonly context: Readonly<Record<string, unknown>>
  /** What stands behind the time in a line of the process log, where somebody keeps it. Default: it is made. */
  readonly tailJson?: string
  /**
   * Its context was made by this library of texts and records of texts, and nobody changes it any more: it may be read later, when
   * many are, and with less care. Default: it is read at once.
   */
  readonly isOwn?: true
  /** Whether its text holds no secret once the placeholders are filled in. Default: it is looked for. */
  readonly isTextMasked?: true
}

/** Takes lines. Never throws. */
export interface LogSink {
  write(line: LogLine): void
  /** Takes a line that gives its message and context masked and plain, now and later. Without it `write` is called. */
  writeMasked?(line: LogLine): void
  /**
   * Takes a masked line of which there may be very many: it may leave together with others, at the end of this turn of the event
   * loop. Without it `write` is called.
   */
  writeSoon?(line: LogLine): void
  /** Whether lines of this level and channel are kept: who writes one for every request asks first. Without it all are. */
  wants?(level: LogLevel, channel: string): boolean
}

/** What handlers write to: `exchange.log.info('Paid {amount}.', { amount })`. */
export class Logger {
  readonly #sink: LogSink
  readonly #channel: string

  constructor(sink: LogSink, channel = 'app') {
    this.#sink = sink
    this.#channel = channel
  }

  trace(message: string, context: Readonly<Record<string, unknown>> = {}): void {
    this.#sink.write({ level: 'trace', channel: this.#channel, message, context })
  }
  debug(message: string, context: Readonly<Record<string, unknown>> = {}): void {
    this.#sink.write({ level: 'debug', channel: this.#channel, message, context })
  }
  info(message: string, context: Readonly<Record<string, unknown>> = {}): void {
    this.#sink.write({ level: 'info', channel: this.#channel, message, context })
  }
  warn(message: string, context: Readonly<Record<string, unknown>> = {}): void {
    this.#sink.write({ level: 'warn', channel: this.#channel, message, context })
  }
  error(message: string, context: Readonly<Record<string, unknown>> = {}): void {
    this.#sink.write({ level: 'error', channel: this.#channel, message, context })
  }
  /** Whether a line of this level and channel goes anywhere; `false` spares making it. */
  wants(level: LogLevel, channel: string): boolean {
    const sink = this.#sink
    return sink.wants === undefined || sink.wants(level, channel)
  }
  /** Writes a prepared line, with its own channel. */
  write(line: LogLine): void {
    this.#sink.write(line)
  }
  /** A logger of the same sink that leaves out what a channel says of every request. */
  withoutInfoOf(channel: string): Logger {
    const sink = this.#sink
    const wants = (level: LogLevel, name: string): boolean =>
      !(level === 'info' && name === channel) && (sink.wants === undefined || sink.wants(level, name))
    return new Logger({ write: (line) => sink.write(line), wants }, this.#channel)
  }
  /** A logger of the same sink that speaks under another name. */
  withChannel(channel: string): Logger {
    return new Logger(this.#sink, channel)
  }
}

/** Fills `{placeholders}` from the context: strings as they are, the rest as JSON; unknown ones stay. */
export function fillPlaceholders(line: Pick<LogLine, 'message' | 'context'>): string {
  const { message, context } = line
  let filled = ''
  let done = 0
  for (let open = message.indexOf('{'); open >= 0; open = message.indexOf('{', open + 1)) {
    const close = message.indexOf('}', open)
    if (close < 0) break
    const name = message.slice(open + 1, close)
    if (!placeholderName.test(name) || !Object.hasOwn(context, name)) continue
    const value = textOf(context[name])
    if (value === undefined) continue
    filled += message.slice(done, open) + value
    done = close + 1
  }
  return done === 0 ? message : filled + message.slice(done)
}

const placeholderName = /^[\w.]+$/

/** `undefined` for what has no JSON form. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return undefined
  }
}
