// A log line for people: time, level, channel, message, context, and a stack on indented lines below.

import { styleText } from 'node:util'
import type { LogLevel } from './logger.ts'

/** What is printed: masked, with the placeholders of the message filled in. */
export interface TerminalLine {
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
export function terminalLine(line: TerminalLine, atMs: number, isColoured: boolean): string {
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
