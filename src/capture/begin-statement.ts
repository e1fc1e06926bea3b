// How a source tells of a statement. Whether anybody wants to know is asked first: outside a recorded request nothing is
// made.

import { currentExchange } from '../kernel/current-exchange.ts'
import { markCallSite, type CallSiteMark } from './call-site.ts'
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
  const owner = currentOwner()
  return owner === undefined ? undefined : beginWith(owner, start)
}

/**
 * Makes a call and notes it as a statement. The result is handed on as it is, a promise too, and so is what is thrown.
 * `start` is told where the call comes from; `rowsOf` reads the number of rows from a result. `frames` of the stack are looked
 * at: more where other libraries stand between the application and the call.
 */
export function observeCall<Result>(
  start: (site: CallSiteMark) => StatementStart,
  call: () => Result,
  rowsOf: (result: unknown) => number | null,
  frames: number = stackFrames,
): Result {
  const owner = currentOwner()
  if (owner === undefined) return call()
  // Marked here, near the caller: every call of this library in between would cost the stack a frame.
  const site = markCallSite(frames)
  const statement = beginWith(owner, () => start(site))
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
      (value: unknown) => endWith(statement, value, rowsOf),
      (reason: unknown) => statement.fail(reason),
    )
  } else endWith(statement, result, rowsOf)
  return result
}

/** Frames that are caught where nothing else is known. */
export const stackFrames = 8

/** A result that cannot be looked into is a result all the same. */
function endWith(statement: RunningStatement, result: unknown, rowsOf: (result: unknown) => number | null): void {
  try {
    statement.end(rowsOf(result))
  } catch (thrown) {
    statement.end()
    noteFailure('database', thrown)
  }
}

// Only a capture keeps itself under this name.
function currentOwner(): StatementOwner | undefined {
  return currentExchange()?.recording?.kept(ownerName) as StatementOwner | undefined
}

function beginWith(owner: StatementOwner, start: () => StatementStart): RunningStatement | undefined {
  try {
    return owner.beginStatement(start)
  } catch (thrown) {
    noteFailure('database', thrown)
    return undefined
  }
}
