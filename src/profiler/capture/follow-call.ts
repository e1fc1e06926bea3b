// Follows calls of observed objects to their end.

/**
 * Runs work and tells how it ended, a promise when it is settled. Results, promises and errors pass through unchanged: a rejection that
 * nobody handles stays unhandled, and keeps the callers that wait for it in its stack.
 */
export function followCall<Result>(
  work: () => Result,
  ended: (result: unknown) => void,
  failed: (thrown: unknown) => void,
): Result {
  let result: Result
  try {
    result = work()
  } catch (thrown) {
    failed(thrown)
    throw thrown
  }
  // Only real promises: subscribing to another thenable may send a query again.
  if (result instanceof Promise) return followed(result, ended, failed) as Result
  ended(result)
  return result
}

async function followed(
  promise: Promise<unknown>,
  ended: (result: unknown) => void,
  failed: (thrown: unknown) => void,
): Promise<unknown> {
  let result: unknown
  try {
    result = await promise
  } catch (reason) {
    failed(reason)
    throw reason
  }
  ended(result)
  return result
}
