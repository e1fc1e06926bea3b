// Checks and compiles requirements: the regular expressions that parameters must match.

import { DefinitionFault } from './definition-error.ts'
import { makeRegExp, parseRegex, writtenSize } from './regex-syntax.ts'

/** What a named requirement matches. */
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
export function compileRequirement(name: string, given: string, utf8: boolean): string {
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
