// Problem documents (RFC 9457). Debug adds one member; the rest is the same everywhere.

import { isHttpError, type ProblemMembers } from '../base/http/http-error.ts'
import type { ProblemDocument } from '../http/kernel/error-format.ts'
import { isRecord } from '../base/options/check-options.ts'
import type { ErrorRedactor } from './flattened-error.ts'
import type { PublicErrorFacts } from './page/quiet-page.ts'
import { types } from 'node:util'
import { isReadable, prototypeChain } from '../base/redact/value-marks.ts'

/** Members that an error cannot set. */
const decidedHere: ReadonlySet<string> = new Set(['status', 'reference', 'debug'])

/** The document outside debug; `own` is what the error adds. */
export function problemOf(
  { statusCode, statusText, reference }: PublicErrorFacts,
  own: ProblemMembers | null,
): ProblemDocument {
  return { type: 'about:blank', title: statusText, ...own, status: statusCode, reference }
}

/**
 * What a 4xx adds to its document, masked: what `toProblem()` gives, else the `problem` of an HTTP error. `null` for nothing, also if the
 * method throws. Reads each once.
 */
export function ownMembers(
  statusCode: number,
  thrown: unknown,
  redactor: Pick<ErrorRedactor, 'value'>,
): ProblemMembers | null {
  if (statusCode >= 500 || !isErrorValue(thrown)) return null
  try {
    const method = 'toProblem' in thrown ? readOnce(thrown, 'toProblem')?.value : undefined
    const members: unknown =
      typeof method === 'function'
        ? Reflect.apply(method, thrown, [])
        : isHttpError(thrown) && 'problem' in thrown
          ? readOnce(thrown, 'problem')?.value
          : undefined
    if (members === undefined) return null
    const given = plainRecord(redactor.value(members))
    return Object.fromEntries(Object.entries(given).filter(([name]) => !decidedHere.has(name)))
  } catch {
    return null
  }
}

/** Plain data as a record; empty for anything but an object. */
export function plainRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

/** Whether a value is an Error, also of another realm or made by `Object.create(Error.prototype)`. Never throws. */
export function isErrorValue(value: unknown): value is object {
  if (!isReadable(value)) return false
  return types.isNativeError(value) || prototypeChain(value).some((prototype) => prototype === Error.prototype)
}

/** A property, own or inherited; `undefined` if there is none, its getter throws, or a prototype is a Proxy. */
export function readOnce(object: object, key: string): { readonly value: unknown } | undefined {
  try {
    for (const holder of prototypeChain(object)) {
      const property = Object.getOwnPropertyDescriptor(holder, key)
      if (property === undefined) continue
      return { value: property.get === undefined ? property.value : Reflect.apply(property.get, object, []) }
    }
  } catch {
    // The getter threw.
  }
  return undefined
}
