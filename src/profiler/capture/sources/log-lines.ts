// The lines that an application prints by `console` and by pino, from their channels. Each is kept once: a line that a logger prints through
// `console` is the logger's.

import { currentExchange } from '../../../framework/kernel/current-exchange.ts'
import { keepLine, levelOf } from '../../../framework/kernel/keep-line.ts'
import { messageOf } from '../../../framework/log/message-of.ts'
import { pinoEntry } from '../pino-entry.ts'
import { ownerOf } from '../owner.ts'
import { Channels, type ChannelListener } from './tracing-source.ts'

/** Methods that `console` has; the others end in one of them. */
const methods = ['log', 'info', 'debug', 'warn', 'error'] as const

/** `owner` is the capture of one application: all applications of a process hear the same channels. */
export function logLines(owner: object): Channels {
  const isOwn = (): boolean => ownerOf(currentExchange()?.recording) === owner
  const ofConsole = methods.map((method): [string, ChannelListener] => [
    `console.${method}`,
    (args) => {
      if (!isOwn() || !Array.isArray(args) || currentExchange()?.recording?.logger.isPrinting === true) return
      // Node prints warnings of the process by `console.error`; they are kept as warnings.
      if (String(args[0]).startsWith(`(node:${process.pid}) `)) return
      keepLine(() => ({ level: levelOf(method), channel: 'console', ...messageOf(args) }))
    },
  ])
  const ofPino: ChannelListener = (event) => {
    if (isOwn()) keepLine(() => pinoEntry(event))
  }
  return new Channels('logger', { ...Object.fromEntries(ofConsole), 'tracing:pino_asJson:end': ofPino })
}
