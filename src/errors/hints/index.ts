// All built-in hints, and the search for those that explain an error.

import type { Exchange } from '../../http/kernel/exchange.ts'
import type { ErrorChain, FlattenedError } from '../flattened-error.ts'
import { databaseHints, moduleHints, systemHints } from './outside.ts'
import { firstPlace, rulesOf, type BuiltInHint, type Hint, type HintRule } from './hint.ts'
import { httpHints } from './http.ts'
import { builtInFunctionHints, valueHints } from './values.ts'

/** Every hint of this folder. An application adds its own before or after them. */
export const builtInHints: readonly BuiltInHint[] = [
  moduleHints,
  httpHints,
  systemHints,
  databaseHints,
  builtInFunctionHints,
  valueHints,
].flatMap(rulesOf)

/** Hints of one error page at most. */
export const maxHints = 5

/**
 * Explanations of a chain, outermost error first, none twice; at most `maxHints`. A rule that throws is passed over.
 */
export function findHints<Asked extends Exchange | undefined>(
  chain: ErrorChain,
  exchange: Asked,
  rules: readonly HintRule<Asked>[],
): Hint[] {
  const found = new Map<string, Hint>()
  const replaced = new Set<string>()
  for (const { error, inner } of everyError(chain)) {
    for (const rule of rules) {
      if (found.size >= maxHints) break
      if (found.has(rule.name) || replaced.has(rule.name)) continue
      try {
        if (!rule.matches(error, exchange)) continue
        found.set(rule.name, { place: firstPlace(error), ...rule.explain(error, exchange, inner) })
        if (rule.replaces === undefined) continue
        replaced.add(rule.replaces)
        found.delete(rule.replaces)
      } catch {
        // A broken hint must not cost the page.
      }
    }
  }
  return [...found.values()]
}

interface AskedError {
  readonly error: FlattenedError
  readonly inner: FlattenedError | undefined
}

function everyError({ errors }: ErrorChain): AskedError[] {
  return errors.flatMap((error, index) => [{ error, inner: errors[index + 1] }, ...error.members.flatMap(everyError)])
}
