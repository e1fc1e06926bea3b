// The log of the process: JSON lines like pino's, or short lines for people.

import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { fillPlaceholders, type LogLevel, type LogLine, type LogSink } from './logger.ts'

/** Options of the process log. */
export interface ProcessLogOptions {
  /** The lowest level to write. Default: `info`. */
  readonly level?: LogLevel | 'silent'
  /** The lowest level of single channels: `{ router: 'warn' }`. Default: none. */
  readonly channelLevels?: Readonly<Record<string, LogLevel>>
  /** Short lines for people instead of JSON, in colour if the terminal has colours and `NO_COLOR` is not set. Default: false. */
  readonly pretty?: boolean
  /** Default: standard output. */
  readonly destination?: Writable
  /** Bytes that may wait for a slow destination; further lines are dropped and counted. Default: 4 MiB. */
  readonly maxPendingBytes?: number
}

/** A sink for the whole process. */
export interface ProcessLog extends Required<LogSink> {
  /** Settles when everything has left, or after `timeoutMs` (default 1000). Never rejects. */
  flush(timeoutMs?: number): Promise<void>
  /** Flushes, then lets go of the destination. */
  close(timeoutMs?: number): Promise<void>
}

/** Makes the process log. It never blocks on a slow destination. Control and direction characters are escaped in every line, so that no request can forge one. */
export function createProcessLog(options: ProcessLogOptions = {}): ProcessLog {
  const destination = options.destination ?? process.stdout
  const output = new BoundedOutput(destination, options.maxPendingBytes ?? 4 * 1024 * 1024)
  const least = severity[options.level ?? 'info']
  const leastByChannel = new Map(
    Object.entries(options.channelLevels ?? {}).map(([channel, level]) => [channel, severity[level]]),
  )
  const wants = (level: LogLevel, channel: string): boolean =>
    severity[level] >= Math.max(least, leastByChannel.get(channel) ?? 0)
  const isColoured = hasColours(destination)
  const format = options.pretty === true ? (line: LogLine): string => prettyLine(line, isColoured) : jsonLine
  return {
    wants,
    write: (line) => {
      if (wants(line.level, line.channel)) output.write(escapeInvisible(formatSafely(line, format)))
    },
    get dropped(): number {
      return output.dropped
    },
    flush: (timeoutMs = 1000) => output.flush(timeoutMs),
    close: (timeoutMs = 1000) => output.close(timeoutMs),
  }
}

function jsonLine(line: LogLine): string {
  const { level, time, channel, context } = line
  return `${JSON.stringify({ level, time, channel, context, msg: fillPlaceholders(line) })}\n`
}

function prettyLine(line: LogLine, isColoured: boolean): string {
  return terminalLine({ ...line, message: fillPlaceholders(line) }, line.time, isColoured)
}

/** Lines are plain data, but sinks are public: a context that JSON cannot hold must not throw. */
function formatSafely(line: LogLine, format: (line: LogLine) => string): string {
  try {
    return format(line)
  } catch {
    return format({ ...line, context: { value: '[Unreadable]' } })
  }
}

// U+007F–9F, U+2028/9 and the bidirectional controls. JSON escapes U+0000–1F itself.
const invisible = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

/** Escapes what JSON leaves as it is; the line stays valid JSON of the same data. */
function escapeInvisible(line: string): string {
  return line.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const severity: Readonly<Record<LogLevel | 'silent', number>> = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
  silent: 70,
}

/** Terminals take `NO_COLOR` and `TERM` into account. */
function hasColours(destination: Writable & { hasColors?: () => boolean }): boolean {
  return destination.hasColors?.() === true
}

/** A line to print: masked, with the placeholders of the message filled in. */
interface TerminalLine {
  readonly level: LogLevel
  readonly channel: string
  readonly message: string
  readonly context: Readonly<Record<string, unknown>>
}

const colours = {
  trace: 'dim',
  debug: 'cyan',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: 'magenta',
} as const satisfies Record<LogLevel, string>

/**
 * `18:25:36.696 ERROR [app] Payment failed. {"order":7}`, in local time. A `stack` or `trace` in the context follows line by line,
 * indented by four spaces. Control characters in the data are escaped; only the end of a line breaks it.
 */
function terminalLine(line: TerminalLine, atMs: number, isColoured: boolean): string {
  const paint = (format: 'dim' | (typeof colours)[LogLevel], text: string): string =>
    isColoured ? styleText(format, text, { validateStream: false }) : text
  const { stack, trace, ...rest } = line.context
  const calls = callsOf(stack) ?? callsOf(trace)
  const context = JSON.stringify(calls === undefined ? line.context : rest)
  const head = [
    paint('dim', timeOfDay(new Date(atMs))),
    paint(colours[line.level], line.level.toUpperCase().padEnd(5)),
    `[${escapeControls(line.channel)}]`,
    escapeControls(line.message),
    ...(context === '{}' ? [] : [paint('dim', context)]),
  ].join(' ')
  return [head, ...(calls ?? []).map((call) => paint('dim', `    ${escapeControls(call.trim())}`)), ''].join('\n')
}

/** The lines of a stack, or of a list of calls; `undefined` for anything else. */
function callsOf(value: unknown): readonly string[] | undefined {
  const lines: unknown = typeof value === 'string' && value.includes('\n') ? value.split('\n') : value
  return Array.isArray(lines) && lines.every((line) => typeof line === 'string') ? lines : undefined
}

function timeOfDay(time: Date): string {
  const [hours, minutes, seconds] = [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) =>
    String(part).padStart(2, '0'),
  )
  return `${hours}:${minutes}:${seconds}.${String(time.getMilliseconds()).padStart(3, '0')}`
}

/** As JSON writes them: `\n`, `\u001b`. */
function escapeControls(text: string): string {
  return text.replace(/[\u0000-\u001f]/g, (character) => JSON.stringify(character).slice(1, -1))
}

/** Writes without ever blocking or throwing; counts what is lost. */
class BoundedOutput {
  readonly #stream: Writable
  readonly #maxPendingBytes: number
  readonly #onError = (): void => {
    this.#dropped += 1
  }
  #dropped = 0

  constructor(stream: Writable, maxPendingBytes: number) {
    this.#stream = stream
    this.#maxPendingBytes = maxPendingBytes
    // Without a listener a closed pipe ends the process with EPIPE.
    stream.on('error', this.#onError)
  }

  /** Lines lost so far. */
  get dropped(): number {
    return this.#dropped
  }

  /** `lines`: how many lines the text has. */
  write(text: string, lines = 1): void {
    const stream = this.#stream
    if (stream.destroyed || !stream.writable || stream.writableLength > this.#maxPendingBytes) {
      this.#dropped += lines
      return
    }
    try {
      stream.write(text)
    } catch {
      this.#dropped += lines
    }
  }

  /** Flushes, then stops handling errors of the stream; do not write afterwards. */
  async close(timeoutMs: number): Promise<void> {
    await this.flush(timeoutMs)
    this.#stream.off('error', this.#onError)
  }

  /** Settles when everything is written, the stream is closed, or the time is over. */
  flush(timeoutMs: number): Promise<void> {
    const stream = this.#stream
    if (stream.destroyed || stream.writableLength === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(finish, timeoutMs)
      stream.once('close', finish)
      // An empty write ends after all that were begun before it.
      stream.write('', finish)
      function finish(): void {
        clearTimeout(timer)
        stream.off('close', finish)
        resolve()
      }
    })
  }
}
