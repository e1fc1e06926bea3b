// Takes the path of a route apart into straight sequences of text and parameters: one for each place where its optional tail
// may end. What cannot be walked from separator to separator is left to one expression for the rest of the path.

import type { ParamToken, PatternToken } from './path-pattern.ts'
import { makeRegExp } from './regular-expression.ts'
import type { RouteEntry } from './route-entry.ts'

/** Text to compare. */
export interface TextStep {
  readonly kind: 'text'
  readonly text: string
}

/** A parameter of at least one character up to the first of `stops`. */
export interface SpanStep {
  readonly kind: 'span'
  readonly stops: string
  /** What the span must match as a whole; empty for anything. */
  readonly source: string
}

/** A parameter that takes all of the rest, at least one character. */
export interface RestStep {
  readonly kind: 'rest'
}

/** The rest of the path is given to an expression that begins at this token. */
export interface TailStep {
  readonly kind: 'tail'
  readonly from: number
}

export type Step = TextStep | SpanStep | RestStep | TailStep

/** One way through the path of a route. */
export interface Expansion {
  readonly steps: readonly Step[]
  /** Names of the parameters it sets, in order. */
  readonly names: readonly string[]
}

/** Every way through the path of a route; two of them never take the same path. */
export function expandRoute(entry: RouteEntry): Expansion[] {
  const { tokens, firstOptional } = entry
  const tail = firstTailToken(entry)
  const end = tail ?? tokens.length
  const expansions: Expansion[] = []
  const shortest = Math.min(firstOptional, end)
  for (let count = shortest; count <= end; count += 1) {
    const steps = tokens.slice(0, count).flatMap((token, index) => stepsOf(entry, token, index))
    const names = namesOf(tokens.slice(0, count))
    if (count === tail) expansions.push({ steps: [...steps, { kind: 'tail', from: tail }], names: entry.names })
    // A path is never empty: the separator stays when its only parameter is left out.
    else if (count === 0) expansions.push({ steps: [{ kind: 'text', text: separatorOf(tokens[0]) }], names: [] })
    else expansions.push({ steps, names })
  }
  return expansions
}

/**
 * The token from which on an expression is needed; all of an optional tail goes into it. Where everything is optional, any
 * but the last may be empty as well (`//b` for `/{a}/{b}`), so all of it is one tail.
 */
function firstTailToken(entry: RouteEntry): number | undefined {
  const { tokens, firstOptional } = entry
  if (firstOptional === 0 && tokens.length > 1) return 0
  const complex = tokens.findIndex((token, index) => token.kind === 'param' && stepOf(entry, token, index) === null)
  if (complex < 0) return undefined
  return Math.min(complex, firstOptional)
}

function stepsOf(entry: RouteEntry, token: PatternToken, index: number): Step[] {
  if (token.kind === 'text') return [{ kind: 'text', text: token.text }]
  const step = stepOf(entry, token, index)
  if (step === null) return []
  return token.separator === '' ? [step] : [{ kind: 'text', text: token.separator }, step]
}

/** How to walk a parameter, or `null` where only an expression can. */
function stepOf(entry: RouteEntry, token: ParamToken, index: number): Step | null {
  const next = entry.tokens[index + 1]
  const following = next === undefined ? '' : next.kind === 'text' ? next.text.charAt(0) : next.separator
  const isLast = next === undefined
  if (!isLast && following === '') return null
  if (!token.isRequired) {
    if (isLast) return token.stops.startsWith('/') ? { kind: 'span', stops: token.stops, source: '' } : null
    return token.stops.includes(following) ? { kind: 'span', stops: token.stops, source: '' } : null
  }
  if (isLast && entry.endsInParam && !entry.hasTrailingSlash && token.source === '.+') return { kind: 'rest' }
  if (canHold(token.source, '/') || makeRegExp(`^(?:${token.source})$`).test('')) return null
  if (isLast || following === '/') return { kind: 'span', stops: '/', source: token.source }
  return canHold(token.source, following) ? null : { kind: 'span', stops: `/${following}`, source: token.source }
}

/** Whether a value of this requirement could hold the character; `true` when in doubt. */
export function canHold(source: string, char: string): boolean {
  const atoms =
    source.match(
      /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\c[A-Za-z]|\\.|\[(?:\\.|[^\\\]])*\]|[^\\[]/gsu,
    ) ?? []
  return atoms.some((atom) => {
    if (/^[()|?*+{}^$]$/.test(atom) || atom === '\\b' || atom === '\\B') return false
    try {
      return makeRegExp(`^${atom}$`).test(char)
    } catch {
      return true
    }
  })
}

function separatorOf(token: PatternToken | undefined): string {
  return token?.kind === 'param' ? token.separator : ''
}

function namesOf(tokens: readonly PatternToken[]): string[] {
  return tokens.flatMap((token) => (token.kind === 'param' ? [token.name] : []))
}
