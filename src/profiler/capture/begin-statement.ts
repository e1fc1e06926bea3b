// How a source tells of a statement. Whether anybody wants to know is asked first: outside a recorded request nothing is
// made.

import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import type { Recording } from '../../framework/recording/recording.ts'
import { noteFailure } from './channels.ts'
import type { RunningStatement, StatementStart } from './statement.ts'
import type { StatementKind } from './statement-kind.ts'
import { databaseName, type Statements } from './statements.ts'
import type { UsualCaller } from './usual-caller.ts'
import { valueKey } from './value-key.ts'

/** What the owner of a recording is kept under. */
export const ownerName = 'capture'

/** Whoever notes statements for the requests of one application. */
export interface StatementOwner {
  /** Notes a statement of the running request; `undefined` where it is not to be noted. */
  beginStatement(start: () => StatementStart): RunningStatement | undefined
  /** Those of a recording of this application. */
  statementsOf(recording: Recording): Statements
}

/**
 * Notes a statement that begins now, for the request that the running code serves. `start` is only called where it is noted;
 * what it throws becomes a note in the profile. Never throws.
 */
export function beginStatement(start: () => StatementStart): RunningStatement | undefined {
  try {
    return currentStatements()?.begin(start())
  } catch (thrown) {
    noteFailure(databaseName, thrown)
    return undefined
  }
}

/** Frames of the stack that are caught where the application calls an observed object itself; this library's come first. */
export const stackFrames = 12
/** The same where other libraries stand in between. */
export const deepStackFrames = 26

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
      (value: unknown) => statement.end(rowsIn(value, rowsOf)),
      (reason: unknown) => statement.fail(reason),
    )
  } else statement.end(rowsIn(result, rowsOf))
  return result
}

/** A statement that was prepared once and runs many times, in one way of running it. */
export interface PreparedStatement {
  /** Made when it first runs for a recorded request. */
  readonly kind: StatementKind
  /** Where it was run from so far. */
  readonly caller: UsualCaller
  /** Reads the number of rows from a result. */
  readonly rowsOf: (result: unknown) => number | null
}

/**
 * Runs a prepared statement by `method` and notes it. Result and error are handed on as they are; the result is there when
 * the call returns.
 */
export function observeRun(
  prepared: PreparedStatement,
  method: (...values: never[]) => unknown,
  target: object,
  values: readonly unknown[],
): unknown {
  const statements = currentStatements()
  const place = statements === undefined ? noPlace : beginRun(statements, prepared, values)
  if (statements === undefined || place === noPlace) return Reflect.apply(method, target, values)
  let result: unknown
  try {
    result = Reflect.apply(method, target, values)
  } catch (thrown) {
    statements.list.fail(place, thrown)
    throw thrown
  }
  statements.list.end(place, rowsIn(result, prepared.rowsOf))
  return result
}

/** What stands for the place of a statement that is not noted. */
const noPlace = -1

function beginRun(statements: Statements, { kind, caller }: PreparedStatement, values: readonly unknown[]): number {
  try {
    return statements.beginRun(kind, valueKey(values), caller)
  } catch (thrown) {
    noteFailure(databaseName, thrown)
    return noPlace
  }
}

/** Where the running request's next statement is noted; `undefined` where nothing is recorded, or the list is full. */
function currentStatements(): Statements | undefined {
  const exchange = currentExchange()
  const recording = exchange?.recording
  // What a request leaves running after its answer has left is not part of it.
  if (recording === undefined || exchange?.sent !== undefined) return undefined
  // Only a capture keeps itself under this name.
  const statements = (recording.kept(ownerName) as StatementOwner | undefined)?.statementsOf(recording)
  if (statements === undefined || !statements.isFull) return statements
  statements.drop()
  return undefined
}

/** A result that cannot be looked into is a result all the same. */
function rowsIn(result: unknown, rowsOf: (result: unknown) => number | null): number | null {
  try {
    return rowsOf(result)
  } catch (thrown) {
    noteFailure(databaseName, thrown)
    return null
  }
}
