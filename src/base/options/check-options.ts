// Checks the options that somebody wrote: their names, and what each of them must be.

import { didYouMean } from './nearest-name.ts'
import { hasName, membersOf, namesOf } from '../members.ts'

/** What the value of an option must be. */
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
