// Reads a pattern, `/products/{id<\d+>?1}.{_format}`, into its tokens: text and parameters.

import { DefinitionFault } from './errors.ts'
import { makeRegExp, parseRegex, writtenSize } from './regex-syntax.ts'

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

interface RequirementType {
  readonly source: string
  /** Whether handlers get a number. */
  readonly isNumber: boolean
}

const types = {
  // As many digits as a number holds exactly.
  int: { source: String.raw`\d{1,15}`, isNumber: true },
  uuid: { source: '[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}', isNumber: false },
  ulid: { source: '[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}', isNumber: false },
  slug: { source: '[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*', isNumber: false },
  date: { source: String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`, isNumber: false },
  path: { source: '.+', isNumber: false },
} as const satisfies Readonly<Record<string, RequirementType>>

/** `int`, `uuid`, `ulid`, `slug`, `date`, `path`. */
export const requirementTypeNames: readonly string[] = Object.keys(types)

/** The type of that name, `undefined` for an expression. */
export function requirementType(requirement: string): RequirementType | undefined {
  return Object.hasOwn(types, requirement) ? types[requirement as keyof typeof types] : undefined
}

/** What V8 would take for something else, and what cannot be matched here. */
const refused: readonly (readonly [RegExp, string])[] = [
  [/(?<=\[[^\]]*)\[:\w+:\]/, 'JavaScript writes POSIX classes as \\p{…}.'],
  [
    /(?<!\\)(?:\\\\)*\\(?:q\{|p\{(?:Basic_Emoji|Emoji_Keycap_Sequence|RGI_))/,
    'a class can only hold single characters.',
  ],
]

/** Characters of a requirement with its repeats written out. PCRE has limits of this order too. */
const maxSize = 10_000
const maxDepth = 250

/**
 * The requirement without anchors and capturing groups, as source for the flags `su` (or `sv`). Throws a `DefinitionFault` for
 * one that is empty, malformed, not ASCII without `utf8`, or too large.
 */
function compileRequirement(name: string, given: string, utf8: boolean): string {
  const source = withoutAnchors(given)
  if (source === '') throw new DefinitionFault(`the requirement of "${name}" is empty.`, given)
  checkClasses(name, source)
  checkWidth(name, source, utf8)
  checkDepth(name, source)
  const plain = withoutCaptures(source)
  checkSyntax(name, source, plain)
  const size = writtenSize(parseRegex(plain))
  if (size > maxSize) {
    const written = size === Infinity ? '' : ` (${size} characters with its repeats written out, at most ${maxSize})`
    throw new DefinitionFault(`the requirement of "${name}" is too large${written}.`, source)
  }
  return plain
}

/** Drops `^` and `$` around a requirement: it always matches the whole value. */
export function withoutAnchors(given: string): string {
  const start = given.startsWith('^') ? 1 : 0
  const isEndAnchored = given.endsWith('$') && !/(?:^|[^\\])(?:\\\\)*\\\$$/.test(given)
  return given.slice(start, isEndAnchored ? -1 : undefined)
}

function checkClasses(name: string, source: string): void {
  for (const [pattern, advice] of refused) {
    const found = pattern.exec(source)
    if (found !== null) throw new DefinitionFault(`requirement of "${name}": ${advice}`, source, found.index)
  }
}

function checkWidth(name: string, source: string, utf8: boolean): void {
  if (utf8) {
    const lone = /[\ud800-\udfff]/u.exec(source)
    if (lone !== null)
      throw new DefinitionFault(`requirement of "${name}": this is not a Unicode character.`, source, lone.index)
    return
  }
  const wide = /[^\0-\x7f]|(?<!\\)(?:\\\\)*\\(?:[pP][{CLMNPSZ]|u\{?[0-9A-Fa-f]{3}|X)/.exec(source)
  if (wide === null) return
  throw new DefinitionFault(
    `the requirement of "${name}" names characters outside ASCII, which needs the option utf8: true.`,
    source,
    wide.index,
  )
}

function checkDepth(name: string, source: string): void {
  let depth = 0
  for (const { 0: bracket, index } of source.matchAll(/\\.|\[(?:\\.|[^\\\]])*\]|[()]/gs)) {
    if (bracket === '(') depth += 1
    else if (bracket === ')') depth -= 1
    if (depth > maxDepth)
      throw new DefinitionFault(`requirement of "${name}": groups are nested too deeply.`, source, index)
  }
}

/** Makes groups non-capturing, which is all that matters here. */
function withoutCaptures(source: string): string {
  let plain = ''
  let inClass = false
  for (let index = 0; index < source.length; index += 1) {
    const char = source.charAt(index)
    plain += char
    if (char === '\\') {
      index += 1
      plain += source.charAt(index)
    } else if (char === '[') inClass = true
    else if (char === ']') inClass = false
    else if (char === '(' && !inClass) {
      const named = /^\(\?<(?![=!])[^>]*>/.exec(source.slice(index))
      if (named !== null) index += named[0].length - 1
      if (named !== null || source[index + 1] !== '?') plain += '?:'
    }
  }
  return plain
}

function checkSyntax(name: string, source: string, plain: string): void {
  try {
    makeRegExp(`^(?:${plain})$`)
    // Alone too: `a)|(b` is only an expression when wrapped.
    makeRegExp(plain)
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*\/[a-z]*: /s, '') : 'malformed'
    throw new DefinitionFault(`the requirement of "${name}" is not a JavaScript expression: ${reason}.`, source)
  }
}
