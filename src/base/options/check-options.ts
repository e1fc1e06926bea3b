// Checks the options that somebody wrote: their names, and what each of them must be; and finds the known names that are nearest to a typo.

import { hasName, membersOf, namesOf } from '../members.ts'

export interface OptionRule {
  /** For people: `true or false`. */
  readonly allowed: string
  fits(value: unknown): boolean
  /** Whether the value may be a secret, which no message shows. Default: no. */
  readonly isSecret?: boolean
}

export type OptionRules<Options> = Readonly<Record<keyof Options & string, OptionRule>>

/** Rules of many options. */
export const flag: OptionRule = { allowed: 'true or false', fits: (value) => typeof value === 'boolean' }
export const text: OptionRule = { allowed: 'a string', fits: (value) => typeof value === 'string' }
export const action: OptionRule = { allowed: 'a function', fits: (value) => typeof value === 'function' }
export const wholeNumberRule: OptionRule = {
  allowed: 'a whole number from 0',
  fits: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
}

export function oneOf(...words: readonly string[]): OptionRule {
  return {
    allowed: words.map((word) => `'${word}'`).join(', '),
    fits: (value) => typeof value === 'string' && words.includes(value),
  }
}

export function listOf(allowed: string, fits: (value: unknown) => boolean): OptionRule {
  return { allowed, fits: (value) => Array.isArray(value) && value.every(fits) }
}

/**
 * Throws a TypeError that names the option and what is allowed: for a name that is unknown, and for a value that does not fit.
 * `undefined` counts as not given. `owner`: whose options they are, `cors()`; empty if the reader knows.
 */
export function checkOptions<Options extends object>(
  owner: string,
  given: unknown,
  rules: OptionRules<Options>,
): asserts given is Options {
  const whose = owner === '' ? '' : ` of ${owner}`
  checkNames(owner, given, namesOf(rules))
  for (const [name, value] of Object.entries(membersOf(given))) {
    const rule = hasName(rules, name) ? rules[name] : undefined
    if (rule === undefined || value === undefined || rule.fits(value)) continue
    const shown = rule.isSecret === true ? 'not usable' : describe(value)
    throw new TypeError(`Option "${name}"${whose} is ${shown}; allowed: ${rule.allowed}`)
  }
}

/** The same for names only: throws a TypeError for one that is not among `names`. */
export function checkNames(owner: string, given: unknown, names: readonly string[]): void {
  const whose = owner === '' ? '' : ` of ${owner}`
  if (!isRecord(given))
    throw new TypeError(`The options${whose} are ${describe(given)}; allowed: an object with ${names.join(', ')}`)
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown === undefined) return
  const advice = didYouMean(unknown, names)
  throw new TypeError(`Option "${unknown}"${whose} is unknown.${advice} Allowed: ${names.join(', ')}`)
}

/** A value for a message, without what is in it. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100))
  if (typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined) {
    return String(value)
  }
  return Array.isArray(value) ? 'a list' : typeof value === 'function' ? 'a function' : 'an object'
}

/** Whether a value is an object and not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The known name with the fewest changes, if at most a quarter of the name has to change; else `null`. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const wanted = name.slice(0, 60)
  return closest(wanted, known, Math.floor(wanted.length / 4))[0] ?? null
}

/** ` Did you mean "limit"?`, to stand behind a sentence; nothing if no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  return nearest === null ? '' : ` Did you mean ${JSON.stringify(nearest)}?`
}

/** Insertions, deletions, replacements and swaps of neighbours between two words; stops counting past `limit`. */
export function editDistance(one: string, other: string, limit: number = Infinity): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1
  let before: number[] = []
  let previous: number[] = []
  for (let column = 0; column <= other.length; column += 1) previous.push(column)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    const letter = one.charCodeAt(row - 1)
    const letterBefore = row > 1 ? one.charCodeAt(row - 2) : Number.NaN
    let least = row
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = letter === other.charCodeAt(column - 1)
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
      )
      const isSwap = letter === other.charCodeAt(column - 2) && letterBefore === other.charCodeAt(column - 1)
      if (isSwap && column > 1) cost = Math.min(cost, (before[column - 2] ?? 0) + 1)
      current.push(cost)
      if (cost < least) least = cost
    }
    if (least > limit) return limit + 1
    before = previous
    previous = current
  }
  return previous[other.length] ?? 0
}

/** The words closest to a mistyped one, the closest first; at most `count`, none that differ in more than a third. */
export function nearWords(word: string, words: Iterable<string>, count = 3): string[] {
  return closest(word, words, Math.max(2, Math.floor(word.length / 3))).slice(0, count)
}

/** Those that differ in `limit` places at most, whatever the case of their letters: the closest first. */
function closest(word: string, words: Iterable<string>, limit: number): string[] {
  const lower = word.toLowerCase()
  return [...words]
    .map((candidate) => ({ candidate, distance: editDistance(lower, candidate.toLowerCase(), limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((one, other) => one.distance - other.distance || (one.candidate < other.candidate ? -1 : 1))
    .map(({ candidate }) => candidate)
}
