// Masks entries before a sink gets them.

import { fillPlaceholders, type Log, type LogEntry, type LogLevel, type LogLine, type LogSink } from './logger.ts'

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
