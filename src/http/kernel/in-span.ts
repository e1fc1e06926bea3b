// Runs work inside a span of a recording.

import type { Recording } from '../recording/recording.ts'
import { isPromise, type Awaitable } from '../../base/awaitable.ts'

/** Gives what `work` gives; the span ends when it does, and fails when it fails. */
export function inSpan<T>(
  recording: Recording,
  name: string,
  category: string,
  work: () => Awaitable<T>,
): Awaitable<T> {
  const span = recording.startSpan({ name, category })
  const fail = (thrown: unknown): never => {
    span.end('error')
    throw thrown
  }
  try {
    const result = work()
    if (isPromise(result)) return result.then(end, fail)
    return end(result)
  } catch (thrown) {
    return fail(thrown)
  }

  function end(value: T): T {
    span.end()
    return value
  }
}
