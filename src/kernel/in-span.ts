// Runs work inside a span of a recording, whether it is done at once or later.

import type { Recording } from '../recording/recording.ts'
import { isPromise, type Awaitable } from './awaitable.ts'

/** Gives what the work gives; the span ends with it, and fails with it. */
export function inSpan<T>(
  recording: Recording,
  name: string,
  category: string,
  work: () => Awaitable<T>,
): Awaitable<T> {
  const span = recording.stopwatch.startInternal(name, category)
  try {
    const result = work()
    if (!isPromise(result)) {
      span.end()
      return result
    }
    return result.then(
      (value) => {
        span.end()
        return value
      },
      (thrown: unknown) => {
        span.end('error')
        throw thrown
      },
    )
  } catch (thrown) {
    span.end('error')
    throw thrown
  }
}
