// Failures of work that is done in an event, far from the code that waits for it: their stacks name who awaits the promise, as
// those of async functions do.

/** A promise that fails with what `failure` makes. It is made where the one who waits for this promise can be seen. */
export async function failing(failure: () => unknown): Promise<never> {
  // A promise that is resolved with this one listens to it one turn later.
  await Promise.resolve()
  await Promise.resolve()
  throw failure()
}

/** The same error with the stack of this moment: for one that was caught in an event. */
export function withStackOfNow(error: unknown): unknown {
  if (error instanceof Error) Error.captureStackTrace(error, withStackOfNow)
  return error
}
