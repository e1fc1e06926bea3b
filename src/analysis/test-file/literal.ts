// Writes values as JavaScript code. Recorded values can only become literals, never code.

import { hasUnseen } from '../../base/markdown-text.ts'
import { joinPath } from '../../base/http/json-path.ts'

/** Code in place of a value: an expression of ours. */
export class Expression {
  readonly code: string

  constructor(code: string) {
    this.code = code
  }
}

/** Characters of an object or a list in one line; longer ones get a line for each member. */
const maxLine = 70

/** Plain JSON, with expressions in it, as it would be typed. `indent` is that of the line it begins on. */
export function literal(value: unknown, indent = ''): string {
  if (value instanceof Expression) return value.code
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const [open, close, space] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', ' ']
  const inner = `${indent}  `
  const members = Object.entries(value).map(([name, member]) => {
    return `${open === '[' ? '' : `${keyOf(name)}: `}${literal(member, inner)}`
  })
  const line = members.join(', ')
  if (line === '') return `${open}${close}`
  if (line.length <= maxLine && !line.includes('\n')) return `${open}${space}${line}${space}${close}`
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join('')}${indent}${close}`
}

/** `__proto__` in brackets is a member like any other. */
function keyOf(name: string): string {
  if (name === '__proto__') return "['__proto__']"
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)
}

/** With everything written out that an editor does not show as it is. */
export function quoted(text: string): string {
  return `'${escaped(text).replaceAll("'", "\\'")}'`
}

/** Text between backticks, with expressions between its parts. */
export function template(parts: readonly (string | Expression)[]): Expression {
  const inner = parts.map((part) =>
    typeof part === 'string' ? escaped(part).replace(/[`$]/g, '\\$&') : `\${${part.code}}`,
  )
  return new Expression(`\`${inner.join('')}\``)
}

/** Escapes for what no editor shows as it is, and for halves of characters, which no file can hold. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replace(/[^ -~]/gu, (character) =>
      hasUnseen(character) || !character.isWellFormed()
        ? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
        : character,
    )
}

/** An expression for a value that is to be filled in, `cookie session`. */
export function taken(name: string, missing: Set<string>): Expression {
  missing.add(name)
  return new Expression(`missing[${quoted(name)}]`)
}

/** JSON with expressions in place of some texts. `fill` is asked for each text with its place, `items[0].password`; `undefined` leaves it. */
export function filled(
  value: unknown,
  fill: (text: string, path: string) => Expression | undefined,
  path = '',
): unknown {
  if (typeof value === 'string') return fill(value, path) ?? value
  if (Array.isArray(value))
    return value.map((member, index) => filled(member, fill, joinPath(path, String(index), true)))
  if (typeof value !== 'object' || value === null) return value
  // Made from entries: a member named `__proto__` stays one.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, filled(member, fill, joinPath(path, key, false))]),
  )
}
