// Masks entries before a sink gets them.

import { fillPlaceholders, type Log, type LogEntry, type LogLevel, type LogLine, type LogSink } from './logger.ts'

export interface LogRedactor {
  /** Any context as plain, masked, bounded data. */
  record(context: LogEntry['context']): LogEntry['context']
  text(text: string): string
}

export function redactedLine({ level, channel, message, context }: LogEntry, redactor: LogRedactor): LogLine {
  const plain = plainContext(context, redactor)
  const template = redactor.text(message)
  const filled = fillPlaceholders({ message: template, context: plain })
  const masked = redactor.text(filled)
  // A secret may only show once the template is filled in: `Bearer {token}`.
  return {
    level,
    channel: redactor.text(channel),
    message: masked === filled ? template : masked,
    context: plain,
    time: Date.now(),
  }
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
    if (this.wants(entry.level, entry.channel)) this.#sink.write(redactedLine(entry, this.#redactor))
  }

  wants(level: LogLevel, channel: string): boolean {
    return this.#sink.wants?.(level, channel) ?? true
  }
}
