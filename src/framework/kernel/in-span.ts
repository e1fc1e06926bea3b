// Runs work inside a span of a recording, whether it is done at once or later.

import type { Recording } from '../recording/recording.ts'
import type { Stopwatch } from '../timing/stopwatch.ts'
import { isPromise, type Awaitable } from './awaitable.ts'

/** Gives what the work gives; the span ends with it, and fails with it. */
export function inSpan<T>(
  recording: Recording,
  name: string,
  category: string,
  work: () => Awaitable<T>,
): Awaitable<T> {
  const { stopwatch } = recording
  const span = stopwatch.startInternal(name, category)
  try {
    return endingWith(stopwatch, span, work())
  } catch (thrown) {
    stopwatch.end(span, 'error')
    throw thrown
  }
}

/** Gives a result; a span ends with it: at once, or when it settles. */
export function endingWith<T>(stopwatch: Stopwatch, span: number, result: Awaitable<T>): Awaitable<T> {
  if (!isPromise(result)) {
    stopwatch.end(span)
    return result
  }
  return result.then(
    (value) => {
      stopwatch.end(span)
      return value
    },
    (thrown: unknown) => {
      stopwatch.end(span, 'error')
      throw thrown
    },
  )
}
