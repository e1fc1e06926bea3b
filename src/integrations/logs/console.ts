// Lines of `console.log` and its siblings, from the channels of Node.

import type { Observer } from '../integration.ts'
import { subscribe } from 'node:diagnostics_channel'
import { keepLine, levelOf } from './keep-line.ts'
import { messageOf } from './message-of.ts'
import type { Printing } from './printing.ts'

/** Those that `console` has; the others end in one of them. */
const methods = ['log', 'info', 'debug', 'warn', 'error'] as const

/** Hears them from now on. Lines that a logger prints through `console` are the logger's. */
export function keepConsoleLines(observer: Observer, printing: Printing): void {
  for (const method of methods) {
    subscribe(`console.${method}`, (args) => {
      if (printing.isRunning || !Array.isArray(args)) return
      observer.guard('log lines: console', () =>
        keepLine(() => ({ level: levelOf(method), channel: 'console', ...messageOf(args) })),
      )
    })
  }
}
