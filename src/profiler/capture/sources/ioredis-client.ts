// `ioredis` tells of a command when it is written. One that waited for the connection, or for a pipeline that the library makes
// of the commands of one moment (`enableAutoPipelining`), is written by somebody else. So a client is handed over, to show
// each command in the request that sent it.

import { currentExchange, runInExchange } from '../../../framework/kernel/current-exchange.ts'
import type { Exchange } from '../../../framework/kernel/exchange.ts'

/** The part of a client of `ioredis`, or of its cluster, that is observed. */
export interface IoredisClient {
  sendCommand(command: never, ...options: never[]): unknown
  pipeline(...commands: never[]): unknown
}

/**
 * Keeps the commands apart that requests send while the connection is not there yet, and with `enableAutoPipelining`. Without
 * it they are shown in the request that came first. Returns the same client. A second call changes nothing.
 */
export function observeIoredis<Client extends IoredisClient>(client: Client): Client {
  if (Object.hasOwn(client, 'sendCommand')) return client
  const senders = new WeakMap<object, Exchange | undefined>()
  followCommands(client, senders)
  const { pipeline } = client
  define(client, 'pipeline', (...commands: unknown[]) => {
    const made: unknown = Reflect.apply(pipeline, client, commands)
    if (canSend(made)) followCommands(made, senders)
    return made
  })
  return client
}

/** Where a command is seen first, the running request is the one that sends it. */
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

function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true })
}
