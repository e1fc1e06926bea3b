// Reads a pattern, `/products/{id<\d+>?1}.{_format}`, into its tokens: text and parameters.

import { DefinitionFault } from './definition-error.ts'
import { requirementType, compileRequirement } from './requirement.ts'

/** Literal characters. */
export interface TextToken {
  readonly kind: 'text'
  readonly text: string
}

/** A parameter with the separator in front of it: both are left out together. */
export interface ParamToken {
  readonly kind: 'param'
  readonly name: string
  /** `/`, `.`, `-` …, or empty. */
  readonly separator: string
  /** Source of the expression its value must match as a whole. */
  readonly source: string
  /** Whether the route gives a requirement. The default is one segment. */
  readonly isRequired: boolean
  /** Characters that the default expression stops at: `/`, and the separator that follows. */
  readonly stops: string
  /** `{!name}`: generated URLs always contain it. */
  readonly isImportant: boolean
}

/** One part of a pattern. */
export type PatternToken = TextToken | ParamToken

/** A value that a parameter takes when it is left out. */
export type ParamDefault = string | number | boolean | null

/** A pattern without its inline requirements and defaults, and these. */
interface PatternParts {
  readonly pattern: string
  readonly requirements: Readonly<Record<string, string>>
  readonly defaults: Readonly<Record<string, ParamDefault>>
  /** Parameters that are numbers. */
  readonly numbers: readonly string[]
}

const separators = '/,;.:-_~*+@|='
const maxNameLength = 32
const maxParams = 100

const none: Readonly<Record<string, never>> = Object.freeze({})
const noNames: readonly string[] = Object.freeze([])

/** Takes `{name<requirement>?default}` apart: `/{page<\d+>?1}` gives `/{page}`, `{ page: '\\d+' }` and `{ page: '1' }`. */
export function takeInlineParts(given: string): PatternParts {
  if (!/[?<]/.test(given)) return { pattern: given, requirements: none, defaults: none, numbers: noNames }
  const requirements = new Map<string, string>()
  const defaults = new Map<string, ParamDefault>()
  const numbers: string[] = []
  const pattern = given.replace(
    /\{(!?)([\w\u0080-\uffff]+)(<.*?>)?(\?[^}]*)?\}/g,
    (_all, important: string, name: string, requirement: string | undefined, value: string | undefined) => {
      if (value !== undefined) defaults.set(name, value === '?' ? null : value.slice(1))
      if (requirement !== undefined) {
        const source = requirement.slice(1, -1)
        const type = requirementType(source)
        requirements.set(name, type?.source ?? source)
        if (type?.isNumber === true) numbers.push(name)
      }
      return `{${important}${name}}`
    },
  )
  // Records made of entries may have a member `__proto__`.
  return { pattern, requirements: Object.fromEntries(requirements), defaults: Object.fromEntries(defaults), numbers }
}

/** What decides how a pattern is read. */
interface PatternRules {
  /** `/` in a path, `.` in a host. */
  readonly boundary: '/' | '.'
  readonly requirements: Readonly<Record<string, string>>
  readonly utf8: boolean
}

/** Cuts a pattern without inline parts into tokens. Throws a `DefinitionFault` that points at the spot. */
export function readPattern(pattern: string, rules: PatternRules): PatternToken[] {
  const wide = /[^\0-\x7f]/u.exec(pattern)
  if (wide !== null && !rules.utf8) {
    throw new DefinitionFault(
      'a pattern with characters outside ASCII needs the option utf8: true.',
      pattern,
      wide.index,
    )
  }
  const lone = /[\ud800-\udfff]/u.exec(pattern)
  if (lone !== null) throw new DefinitionFault('this is not a Unicode character.', pattern, lone.index)
  if (!pattern.includes('{')) return pattern === '' ? [] : [{ kind: 'text', text: pattern }]
  const tokens: PatternToken[] = []
  const names = new Set<string>()
  let position = 0
  for (const found of pattern.matchAll(/\{(!?)([\w\u0080-\uffff]+)\}/g)) {
    const name = found[2] ?? ''
    checkName(name, names, pattern, found.index)
    names.add(name)
    if (names.size > maxParams)
      throw new DefinitionFault(`a route has at most ${maxParams} parameters.`, pattern, found.index)
    const preceding = pattern.slice(position, found.index)
    position = found.index + found[0].length
    const lastChar = preceding.at(-1) ?? ''
    const separator = lastChar !== '' && separators.includes(lastChar) ? lastChar : ''
    const text = preceding.slice(0, preceding.length - separator.length)
    if (text !== '') tokens.push({ kind: 'text', text })
    const isImportant = found[1] === '!'
    tokens.push({ ...readSpan(name, pattern.slice(position), rules), kind: 'param', name, separator, isImportant })
  }
  if (position < pattern.length) tokens.push({ kind: 'text', text: pattern.slice(position) })
  return tokens
}

function checkName(name: string, names: ReadonlySet<string>, pattern: string, offset: number): void {
  if (/^\d/.test(name)) throw new DefinitionFault(`parameter "${name}" must not begin with a digit.`, pattern, offset)
  if (name === '_fragment') {
    throw new DefinitionFault('"_fragment" is the fragment of a generated URL, not a parameter.', pattern, offset)
  }
  if (names.has(name)) throw new DefinitionFault(`parameter "${name}" is used twice.`, pattern, offset)
  if (name.length > maxNameLength) {
    throw new DefinitionFault(`parameter "${name}" is longer than ${maxNameLength} characters.`, pattern, offset)
  }
}

const oneSegment = { source: '[^/]+', isRequired: false, stops: '/' } as const

/** Without a requirement a parameter ends at the boundary and at the separator that follows it. */
function readSpan(
  name: string,
  following: string,
  rules: PatternRules,
): Pick<ParamToken, 'source' | 'isRequired' | 'stops'> {
  const given = Object.hasOwn(rules.requirements, name) ? rules.requirements[name] : undefined
  if (given !== undefined) return { source: compileRequirement(name, given, rules.utf8), isRequired: true, stops: '' }
  const first = following.charAt(0)
  const next = first === '{' ? following.replaceAll(/\{[\w\u0080-\uffff]+\}/g, '').charAt(0) : first
  const stops =
    next !== '' && next !== rules.boundary && separators.includes(next) ? rules.boundary + next : rules.boundary
  if (stops === '/') return oneSegment
  const quoted = stops.replaceAll(/[-.*+|]/g, String.raw`\$&`)
  return { source: `[^${quoted}]+`, isRequired: false, stops }
}

/** Index of the first token of the optional end, parameters with a default only; `tokens.length` when there is none. */
export function firstOptionalToken(
  tokens: readonly PatternToken[],
  defaults: Readonly<Record<string, unknown>>,
): number {
  let first = tokens.length
  for (let index = tokens.length - 1; index >= 0; index -= 1) {
    const token = tokens[index]
    if (token?.kind !== 'param' || token.isImportant || !Object.hasOwn(defaults, token.name)) break
    first = index
  }
  return first
}
