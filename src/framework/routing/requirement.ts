// Checks the requirement of a parameter when its route is added, and makes it ready to be part of a larger expression.

import { findBacktracking } from './backtracking.ts'
import { DefinitionFault } from './definition-error.ts'
import { makeRegExp } from './regular-expression.ts'

/** Constructs of other dialects, or of no use inside a requirement, and what to say about them. */
const foreign: readonly (readonly [RegExp, string])[] = [
  [/^\(\?[imsx-]+\)/, 'flags are written around what they apply to: (?i:…).'],
  [/^\(\?>/, 'atomic groups are not part of JavaScript’s expressions.'],
  [/^\(\?\|/, 'branch reset groups are not part of JavaScript’s expressions.'],
  [/^\(\?P[<=>]/, 'named groups are not needed; the parameter is the group.'],
  [/^\(\?#/, 'comments are not part of JavaScript’s expressions.'],
  [/^\(\?(?:R|\d|&|\()/, 'recursion and conditions are not part of JavaScript’s expressions.'],
  [/^\(\*/, 'verbs are not part of JavaScript’s expressions.'],
  [/^\\[AzZG]/, 'a requirement always matches the whole value; leave the anchor out.'],
  [/^\\[hHKRXQEN]/, 'this escape is not part of JavaScript’s expressions.'],
  [/^\\(?:[1-9]|k<)/, 'references to groups are not possible in a requirement.'],
]

/**
 * The requirement without anchors and with its groups made non-capturing, as source for the flags `su` (or `sv`).
 * Throws a `DefinitionFault` for what is empty, foreign, malformed, wide without `utf8`, or can backtrack badly.
 */
export function compileRequirement(name: string, given: string, utf8: boolean): string {
  const source = withoutAnchors(given)
  if (source === '') throw new DefinitionFault(`the requirement of "${name}" is empty.`, given)
  checkDialect(name, source)
  checkWidth(name, source, utf8)
  const plain = withoutCaptures(source)
  checkSyntax(name, source, plain)
  const danger = findBacktracking(plain)
  if (danger !== null) {
    throw new DefinitionFault(
      `the requirement of "${name}" can take very long: ${danger.reason}, for example on ${danger.example}.`,
      source,
      danger.offset,
    )
  }
  return plain
}

/** A requirement always matches the whole value; `^` and `$` around it say nothing. */
export function withoutAnchors(given: string): string {
  const start = given.startsWith('^') ? 1 : 0
  const isEndAnchored = given.endsWith('$') && !/(?:^|[^\\])(?:\\\\)*\\\$$/.test(given)
  return given.slice(start, isEndAnchored ? -1 : undefined)
}

function checkDialect(name: string, source: string): void {
  let inClass = false
  for (let index = 0; index < source.length; index += 1) {
    const rest = source.slice(index)
    if (inClass && rest.startsWith('[:')) {
      throw new DefinitionFault(
        `requirement of "${name}": POSIX classes are written \\p{…} in JavaScript.`,
        source,
        index,
      )
    }
    if (!inClass || rest.startsWith('\\')) {
      for (const [pattern, advice] of foreign) {
        if (pattern.test(rest)) throw new DefinitionFault(`requirement of "${name}": ${advice}`, source, index)
      }
    }
    const possessive = inClass ? null : /^(?:[*+?]|\{\d+(?:,\d*)?\})\+/.exec(rest)
    if (possessive !== null) {
      throw new DefinitionFault(
        `requirement of "${name}": possessive quantifiers are not part of JavaScript’s expressions.`,
        source,
        index + possessive[0].length - 1,
      )
    }
    const char = source[index]
    if (char === '\\') index += 1
    else if (char === '[') inClass = true
    else if (char === ']') inClass = false
  }
}

function checkWidth(name: string, source: string, utf8: boolean): void {
  if (utf8) {
    const lone = source.isWellFormed() ? null : /[\ud800-\udfff]/.exec(source)
    if (lone !== null)
      throw new DefinitionFault(`requirement of "${name}": this is no Unicode character.`, source, lone.index)
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

/** Parameters are told apart by the number of their group, so a requirement may not bring groups of its own. */
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
    throw new DefinitionFault(
      `the requirement of "${name}" is no JavaScript expression: ${reason}.`,
      source,
      spotOf(plain),
    )
  }
}

/** The shortest beginning that no longer compiles for another reason than being cut off is hard to know; a bracket left open is not. */
function spotOf(source: string): number {
  const open: number[] = []
  let inClass = -1
  for (let index = 0; index < source.length; index += 1) {
    const char = source[index]
    if (char === '\\') index += 1
    else if (inClass >= 0) inClass = char === ']' ? -1 : inClass
    else if (char === '[') inClass = index
    else if (char === '(') open.push(index)
    else if (char === ')' && open.pop() === undefined) return index
    else if (char === ']') return index
  }
  return inClass >= 0 ? inClass : (open.at(-1) ?? 0)
}
