// The lines that an application prints by `console` and by pino, from their channels. Each is kept once: a line that a logger prints through
// `console` is the logger's.

import { currentExchange } from '../../../framework/kernel/current-exchange.ts'
import { keepLine, levelOf, messageOf } from '../../../framework/kernel/keep-line.ts'
import { ownerOf } from '../owner.ts'
import { Channels, type ChannelListener } from './tracing-source.ts'
import type { LogEntry } from '../../../framework/log/logger.ts'

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

/** Longer lines are kept without their context, in characters. */
const maxRead = 64 * 1024

interface PinoEvent {
  readonly instance?: { readonly levels?: { readonly labels?: Readonly<Record<number, string>> } }
  /** The merged object, the message, the number of the level. */
  readonly arguments?: ArrayLike<unknown>
  readonly result?: unknown
}

/** The line that an event of its channel is about. */
function pinoEntry(event: unknown): LogEntry {
  const { instance, arguments: args, result } = Object(event) as PinoEvent
  const { level, time, pid, hostname, name, msg, ...context } = fieldsOf(result)
  void [level, time, pid, hostname]
  const message = args?.[1] ?? msg
  return {
    level: levelOf(instance?.levels?.labels?.[Number(args?.[2])]),
    channel: typeof name === 'string' && name !== '' ? name : 'pino',
    message: typeof message === 'string' ? message : '',
    context,
  }
}

function fieldsOf(line: unknown): Readonly<Record<string, unknown>> {
  if (typeof line !== 'string' || line.length > maxRead) return {}
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
}
