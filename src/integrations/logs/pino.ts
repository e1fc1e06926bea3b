// Lines of pino, and so of Fastify's logger, from its tracing channel. They are read as pino has made them: with its own
// serializers, and without what it was told to leave out.

import { subscribe } from 'node:diagnostics_channel'
import type { LogEntry } from '../../framework/log/logger.ts'
import type { Observer } from '../integration.ts'
import { keepLine, levelOf } from './keep-line.ts'

/** Longer lines are kept without their context, in characters. */
const maxRead = 64 * 1024

/** Hears them from now on. */
export function keepPinoLines(observer: Observer): void {
  subscribe('tracing:pino_asJson:end', (event) => {
    observer.guard('log lines: pino', () => keepLine(() => entryOf(Object(event) as PinoEvent)))
  })
}

interface PinoEvent {
  readonly instance?: { readonly levels?: { readonly labels?: Readonly<Record<number, string>> } }
  /** The merged object, the message, the number of the level. */
  readonly arguments?: ArrayLike<unknown>
  readonly result?: unknown
}

function entryOf({ instance, arguments: args, result }: PinoEvent): LogEntry {
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
