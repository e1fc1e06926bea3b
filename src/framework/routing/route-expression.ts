// Makes regular expressions of tokens: of a host, and of those ends of a path in which parameters cannot be told apart by
// looking for the next separator.

import type { PatternToken } from './path-pattern.ts'
import { makeRegExp } from './regular-expression.ts'

/** Quotes text for an expression with the flag `u`. */
export function quote(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

/** Source for the tokens from index `from`; parameters from `firstOptional` on may be missing from the end. One group a parameter. */
export function tokensSource(tokens: readonly PatternToken[], from: number, firstOptional: number): string {
  let source = ''
  let open = 0
  for (let index = from; index < tokens.length; index += 1) {
    const token = tokens[index]
    if (token === undefined) break
    if (token.kind === 'text') {
      source += quote(token.text)
      continue
    }
    const group = `${quote(token.separator)}(${token.source})`
    if (index < firstOptional) source += group
    // A path is never empty, so the separator of a path that is optional as a whole stays.
    else if (index === 0) source += `${group}?`
    else {
      source += `(?:${group}`
      open += 1
    }
  }
  return source + ')?'.repeat(open)
}

/** Matches a whole host, in any case; one group a parameter. */
export function hostExpression(tokens: readonly PatternToken[]): RegExp {
  return makeRegExp(`^${tokensSource(tokens, 0, tokens.length)}$`, 'i')
}

/** Matches the rest of a path from `lastIndex`, with or without a slash behind it; one group a parameter. */
export function tailExpression(tokens: readonly PatternToken[], from: number, firstOptional: number): RegExp {
  return makeRegExp(`${tokensSource(tokens, from, firstOptional)}/?$`.replaceAll('/?$', String.raw`\/?$`), 'y')
}

/** Matches a whole path exactly as the pattern writes it; one group a parameter. */
export function exactExpression(tokens: readonly PatternToken[], firstOptional: number): RegExp {
  return makeRegExp(`^${tokensSource(tokens, 0, firstOptional)}$`)
}
