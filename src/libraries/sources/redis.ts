// Commands to Redis and Valkey, as `redis` (from 5.12) and `ioredis` (from 5.11) publish them. A command that had to wait is
// sent in the context of another request: clients and pools handed over keep each command in its own.

import { define } from '../../http/kernel/follow-call.ts'
import { currentExchange, runInExchange } from '../../http/kernel/current-exchange.ts'
import type { Exchange } from '../../http/kernel/exchange.ts'
import { listOf } from '../../base/members.ts'
import { deepStackFrames, type TracingSourceParts } from '../../capture/begin-query.ts'
import { redisText, valueKey } from '../../observe/outgoing/query-text.ts'
import { redisUse } from '../../observe/outgoing/shared-values.ts'
import type { QueryStart } from '../../observe/outgoing/queries.ts'
import { inPlace, isCallback, listRows } from '../../observe/tracing-source.ts'

/** The package `redis`. Its arguments begin with the command; a transaction is one query, `MULTI`. */
export const nodeRedisSource: TracingSourceParts = {
  channels: ['node-redis:command', 'node-redis:batch'],
  // A pipeline publishes each command; a transaction only itself.
  concerns: (message, channel) => channel === 'node-redis:command' || message['batchMode'] === 'MULTI',
  start: (message, channel) =>
    channel === 'node-redis:batch'
      ? startOf('redis', { ...message, command: 'MULTI' }, ['?'])
      : startOf('redis', message, listOf(message['args']).slice(1)),
  rowsOf: listRows,
}

export const ioredisSource: TracingSourceParts = {
  channels: ['ioredis:command'],
  start: (message) => startOf('ioredis', message, listOf(message['args'])),
  rowsOf: listRows,
}

function startOf(library: string, message: Readonly<Record<string, unknown>>, args: readonly unknown[]): QueryStart {
  const name = String(message['command'])
  const { database, serverAddress, serverPort } = message
  return {
    system: 'redis',
    library,
    text: redisText(name, args),
    namespace: typeof database === 'number' ? `db ${database}` : null,
    // Both libraries publish `?` for written values, so those cannot be compared.
    key: args.includes('?') ? null : valueKey([name, ...args]),
    use: () => redisUse(JSON.stringify(['redis', serverAddress, serverPort, database]), name, args),
    site: deepStackFrames,
  }
}

/** The part of an `ioredis` client or cluster that is observed. */
export interface IoredisClient {
  sendCommand(command: never, ...options: never[]): unknown
  pipeline(...commands: never[]): unknown
}

/** The part of a pool of `redis` that is observed. */
export interface RedisPool {
  execute(work: never, ...options: never[]): unknown
}

/**
 * Shows each command in the request that sent it. Without it, commands of `ioredis` before the connection is ready or with
 * `enableAutoPipelining` appear in the request that came first, and commands of a `redis` pool that waited for a connection in
 * the request that released it. Returns the same client or pool; a second call changes nothing.
 */
export function observeRedis<Client extends IoredisClient | RedisPool>(client: Client): Client {
  if ('execute' in client) observePool(client)
  else observeClient(client)
  return client
}

function observeClient(client: IoredisClient): void {
  if (Object.hasOwn(client, 'sendCommand')) return
  const senders = new WeakMap<object, Exchange | undefined>()
  followCommands(client, senders)
  const { pipeline } = client
  define(client, 'pipeline', (...commands: unknown[]) => {
    const made: unknown = Reflect.apply(pipeline, client, commands)
    if (canSend(made)) followCommands(made, senders)
    return made
  })
}

/** When a command is first seen, the running request is its sender. */
function followCommands(target: CommandSender, senders: WeakMap<object, Exchange | undefined>): void {
  const { sendCommand } = target
  define(target, 'sendCommand', (command: unknown, ...options: unknown[]) => {
    const send = (): unknown => Reflect.apply(sendCommand, target, [command, ...options])
    if (typeof command !== 'object' || command === null) return send()
    const current = currentExchange()
    if (!senders.has(command)) {
      senders.set(command, current)
      return send()
    }
    const sender = senders.get(command)
    return sender === current ? send() : runInExchange(sender, send)
  })
}

type CommandSender = Pick<IoredisClient, 'sendCommand'>

function canSend(made: unknown): made is CommandSender {
  return typeof made === 'object' && made !== null && 'sendCommand' in made && typeof made.sendCommand === 'function'
}

function observePool(pool: RedisPool): void {
  if (Object.hasOwn(pool, 'execute')) return
  const { execute } = pool
  // Views of the pool with other options inherit this method.
  function executeInPlace(this: unknown, work: unknown, ...options: unknown[]): unknown {
    return Reflect.apply(execute, this, [isCallback(work) ? inPlace(work) : work, ...options])
  }
  define(pool, 'execute', executeInPlace)
}
