// The log of the process: one JSON object a line, in the form that pino gave it, or short lines for people on a terminal. It
// never blocks on a sink that is slow and never dies of one that is gone; what could not be written is counted.

import type { Writable } from 'node:stream'
import { BoundedOutput } from './bounded-output.ts'
import { escapeInvisible } from './escape-line.ts'
import { tailJson } from './formed-line.ts'
import { LineBatch } from './line-batch.ts'
import { fillPlaceholders, type LogLevel, type LogLine, type LogSink } from './logger.ts'
import { terminalLine } from './terminal-line.ts'

/** What a process log is made of. */
export interface ProcessLogOptions {
  /** Lines below this level are left out. Default `info`. */
  readonly level?: LogLevel | 'silent'
  /** Levels of single channels, where they are above the level: `{ router: 'warn' }`. Default: none. */
  readonly channelLevels?: Readonly<Record<string, LogLevel>>
  /** Short lines for people instead of JSON; coloured on a terminal that has colours, unless `NO_COLOR` is set. Default false. */
  readonly pretty?: boolean
  /** Where lines go. Default: standard output. */
  readonly destination?: Writable
  /** Makes a context plain, masked and bounded. Without it contexts must be plain data already. */
  readonly mask?: (context: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** Masks a message. Default: left as it is. */
  readonly maskText?: (text: string) => string
  /** Bytes that may wait for a slow destination; lines beyond are dropped and counted. Default 4 MiB. */
  readonly maxPendingBytes?: number
  /**
   * How long a line may wait for others to be written with, in milliseconds; warnings, errors and the end of the process wait
   * for nothing. Default 0: each line is written at once.
   */
  readonly batchMs?: number
}

/** A sink for the whole process. `write` never throws. */
export interface ProcessLog extends LogSink {
  wants(level: LogLevel, channel: string): boolean
  writeMasked(line: LogLine): void
  writeSoon(line: LogLine): void
  /** Lines that were lost because the destination was full, slow or gone. */
  readonly dropped: number
  /** Settles when everything written has left, or after `timeoutMs` (default 1000) at the latest. Never rejects. */
  flush(timeoutMs?: number): Promise<void>
  /** Flushes, then lets go of the destination. */
  close(timeoutMs?: number): Promise<void>
}

/** Makes the process log. Control and direction characters are escaped in every line, so that no request can forge one. */
export function createProcessLog(options: ProcessLogOptions = {}): ProcessLog {
  const destination = options.destination ?? process.stdout
  const output = new BoundedOutput(destination, options.maxPendingBytes ?? 4 * 1024 * 1024)
  const { mask = keep, maskText = keep } = options
  const channels = new Map(Object.entries(options.channelLevels ?? {}))
  const least = severity[options.level ?? 'info']
  const wants = (level: LogLevel, channel: string): boolean => {
    if (severity[level] < least) return false
    const ofChannel = channels.size === 0 ? undefined : channels.get(channel)
    return ofChannel === undefined || severity[level] >= severity[ofChannel]
  }
  // Also of a masked line: a secret may show only where template and value meet.
  const textOf = (line: LogLine): string => {
    const text = fillPlaceholders({ message: line.message, context: line.context })
    return line.isTextMasked === true ? text : maskText(text)
  }
  const tailOf = (line: LogLine): string =>
    tailJson(line.channel, JSON.stringify(line.context) ?? unreadable, JSON.stringify(textOf(line)))
  const formatJson = (line: LogLine, atMs: number): string => {
    // Fields and order are pino's: what reads its lines reads these.
    const head = `{"level":"${line.level}","time":${atMs}`
    try {
      return head + (line.tailJson ?? tailOf(line))
    } catch {
      return head + tailJson(line.channel, unreadable, JSON.stringify(line.message))
    }
  }
  const isColoured = hasColours(destination)
  const formatForPeople = (line: LogLine, atMs: number): string => {
    const { level, channel, message, context } = line
    try {
      return terminalLine({ level, channel, message: textOf(line), context }, atMs, isColoured)
    } catch {
      return terminalLine({ level, channel, message, context: unreadableContext }, atMs, isColoured)
    }
  }
  // One look at many lines costs less than one at each.
  const escaped = { write: (text: string, lines?: number): void => output.write(escapeInvisible(text), lines) }
  const batch = new LineBatch(escaped, options.pretty === true ? formatForPeople : formatJson, options.batchMs ?? 0)
  const gather = (line: LogLine): void =>
    batch.write(line, line.level !== 'info' && line.level !== 'debug' && line.level !== 'trace')
  return {
    wants,
    write: (line) => {
      if (wants(line.level, line.channel)) gather(maskedLine(line, mask))
    },
    writeMasked: (line) => {
      if (wants(line.level, line.channel)) gather(line)
    },
    writeSoon: (line) => {
      if (wants(line.level, line.channel)) batch.writeSoon(line)
    },
    get dropped(): number {
      return output.dropped
    },
    flush: (timeoutMs = 1000) => {
      batch.flush()
      return output.flush(timeoutMs)
    },
    close: (timeoutMs = 1000) => {
      batch.close()
      return output.close(timeoutMs)
    },
  }
}

const unreadableContext = Object.freeze({ value: '[Unreadable]' })
const unreadable = JSON.stringify(unreadableContext)

/** The line as it is now: who wrote it may go on with its context. */
function maskedLine({ level, channel, message, context }: LogLine, mask: ProcessLogOptions['mask'] & object): LogLine {
  try {
    return { level, channel, message, context: mask(context) }
  } catch {
    return { level, channel, message, context: unreadableContext }
  }
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

/** Terminals know themselves, with `NO_COLOR` and `TERM`. */
function hasColours(destination: Writable & { hasColors?: () => boolean }): boolean {
  return destination.hasColors?.() === true
}

function keep<T>(value: T): T {
  return value
}
