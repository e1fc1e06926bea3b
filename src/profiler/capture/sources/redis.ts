// Commands to Redis and Valkey, as `redis` (from 5.12) and `ioredis` (from 5.11) publish them.

import { deepStackFrames } from '../begin-statement.ts'
import { redisText } from '../command-text.ts'
import type { StatementStart } from '../statement.ts'
import { valueKey } from '../value-key.ts'
import type { TracingSourceParts } from './tracing-source.ts'

/** The package `redis`. Its arguments begin with the command; a transaction is one statement, `MULTI`. */
export const nodeRedisSource: TracingSourceParts = {
  channels: ['node-redis:command', 'node-redis:batch'],
  // The commands of a pipeline are told one by one; those of a transaction only as a whole.
  concerns: (message, channel) => channel === 'node-redis:command' || message['batchMode'] === 'MULTI',
  start: (message, channel) =>
    channel === 'node-redis:batch'
      ? startOf('redis', { ...message, command: 'MULTI' }, ['?'])
      : startOf('redis', message, listOf(message['args']).slice(1)),
  rowsOf,
}

/** The package `ioredis`. */
export const ioredisSource: TracingSourceParts = {
  channels: ['ioredis:command'],
  start: (message) => startOf('ioredis', message, listOf(message['args'])),
  rowsOf,
}

function startOf(
  library: string,
  message: Readonly<Record<string, unknown>>,
  args: readonly unknown[],
): StatementStart {
  const name = String(message['command'])
  const database = message['database']
  return {
    system: 'redis',
    library,
    text: redisText(name, args),
    namespace: typeof database === 'number' ? `db ${database}` : null,
    // Both libraries put `?` in place of what is written, so what is written can be equal to nothing.
    key: args.includes('?') ? null : valueKey([name, ...args]),
    site: deepStackFrames,
  }
}

/** A list's length; a single answer is there or not. */
function rowsOf(result: unknown): number | null {
  if (result === null) return 0
  return Array.isArray(result) ? result.length : null
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
