// Commands to MongoDB, as the driver's command monitoring tells of them.

import { beginStatement } from '../begin-statement.ts'
import { mongoText } from '../command-text.ts'
import type { RunningStatement } from '../statement.ts'
import { valueKey } from '../value-key.ts'
import { listen, type Emitter } from './emitter.ts'

/** The part of a `mongodb` client that is observed. */
export interface MongoClientEvents extends Emitter {
  readonly options?: { readonly monitorCommands?: boolean | undefined } | undefined
}

/** The driver tells of a command many calls further in. */
const stackFrames = 62

/** Commands that are followed at a time. */
const maxRunning = 10_000

/**
 * Shows the commands of a `mongodb` client in the profile of the request that sends them. Returns the same client. Throws a
 * TypeError for a client that was not made with `{ monitorCommands: true }`: it would tell nothing. What goes through
 * `mongoose` (from 9.7) is heard of without this, and would be shown twice.
 */
export function observeMongo<Client extends MongoClientEvents>(client: Client): Client {
  if (client.options?.monitorCommands !== true) {
    throw new TypeError('The MongoClient tells nothing; make it with { monitorCommands: true }')
  }
  const running = new Map<number, RunningStatement>()
  listen(client, 'commandStarted', (event: StartedEvent) => {
    if (unimportant.has(event.commandName) || running.size >= maxRunning) return
    const statement = begin(event)
    if (statement !== undefined) running.set(event.requestId, statement)
  })
  listen(client, 'commandSucceeded', ({ requestId, reply }: SucceededEvent) => {
    running.get(requestId)?.end(rowsOf(reply))
    running.delete(requestId)
  })
  listen(client, 'commandFailed', ({ requestId, failure }: FailedEvent) => {
    running.get(requestId)?.fail(failure)
    running.delete(requestId)
  })
  return client
}

interface StartedEvent {
  readonly requestId: number
  readonly databaseName: string
  readonly commandName: string
  readonly command: object
}

interface SucceededEvent {
  readonly requestId: number
  readonly reply: unknown
}

interface FailedEvent {
  readonly requestId: number
  readonly failure: unknown
}

/** What drivers say to servers on their own account. */
const unimportant: ReadonlySet<string> = new Set([
  'hello',
  'isMaster',
  'ismaster',
  'ping',
  'endSessions',
  'killCursors',
])

function begin({ commandName, command, databaseName }: StartedEvent): RunningStatement | undefined {
  return beginStatement(() => {
    const collection: unknown = Reflect.get(command, commandName)
    const question = questionOf(command)
    return {
      system: 'mongodb',
      library: 'mongodb',
      text: mongoText(commandName, typeof collection === 'string' ? collection : databaseName, question),
      namespace: databaseName,
      key: question === undefined ? null : valueKey([commandName, collection, question]),
      site: stackFrames,
    }
  })
}

/** What is looked for, by whatever name the command has for it. */
function questionOf(command: object): unknown {
  for (const name of ['filter', 'query', 'pipeline']) {
    const question: unknown = Reflect.get(command, name)
    if (question !== undefined) return question
  }
  for (const name of ['updates', 'deletes']) {
    const list: unknown = Reflect.get(command, name)
    if (Array.isArray(list)) return list.map((item: unknown) => Reflect.get(Object(item), 'q') as unknown)
  }
  return undefined
}

function rowsOf(reply: unknown): number | null {
  const cursor: unknown = Reflect.get(Object(reply), 'cursor')
  const batch: unknown = Reflect.get(Object(cursor), 'firstBatch') ?? Reflect.get(Object(cursor), 'nextBatch')
  if (Array.isArray(batch)) return batch.length
  const count: unknown = Reflect.get(Object(reply), 'n')
  return typeof count === 'number' ? count : null
}
