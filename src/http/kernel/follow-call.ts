// Objects that are observed: how their properties are set, and how their calls are followed to the end.

/** Sets an own property: a method in the place of another one, or a mark. It is as hidden as it was, a new one wholly. */
export function define(target: object, name: string | symbol, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true })
}

export type Callback = (...args: unknown[]) => unknown

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

/**
 * The same for work that calls back with what was thrown, or `null`, and the result: `work` gets a callback that tells how it ended and
 * then calls the given one.
 */
export function followCallback(
  callback: Callback,
  work: (callback: Callback) => unknown,
  ended: (result: unknown) => void,
  failed: (thrown: unknown) => void,
): unknown {
  function called(this: unknown, ...results: unknown[]): unknown {
    const [thrown, result] = results
    if (thrown === null || thrown === undefined) ended(result)
    else failed(thrown)
    return Reflect.apply(callback, this, results)
  }
  try {
    return work(called)
  } catch (thrown) {
    failed(thrown)
    throw thrown
  }
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
