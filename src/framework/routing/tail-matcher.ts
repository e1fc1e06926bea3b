// Matches the rest of a path whose parameters no separator tells apart: `{a}{b}`, `{path<.+>}/edit`, `{page?}/{size?}`.

import type { PatternToken } from './path-pattern.ts'
import { makeRegExp, wholeMatch } from './expression.ts'

/** Values of the parameters. What was left out is `undefined` at the end of the path and empty elsewhere. */
export type TailValues = readonly (string | undefined)[]

/** Text followed by a parameter, or text alone. */
interface Part {
  readonly lead: string
  readonly param: Span | null
  /** Whether the path may end here. */
  readonly mayEnd: boolean
  /** Whether the value alone may be left out, and others still follow. */
  readonly mayBeEmpty: boolean
}

/** What a parameter may span. */
interface Span {
  /** Finds the preferred end, from `lastIndex`; `null` for `.+` and `.*`, which prefer the end of the path. */
  readonly preferred: RegExp | null
  readonly whole: RegExp
  /** For one repeated character class, which matches whatever is shorter too: the least length. `null` for anything else. */
  readonly leastRun: 0 | 1 | null
}

/** Bounds the work for one path, to about 10 ms. A path that needs more does not match. */
const maxSteps = 50_000

/** Characters that one step may pass: by a run of one character class, and by any other expression. */
const runPerStep = 256
const charsPerStep = 32

/**
 * Tries the preferred end of each parameter first, then the longest ones. Remembers what failed, so that the work never grows
 * exponentially.
 */
export class TailMatcher {
  readonly #parts: readonly Part[]

  /** For the tokens from index `from` on; those from `firstOptional` on may be left out. */
  constructor(tokens: readonly PatternToken[], from: number, firstOptional: number) {
    this.#parts = tokens.slice(from).map((token, index) => partOf(token, from + index, firstOptional))
  }

  /** Matches from a position to the end of the path, or to a slash at the end. */
  match(path: string, position: number): TailValues | null {
    return new TailSearch(this.#parts, path).run(position)
  }
}

function partOf(token: PatternToken, index: number, firstOptional: number): Part {
  if (token.kind === 'text') return { lead: token.text, param: null, mayEnd: false, mayBeEmpty: false }
  const { source } = token
  const isRun = /^(?:\.|\\[dDwWsS]|\[(?:[^\\[\]]|\\.)*\])[+*]$/s.test(source)
  const leastRun = isRun ? (source.endsWith('+') ? 1 : 0) : null
  const preferred = /^\.[+*]$/.test(source) ? null : makeRegExp(source, 'y')
  const param = { preferred, whole: wholeMatch(source), leastRun } as const
  const isOptional = index >= firstOptional
  // A path is never empty: the first separator stays when everything is left out.
  return { lead: token.separator, param, mayEnd: isOptional && index > 0, mayBeEmpty: isOptional && index === 0 }
}

class TailSearch {
  readonly #parts: readonly Part[]
  readonly #path: string
  readonly #values: (string | undefined)[] = []
  /** Places that led nowhere: part and position in one number. */
  #failed: Set<number> | null = null
  #steps = 0

  constructor(parts: readonly Part[], path: string) {
    this.#parts = parts
    this.#path = path
  }

  run(position: number): TailValues | null {
    if (!this.#matches(0, position)) return null
    const values: (string | undefined)[] = []
    let isLast = true
    for (let index = this.#parts.length - 1; index >= 0; index -= 1) {
      if (this.#parts[index]?.param === null) continue
      const value = this.#values[index]
      isLast &&= value === undefined
      values.push(value ?? (isLast ? undefined : ''))
    }
    return values.length > 1 ? values.reverse() : values
  }

  #matches(index: number, position: number): boolean {
    const part = this.#parts[index]
    if (part === undefined) return this.#isEnd(position)
    const place = position * this.#parts.length + index
    if (this.#failed?.has(place) === true) return false
    const start = position + part.lead.length
    if (this.#path.startsWith(part.lead, position)) {
      if (part.param !== null && this.#spans(part.param, index, start)) return true
      if ((part.param === null || part.mayBeEmpty) && this.#matches(index + 1, start)) return true
    }
    if (part.mayEnd && this.#isEnd(position)) return true
    this.#failed ??= new Set()
    this.#failed.add(place)
    return false
  }

  #spans({ preferred, whole, leastRun }: Span, index: number, start: number): boolean {
    const path = this.#path
    const isRun = leastRun !== null
    const first = preferred === null ? path.length : endOf(preferred, path, start)
    if (first < 0) return false
    this.#steps += (first - start) / (isRun ? runPerStep : charsPerStep)
    if (!isRun && this.#endsAt(index, start, first)) return true
    const isLast = index + 1 === this.#parts.length
    const least = isLast ? Math.max(start + (leastRun ?? 0), path.length - 1) : start + (leastRun ?? 0)
    for (
      let end = this.#endUpTo(index, isRun ? first : path.length);
      end >= least;
      end = this.#endUpTo(index, end - 1)
    ) {
      this.#steps += isRun ? 1 : 1 + (end - start) / charsPerStep
      if (this.#steps > maxSteps) return false
      if (splitsCharacter(path, end) || (!isRun && !whole.test(path.slice(start, end)))) continue
      if (this.#endsAt(index, start, end)) return true
    }
    return false
  }

  #endsAt(index: number, start: number, end: number): boolean {
    if ((start === end && this.#parts[index]?.mayBeEmpty === true) || !this.#matches(index + 1, end)) return false
    this.#values[index] = this.#path.slice(start, end)
    return true
  }

  /** The last position up to `end` where what must follow does. */
  #endUpTo(index: number, end: number): number {
    const next = this.#parts[index + 1]
    if (next === undefined || next.mayEnd || next.lead === '' || end < 0) return end
    return this.#path.lastIndexOf(next.lead, end)
  }

  #isEnd(position: number): boolean {
    const left = this.#path.length - position
    return left === 0 || (left === 1 && this.#path.endsWith('/'))
  }
}

function endOf(expression: RegExp, path: string, start: number): number {
  expression.lastIndex = start
  return expression.test(path) ? expression.lastIndex : -1
}

/** Whether a position lies between the two halves of a character. */
function splitsCharacter(path: string, position: number): boolean {
  const code = path.charCodeAt(position)
  return code >= 0xdc00 && code <= 0xdfff && path.charCodeAt(position - 1) >> 10 === 0x36
}
