// One variable of the runtime context: how its text is read, and the error that stops a start.

import * as v from 'valibot'
import { nameError } from '../../base/http/http-error.ts'

export const environments = ['dev', 'test', 'prod'] as const

export type Environment = (typeof environments)[number]

/** A variable: how its text becomes a value, and what is allowed, for messages. */
export interface Variable<T> {
  readonly schema: v.GenericSchema<string, T>
  readonly allowed: string
  /** Shows a value in an error line; for values that may hold a secret. Default: unchanged. */
  readonly show?: (value: string) => string
}

/** Reads one. Throws a RuntimeContextError if its text is not allowed. */
export function readVariable<T, Fallback>(
  values: ReadonlyMap<string, string>,
  name: string,
  variable: Variable<T>,
  fallback: Fallback,
): T | Fallback {
  const value = values.get(name)
  if (value === undefined) return fallback
  const result = v.safeParse(variable.schema, value)
  if (result.success) return result.output
  const shown = JSON.stringify((variable.show?.(value) ?? value).slice(0, 200))
  throw new RuntimeContextError(`${name}=${shown} cannot be used: allowed are ${variable.allowed}`, { variable: name })
}

/** Beginning of the names of settings: in applications of this library, and in those of other frameworks. */
export type SettingPrefix = 'APP_' | 'FANLIGHT_'

/** A text with the names of settings as they are called there. What is in quotes stays. */
export function namingSettings(text: string, prefix: SettingPrefix): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|\bAPP_/g, (found) => (found === 'APP_' ? prefix : found))
}

/** The runtime context cannot be read. Its message is one line that names the variable, the value and what is allowed. */
export class RuntimeContextError extends Error {
  declare readonly code: 'ERR_RUNTIME_CONTEXT'
  /** The variable whose value is refused; `undefined` if it is no single one. */
  readonly variable: string | undefined

  constructor(message: string, { variable, ...options }: ErrorOptions & { readonly variable?: string } = {}) {
    super(message, options)
    this.variable = variable
  }
}
nameError(RuntimeContextError, 'ERR_RUNTIME_CONTEXT')
