// Asks the hints about every error of a chain. A hint that throws is passed over: it must not cost the page.

import type { Exchange } from '../framework/kernel/exchange.ts'
import type { ErrorChain, FlattenedError } from './flattened-error.ts'
import { HintIndex } from './hint-index.ts'
import type { Hint, HintRule } from './hints/hint.ts'

/** Explanations of a chain, outermost error first, none twice; at most five. */
export function findHints(chain: ErrorChain, exchange: Exchange, rules: readonly HintRule[]): Hint[] {
  if (rules.length === 0) return []
  const hints = new Map<string, Hint>()
  let index = indexes.get(rules)
  if (index === undefined) indexes.set(rules, (index = new HintIndex(rules)))
  for (const { error, inner } of everyError(chain)) {
    for (const rule of index.rulesFor(error)) {
      if (hints.size >= maxHints) return [...hints.values()]
      const hint = hints.has(rule.name) ? undefined : explain(rule, error, exchange, inner)
      if (hint !== undefined) hints.set(rule.name, hint)
    }
  }
  return [...hints.values()]
}

/** Lists of rules are made once, when an application starts. */
const indexes = new WeakMap<readonly HintRule[], HintIndex>()

/** Hints of one error page at most. */
export const maxHints = 5

function explain(
  rule: HintRule,
  error: FlattenedError,
  exchange: Exchange,
  inner: FlattenedError | undefined,
): Hint | undefined {
  try {
    return rule.matches(error, exchange) ? rule.explain(error, exchange, inner) : undefined
  } catch {
    return undefined
  }
}

interface Asked {
  readonly error: FlattenedError
  readonly inner: FlattenedError | undefined
}

function everyError(chain: ErrorChain, found: Asked[] = []): Asked[] {
  const { errors } = chain
  for (let index = 0; index < errors.length; index += 1) {
    const error = errors[index]
    if (error === undefined) continue
    found.push({ error, inner: errors[index + 1] })
    for (const member of error.members) everyError(member, found)
  }
  return found
}
