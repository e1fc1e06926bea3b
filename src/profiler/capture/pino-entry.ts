// Lines of pino, and so of Fastify's logger, from its tracing channel. They are read as pino has made them: with its own
// serializers, and without what it was told to leave out.

import type { LogEntry } from '../../framework/log/logger.ts'
import { levelOf } from '../../framework/kernel/keep-line.ts'

/** Longer lines are kept without their context, in characters. */
const maxRead = 64 * 1024

interface PinoEvent {
  readonly instance?: { readonly levels?: { readonly labels?: Readonly<Record<number, string>> } }
  /** The merged object, the message, the number of the level. */
  readonly arguments?: ArrayLike<unknown>
  readonly result?: unknown
}

/** The line that an event of its channel is about. */
export function pinoEntry(event: unknown): LogEntry {
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
