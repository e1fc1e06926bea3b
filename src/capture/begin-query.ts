// How sources report queries of the running request.

import { currentExchange } from '../http/kernel/current-exchange.ts'
import { Channels, noteFailure, traced, type Message } from '../observe/tracing-source.ts'
import { followCall } from '../http/kernel/follow-call.ts'
import { openRecording, ownerOf, type CaptureOwner } from '../observe/owner.ts'
import { databaseName, type QueryStart, type RunningQuery } from '../observe/outgoing/queries.ts'

/**
 * Reports a query that starts now, in the request that is running. `start` is called only if the query is recorded; if it
 * throws, the profile gets a note. Never throws.
 */
export function beginQuery(start: () => QueryStart): RunningQuery | undefined {
  const recording = openRecording(currentExchange())
  if (recording === undefined) return undefined
  try {
    return ownerOf(recording)?.queriesOf(recording).begin(start)
  } catch (thrown) {
    noteFailure(databaseName, thrown)
    return undefined
  }
}

/** How to read what one library publishes. */
export interface TracingSourceParts {
  /** Names of its tracing channels, `ioredis:command`. */
  readonly channels: readonly string[]
  readonly start: (message: Message, channel: string) => QueryStart
  /** Whether a message is about a query. Default: every message is. */
  readonly concerns?: (message: Message, channel: string) => boolean
  /** Number of rows of a result; `null` if unknown. */
  readonly rowsOf: (result: unknown, message: Message) => number | null
}

/** Captures what one library publishes. */
export function tracingSource(
  owner: CaptureOwner,
  { channels, start, rowsOf, concerns }: TracingSourceParts,
): Channels {
  const listeners = channels.map((channel) =>
    traced(
      owner,
      channel,
      (message) => (concerns?.(message, channel) === false ? undefined : beginQuery(() => start(message, channel))),
      (query, message) => query.end(rowsOf(message['result'], message)),
    ),
  )
  return new Channels(databaseName, Object.fromEntries(listeners.flatMap((one) => Object.entries(one))))
}

/** Stack frames to capture if the application calls the observed object directly. */
export const stackFrames = 12
/** Stack frames to capture if other libraries are in between. Node 26 adds three for a tracing channel. */
export const deepStackFrames = 30

/**
 * Runs a call and reports it as a query. Results and errors pass through unchanged, promises too. `rowsOf` reads the number of
 * rows from the result.
 */
export function observeCall<Result>(
  start: () => QueryStart,
  call: () => Result,
  rowsOf: (result: unknown) => number | null,
): Result {
  const query = beginQuery(start)
  if (query === undefined) return call()
  return followCall(
    call,
    (result) => query.end(rowsIn(result, rowsOf)),
    (thrown) => query.fail(thrown),
  )
}

function rowsIn(result: unknown, rowsOf: (result: unknown) => number | null): number | null {
  try {
    return rowsOf(result)
  } catch (thrown) {
    noteFailure(databaseName, thrown)
    return null
  }
}
