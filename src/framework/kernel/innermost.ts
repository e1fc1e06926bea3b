// Reads options that groups and routes give, where the innermost one counts.

import type { AnyHandlerOptions } from '../routing/route-options.ts'

/** The option as the route gives it, or the innermost group that does; `undefined` if nobody gives it. */
export function innermost<Name extends keyof AnyHandlerOptions>(
  options: readonly AnyHandlerOptions[],
  name: Name,
): AnyHandlerOptions[Name] | undefined {
  for (let index = options.length - 1; index >= 0; index -= 1) {
    const value = options[index]?.[name]
    if (value !== undefined) return value
  }
  return undefined
}
