// Hears of the statements that a library publishes on tracing channels of its own (`diagnostics_channel.tracingChannel`):
// one object for each statement goes through all of its messages.

import type { StatementOwner } from '../begin-statement.ts'
import { Channels, type ChannelListener } from '../channels.ts'
import type { RunningStatement, StatementStart } from '../statement.ts'
import { databaseName } from '../statements.ts'

/** What one library publishes. */
export interface TracingSourceParts {
  /** Names of the channels as the library makes them, `ioredis:command`. */
  readonly channels: readonly string[]
  /** What a message says of the statement that begins. */
  readonly start: (message: Readonly<Record<string, unknown>>, channel: string) => StatementStart
  /** Whether a message is about a statement at all. Default: each is. */
  readonly concerns?: (message: Readonly<Record<string, unknown>>, channel: string) => boolean
  /** Number of rows of what the library hands out; `null` where unknown. */
  readonly rowsOf: (result: unknown, message: Readonly<Record<string, unknown>>) => number | null
}

/** Captures what one library publishes. */
export class TracingSource {
  readonly #channels: Channels
  readonly #statements = new WeakMap<object, RunningStatement>()

  constructor(owner: StatementOwner, { channels, start, rowsOf, concerns }: TracingSourceParts) {
    const listeners: Record<string, ChannelListener> = {}
    for (const channel of channels) {
      listeners[`tracing:${channel}:start`] = (message) => {
        if (!isMessage(message) || concerns?.(message, channel) === false) return
        const statement = owner.beginStatement(() => start(message, channel))
        if (statement !== undefined) this.#statements.set(message, statement)
      }
      listeners[`tracing:${channel}:error`] = (message) => {
        if (isMessage(message)) this.#endOf(message)?.fail(message['error'])
      }
      // What comes behind a failure changes nothing.
      listeners[`tracing:${channel}:asyncEnd`] = (message) => {
        if (isMessage(message)) this.#endOf(message)?.end(rowsOf(message['result'], message))
      }
    }
    this.#channels = new Channels(databaseName, listeners)
  }

  /** The statement of a message, for the last time: what a weak map holds may point back to its key, and keep it for long. */
  #endOf(message: object): RunningStatement | undefined {
    const statement = this.#statements.get(message)
    this.#statements.delete(message)
    return statement
  }

  /** Begins to listen. */
  start(): void {
    this.#channels.start()
  }

  /** Stops listening. */
  stop(): void {
    this.#channels.stop()
  }
}

function isMessage(message: unknown): message is Readonly<Record<string, unknown>> {
  return typeof message === 'object' && message !== null
}
