// Puts a line that the application prints by a logger of its choice into the log of the running request.

import { currentExchange } from './current-exchange.ts'
import type { LogEntry, LogLevel } from '../../base/log/logger.ts'
import { format } from 'node:util'

/** What loggers call levels that this library calls otherwise. */
const levels: Readonly<Record<string, LogLevel>> = {
  fatal: 'fatal',
  emerg: 'fatal',
  alert: 'fatal',
  crit: 'fatal',
  error: 'error',
  warn: 'warn',
  warning: 'warn',
  notice: 'info',
  info: 'info',
  log: 'info',
  http: 'info',
  debug: 'debug',
  verbose: 'trace',
  trace: 'trace',
  silly: 'trace',
}

/** Adds the line if a request is recorded; `entry` is called only then. Nothing is printed. */
export function keepLine(entry: () => LogEntry): void {
  currentExchange()?.recording?.logger.keep(entry())
}

/** Runs what prints a line that is kept: where it prints through `console`, that is the same line. */
export function printing(print: () => unknown): unknown {
  const logger = currentExchange()?.recording?.logger
  return logger === undefined ? print() : logger.print(print)
}

/** Default: `info`. */
export function levelOf(name: unknown): LogLevel {
  const known = String(name).toLowerCase()
  return Object.hasOwn(levels, known) ? (levels[known] ?? 'info') : 'info'
}

const placeholder = /%[sdifjoOc%]/g

/**
 * Message and context of what was given to a logger in the manner of `console.log`. Objects go to the context, where secrets are masked by
 * their names; the message has a placeholder in their place.
 */
export function messageOf(args: readonly unknown[]): Pick<LogEntry, 'message' | 'context'> {
  const context: Record<string, unknown> = {}
  const shown = (value: unknown, how: string): string => {
    if (typeof value !== 'object' || value === null) return format(how, value)
    const name = `value${Object.keys(context).length + 1}`
    context[name] = value
    return `{${name}}`
  }
  const rest = [...args]
  const first = typeof rest[0] === 'string' ? rest.shift() : ''
  const text = String(first).replace(placeholder, (how) => {
    if (how === '%%' || rest.length === 0) return how === '%%' && args.length > 1 ? '%' : how
    const value = rest.shift()
    return how === '%c' ? '' : shown(value, how)
  })
  const others = rest.map((value) => (typeof value === 'string' ? value : shown(value, '%o')))
  return { message: [text, ...others].filter((part) => part !== '').join(' '), context }
}
