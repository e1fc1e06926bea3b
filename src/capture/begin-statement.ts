// How a source tells of a statement. Whether anybody wants to know is asked first: outside a recorded request nothing is
// made.

import { currentExchange } from '../kernel/current-exchange.ts'
import { noteFailure } from './channels.ts'
import type { RunningStatement, StatementStart } from './statement.ts'

/** What the owner of a recording is kept under. */
export const ownerName = 'capture'

/** Whoever notes statements for the requests of one application. */
export interface StatementOwner {
  /** Notes a statement of the running request; `undefined` where it is not to be noted. */
  beginStatement(start: () => StatementStart): RunningStatement | undefined
}

/**
 * Notes a statement that begins now, for the request that the running code serves. `start` is only called where it is noted;
 * what it throws becomes a note in the profile. Never throws.
 */
export function beginStatement(start: () => StatementStart): RunningStatement | undefined {
  const owner = currentExchange()?.recording?.kept(ownerName)
  if (owner === undefined) return undefined
  try {
    // Only a capture keeps itself under this name.
    return (owner as StatementOwner).beginStatement(start)
  } catch (thrown) {
    noteFailure('database', thrown)
    return undefined
  }
}

/**
 * Makes a call and notes it as a statement. The result is handed on as it is, a promise too, and so is what is thrown.
 * `rowsOf` reads the number of rows from a result.
 */
export function observeCall<Result>(
  start: () => StatementStart,
  call: () => Result,
  rowsOf: (result: unknown) => number | null,
): Result {
  const statement = beginStatement(start)
  if (statement === undefined) return call()
  let result: Result
  try {
    result = call()
  } catch (thrown) {
    statement.fail(thrown)
    throw thrown
  }
  // Only a real promise: asking another kind of thenable for its result may send it once more.
  if (result instanceof Promise) {
    result.then(
      (value: unknown) => statement.end(rowsOf(value)),
      (reason: unknown) => statement.fail(reason),
    )
  } else statement.end(rowsOf(result))
  return result
}
