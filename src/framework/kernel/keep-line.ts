// Puts a line that the application prints by a logger of its choice into the log of the running request.

import { currentExchange } from './current-exchange.ts'
import type { LogEntry, LogLevel } from '../log/logger.ts'

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
