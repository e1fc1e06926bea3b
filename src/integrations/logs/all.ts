// The lines that an application logs by other means than `exchange.log`: each once, with its level, channel and context.

import type { LoadHook, Observer } from '../integration.ts'
import { keepConsoleLines } from './console.ts'
import { nestLines } from './nest.ts'
import { keepPinoLines } from './pino.ts'
import { Printing } from './printing.ts'
import { winstonLines } from './winston.ts'

interface LogCapture {
  /** For loggers that publish nothing. */
  readonly hooks: readonly LoadHook[]
  /** Hears those that publish, from now on. */
  subscribe(observer: Observer): void
}

/** One for the process: each of them would keep every line. */
export function logCapture(): LogCapture {
  const printing = new Printing()
  return {
    hooks: [...winstonLines(printing), ...nestLines(printing)],
    subscribe: (observer) => {
      keepConsoleLines(observer, printing)
      keepPinoLines(observer)
    },
  }
}
