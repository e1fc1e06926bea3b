// The log of the process: JSON lines in pino's format, or short lines for people.

import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { fillPlaceholders, type LogLevel, type LogLine, type LogSink } from './logger.ts'
import { membersOf } from '../members.ts'

export interface ProcessLogOptions {
  /** Lowest level to write. Default: `info`. */
  readonly level?: LogLevel | 'silent'
  /** Levels of channels that have another one: `{ router: 'warn' }`. Default: none. */
  readonly channelLevels?: Readonly<Record<string, LogLevel | 'silent'>>
  /** Short lines for people, coloured if the terminal supports it and `NO_COLOR` is not set. Default: false. */
  readonly pretty?: boolean
  /** Default: standard output. */
  readonly destination?: Writable
  /** Bytes that may wait for a slow destination; further lines are dropped and counted. Default: 4 MiB. */
  readonly maxPendingBytes?: number
}

interface ProcessLog extends Required<LogSink> {
  /** Resolves when everything is written, or after `timeoutMs` (default 1000). */
  flush(timeoutMs?: number): Promise<void>
  /** Flushes, then releases the destination. */
  close(timeoutMs?: number): Promise<void>
}

/** Never blocks on a slow destination. Escapes control and bidi characters, so that no request can forge a line. */
export function createProcessLog(options: ProcessLogOptions = {}): ProcessLog {
  const destination: Writable & { hasColors?: () => boolean } = options.destination ?? process.stdout
  // Considers `NO_COLOR` and `TERM`.
  const isColoured = destination.hasColors?.() === true
  const format: Format = options.pretty === true ? (line) => terminalLine(line, isColoured) : jsonLine
  const output = new BoundedOutput(destination, format, options.maxPendingBytes ?? 4 * 1024 * 1024)
  const least = severity[options.level ?? 'info']
  const leastByChannel = new Map(
    Object.entries(options.channelLevels ?? {}).map(([channel, level]) => [channel, severity[level]]),
  )
  const wants = (level: LogLevel, channel: string): boolean => severity[level] >= (leastByChannel.get(channel) ?? least)
  return {
    wants,
    write: (line) => {
      if (wants(line.level, line.channel)) output.write(line)
    },
    get dropped(): number {
      return output.dropped
    },
    flush: (timeoutMs = 1000) => output.flush(timeoutMs),
    close: (timeoutMs = 1000) => output.close(timeoutMs),
  }
}

/** Without its end. */
type Format = (line: LogLine) => string

function jsonLine(line: LogLine): string {
  const { level, time, channel, requestId: request_id, context } = line
  return JSON.stringify({ level, time, channel, request_id, context, msg: fillPlaceholders(line) })
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

const colours = {
  trace: 'dim',
  debug: 'cyan',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: 'magenta',
} as const satisfies Record<LogLevel, string>

/**
 * `18:25:36.696 ERROR [app] Payment failed. {"order":7} 4f7k2m9qx0ab`, in local time and with the id of the request. The
 * `stack` or `trace` of the context, and the stacks of errors and their causes, follow on separate lines, indented by four spaces. Control
 * characters are escaped.
 */
function terminalLine(line: LogLine, isColoured: boolean): string {
  const paint = (format: 'dim' | (typeof colours)[LogLevel], text: string): string =>
    isColoured ? styleText(format, text, { validateStream: false }) : text
  const { stack, trace, ...rest } = line.context
  const own = callsOf(stack) ?? callsOf(trace)
  const calls = [...(own ?? [])]
  const withoutStacks = (value: unknown): unknown => takeStacks(value, calls)
  const shown = Object.entries(own === undefined ? line.context : rest)
  const context = JSON.stringify(Object.fromEntries(shown.map(([name, value]) => [name, withoutStacks(value)])))
  const head = [
    paint('dim', timeOfDay(new Date(line.time))),
    paint(colours[line.level], line.level.toUpperCase().padEnd(5)),
    `[${escapeControls(line.channel)}]`,
    escapeControls(fillPlaceholders(line)),
    ...(context === '{}' ? [] : [paint('dim', context)]),
    ...(line.requestId === undefined ? [] : [paint('dim', escapeControls(line.requestId))]),
  ].join(' ')
  return [head, ...calls.map((call) => paint('dim', `    ${escapeControls(call.trim())}`))].join('\n')
}

/** An error of the context without its stack and its causes, which are added to `calls`; any other value as it is. */
function takeStacks(value: unknown, calls: string[], prefix = ''): unknown {
  if (typeof value !== 'object' || value === null || !('stack' in value)) return value
  const { stack, cause, ...rest } = membersOf(value)
  const [head = '', ...lines] = callsOf(stack) ?? [String(stack)]
  calls.push(`${prefix}${head}`, ...lines)
  if (cause === undefined) return rest
  const left = takeStacks(cause, calls, 'caused by ')
  return left === cause ? { ...rest, cause } : rest
}

/** The lines of a stack or a list of frames; `undefined` for anything else. */
function callsOf(value: unknown): readonly string[] | undefined {
  const lines: unknown = typeof value === 'string' && value.includes('\n') ? value.split('\n') : value
  return Array.isArray(lines) && lines.every((line) => typeof line === 'string') ? lines : undefined
}

function timeOfDay(time: Date): string {
  return `${time.toTimeString().slice(0, 8)}.${String(time.getMilliseconds()).padStart(3, '0')}`
}

/** As in JSON: `\n`, `\u001b`. */
function escapeControls(text: string): string {
  return text.replace(/[\u0000-\u001f]/g, (character) => JSON.stringify(character).slice(1, -1))
}

/** How long lines may wait for others, in milliseconds. */
const maxWaitMs = 10
/** As it was when this was loaded: fake timers of an application hold no line back. */
const { setTimeout: later } = globalThis

/** Never blocks or throws; counts lost lines. */
class BoundedOutput {
  readonly #stream: Writable
  readonly #format: Format
  readonly #maxPendingBytes: number
  readonly #onError = (): void => {
    this.#dropped += 1
  }
  #dropped = 0
  /** Lines that are written together, and their number. */
  readonly #lines = new LineBytes()
  #waiting = 0
  #timer: NodeJS.Timeout | undefined

  constructor(stream: Writable, format: Format, maxPendingBytes: number) {
    this.#stream = stream
    this.#format = format
    this.#maxPendingBytes = maxPendingBytes
    // Without a listener a closed pipe ends the process with EPIPE.
    stream.on('error', this.#onError)
  }

  get dropped(): number {
    return this.#dropped
  }

  /** Every write costs a call of the system, so lines that may wait share one. */
  write(line: LogLine): void {
    this.#add(line)
    if (line.mayWait !== true || this.#lines.isFull) this.#writeWaiting()
    else if (this.#waiting === 1) {
      this.#timer = later(this.#writeWaiting, maxWaitMs).unref()
      process.once('exit', this.#writeWaiting)
    }
  }

  /** A context may be one that JSON cannot hold. */
  #add(line: LogLine): void {
    this.#waiting += 1
    let text: string
    try {
      text = this.#format(line)
    } catch {
      text = this.#format({ ...line, context: { value: '[Unreadable]' } })
    }
    this.#lines.add(text)
  }

  readonly #writeWaiting = (): void => {
    const count = this.#waiting
    if (count === 0) return
    clearTimeout(this.#timer)
    process.off('exit', this.#writeWaiting)
    this.#waiting = 0
    const bytes = this.#lines.take()
    const stream = this.#stream
    if (stream.destroyed || !stream.writable || stream.writableLength > this.#maxPendingBytes) {
      this.#dropped += count
      return
    }
    try {
      stream.write(bytes)
    } catch {
      this.#dropped += count
    }
  }

  /** Flushes, then stops handling errors of the stream. Do not write afterwards. */
  async close(timeoutMs: number): Promise<void> {
    await this.flush(timeoutMs)
    this.#stream.off('error', this.#onError)
  }

  /** Resolves when everything is written, the stream is closed, or time is up. */
  flush(timeoutMs: number): Promise<void> {
    this.#writeWaiting()
    const stream = this.#stream
    if (stream.destroyed || stream.writableLength === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(finish, timeoutMs)
      stream.once('close', finish)
      // An empty write ends after all earlier ones.
      stream.write('', finish)
      function finish(): void {
        clearTimeout(timer)
        stream.off('close', finish)
        resolve()
      }
    })
  }
}

/** Bytes that lines may take; only a long one gets more. */
const usualBytes = 65_536
const lineEnd = 0x0a

/** Lines, one behind the other. */
class LineBytes {
  #bytes: Buffer = Buffer.allocUnsafe(usualBytes)
  #length = 0

  /** Whether it is time to write them. */
  get isFull(): boolean {
    return this.#length > usualBytes / 2
  }

  /** Adds a line and its end, with what is invisible escaped. */
  add(text: string): void {
    let count = this.#write(text)
    // One byte a character is ASCII, of which JSON does not escape the last one.
    if (count !== text.length || text.includes('\u007f')) count = this.#write(escapeInvisible(text))
    this.#length += count
    this.#bytes[this.#length] = lineEnd
    this.#length += 1
  }

  /** What was added; nothing is left. A copy, because a slow stream keeps it for a time. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length))
    this.#length = 0
    if (this.#bytes.length > usualBytes) this.#bytes = Buffer.allocUnsafe(usualBytes)
    return taken
  }

  /** Behind what was added, with room for its end. Gives the number of bytes; a character has three at most. */
  #write(text: string): number {
    const needed = this.#length + text.length * 3 + 1
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(needed * 2)
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    return this.#bytes.write(text, this.#length)
  }
}

// U+007F–9F, U+2028/9 and the bidirectional controls. JSON escapes U+0000–1F itself.
const invisible = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

/** Text without characters that nobody sees: `\u202e`, as in JSON. */
function escapeInvisible(text: string): string {
  return text.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
