// An error may say itself what a problem document (RFC 9457) tells about it, by a method `toProblem()`.

import type { ErrorRedactor } from './error-redactor.ts'
import { plainRecord } from './gather-view.ts'
import { isErrorValue, readOnce } from './read-once.ts'

/** What `toProblem()` returns, as plain masked data; empty without the method, or when it throws. It is called once. */
export function readProblem(
  thrown: unknown,
  redactor: Pick<ErrorRedactor, 'value'>,
): Readonly<Record<string, unknown>> {
  if (!isErrorValue(thrown)) return {}
  const method = readOnce(thrown, 'toProblem')?.value
  if (typeof method !== 'function') return {}
  try {
    return plainRecord(redactor.value(Reflect.apply(method, thrown, [])))
  } catch {
    return {}
  }
}
