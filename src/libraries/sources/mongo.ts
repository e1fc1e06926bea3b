// Commands to MongoDB, as `mongoose` publishes them and as the driver's command monitoring reports them.

import { beginQuery, deepStackFrames, type TracingSourceParts } from '../../capture/begin-query.ts'
import { markObserved } from '../observed/wrap-method.ts'
import { mongoText, valueKey } from '../../observe/outgoing/query-text.ts'
import type { RunningQuery } from '../../observe/outgoing/queries.ts'
import { listen, listRows, type Emitter } from '../../observe/tracing-source.ts'

/** The part of a `mongodb` client that is observed. */
export interface MongoClientEvents extends Emitter {
  readonly options?: { readonly monitorCommands?: boolean | undefined } | undefined
}

/** The driver reports a command many frames below its caller. */
const stackFrames = 62

/** Commands followed at a time. */
const maxRunning = 10_000

/**
 * Shows the commands of a `mongodb` client in the profile of the request that sends them. Returns the same client; a second call
 * changes nothing. Throws a TypeError for a client made without `{ monitorCommands: true }`, which reports nothing. Not for clients of `mongoose` (from
 * 9.7): those are captured anyway and would appear twice.
 */
export function observeMongo<Client extends MongoClientEvents>(client: Client): Client {
  if (client.options?.monitorCommands !== true) {
    throw new TypeError('The MongoClient reports no commands; create it with { monitorCommands: true }')
  }
  if (!markObserved(client)) return client
  const running = new Map<number, RunningQuery>()
  listen(client, 'commandStarted', (event: StartedEvent) => {
    if (unimportant.has(event.commandName) || running.size >= maxRunning) return
    const query = begin(event)
    if (query !== undefined) running.set(event.requestId, query)
  })
  listen(client, 'commandSucceeded', ({ requestId, reply }: EndedEvent) => {
    running.get(requestId)?.end(rowsOf(reply))
    running.delete(requestId)
  })
  listen(client, 'commandFailed', ({ requestId, failure }: EndedEvent) => {
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

interface EndedEvent {
  readonly requestId: number
  readonly reply?: unknown
  readonly failure?: unknown
}

/** Commands that drivers send on their own. */
const unimportant: ReadonlySet<string> = new Set('hello isMaster ismaster ping endSessions killCursors'.split(' '))

function begin({ commandName, command, databaseName }: StartedEvent): RunningQuery | undefined {
  return beginQuery(() => {
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

/** The filter, by any of the names that commands have for it. */
function questionOf(command: object): unknown {
  for (const name of ['filter', 'query', 'pipeline']) {
    const question: unknown = Reflect.get(command, name)
    if (question !== undefined) return question
  }
  for (const name of ['updates', 'deletes']) {
    const list: unknown = Reflect.get(command, name)
    if (Array.isArray(list)) return list.map((item: unknown) => Reflect.get(Object(item), 'q'))
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

/** Queries, aggregations, saves, inserts and bulk writes; cursors are not captured. */
export const mongooseSource: TracingSourceParts = {
  channels: [
    'mongoose:query',
    'mongoose:aggregate',
    'mongoose:model:save',
    'mongoose:model:insertMany',
    'mongoose:model:bulkWrite',
  ],
  start: (message) => {
    const args = message['args']
    const { database } = message
    const operation = String(message['operation'])
    return {
      system: 'mongodb',
      library: 'mongoose',
      text: mongoText(operation, String(message['collection']), mongooseFilter(args)),
      namespace: typeof database === 'string' ? database : null,
      key: valueKey([operation, message['collection'], mongooseFilter(args)]),
      site: deepStackFrames,
    }
  },
  rowsOf: listRows,
}

function mongooseFilter(args: unknown): unknown {
  if (typeof args !== 'object' || args === null) return undefined
  return Reflect.get(args, 'filter') ?? Reflect.get(args, 'pipeline')
}
