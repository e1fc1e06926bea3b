// Looks at the parameters of one path together: each may be harmless alone, and many that can take each other's characters
// still make a path that takes very long.

import { cubic, findBacktracking } from './backtracking.ts'
import { DefinitionFault } from './definition-error.ts'
import { canHold } from './expansions.ts'
import type { PatternToken } from './path-pattern.ts'
import { tokensSource } from './route-expression.ts'

/** Two such parameters cost the square of the length, which `maxTailLength` of the route bounds; three cannot be borne. */
const fewest = 3

/** Throws a `DefinitionFault` for a path whose parameters can backtrack badly together. */
export function checkTogether(path: string, tokens: readonly PatternToken[], firstOptional: number): void {
  if (countOpen(tokens) < fewest) return
  const danger = findBacktracking(String.raw`${tokensSource(tokens, 0, firstOptional)}\/?`, cubic)
  if (danger === null) return
  const reason = 'its parameters can take each other’s characters, and together take very long'
  throw new DefinitionFault(`${reason}, for example on ${danger.example}.`, path, Math.max(0, path.indexOf('{')))
}

/** How many parameters of a path can take characters of each other. */
export function countOpen(tokens: readonly PatternToken[]): number {
  return tokens.filter((token, index) => token.kind === 'param' && canTakeOthers(token, tokens[index + 1])).length
}

/** Of any length, and not kept to a segment of its own. */
function canTakeOthers(token: PatternToken & { kind: 'param' }, next: PatternToken | undefined): boolean {
  if (!/[+*]|\{\d+,\}/.test(token.source)) return false
  const isTouched = token.separator === '' || (next?.kind === 'param' && next.separator === '')
  return isTouched || (token.isRequired && (token.separator !== '/' || canHold(token.source, '/')))
}
