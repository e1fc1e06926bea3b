// Captures the queries that a library publishes on its tracing channels (`diagnostics_channel.tracingChannel`): all messages
// about a query share one object.

import type { QueryOwner } from '../begin-query.ts'
import { Channels, type ChannelListener } from '../channels.ts'
import { databaseName, type QueryStart, type RunningQuery } from '../queries.ts'

/** How to read what one library publishes. */
export interface TracingSourceParts {
  /** Names of its tracing channels, `ioredis:command`. */
  readonly channels: readonly string[]
  /** Reads the query that starts. */
  readonly start: (message: Readonly<Record<string, unknown>>, channel: string) => QueryStart
  /** Whether a message is about a query. Default: every message is. */
  readonly concerns?: (message: Readonly<Record<string, unknown>>, channel: string) => boolean
  /** Number of rows of a result; `null` if unknown. */
  readonly rowsOf: (result: unknown, message: Readonly<Record<string, unknown>>) => number | null
}

/** Captures what one library publishes. */
export class TracingSource {
  readonly #channels: Channels
  readonly #queries = new WeakMap<object, RunningQuery>()

  constructor(owner: QueryOwner, { channels, start, rowsOf, concerns }: TracingSourceParts) {
    const listeners: Record<string, ChannelListener> = {}
    for (const channel of channels) {
      listeners[`tracing:${channel}:start`] = (message) => {
        if (!isMessage(message) || concerns?.(message, channel) === false) return
        const query = owner.beginQuery(() => start(message, channel))
        if (query !== undefined) this.#queries.set(message, query)
      }
      listeners[`tracing:${channel}:error`] = (message) => {
        if (isMessage(message)) this.#endOf(message)?.fail(message['error'])
      }
      // Without effect after an error.
      listeners[`tracing:${channel}:asyncEnd`] = (message) => {
        if (isMessage(message)) this.#endOf(message)?.end(rowsOf(message['result'], message))
      }
    }
    this.#channels = new Channels(databaseName, listeners)
  }

  #endOf(message: object): RunningQuery | undefined {
    const query = this.#queries.get(message)
    this.#queries.delete(message)
    return query
  }

  start(): void {
    this.#channels.start()
  }

  stop(): void {
    this.#channels.stop()
  }
}

function isMessage(message: unknown): message is Readonly<Record<string, unknown>> {
  return typeof message === 'object' && message !== null
}
