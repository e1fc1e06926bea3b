// Writes values as JavaScript code. Recorded values can only become literals, never code.

import { hasUnseen } from '../../errors/markdown-text.ts'

/** Code in place of a value: an expression of ours. */
export class Expression {
  readonly code: string

  constructor(code: string) {
    this.code = code
  }
}

/** Columns of a line; longer objects and lists get a line for each member. */
const maxColumns = 100
const step = '  '

/** Plain JSON, with expressions in it, as it would be typed. `indent` is that of the line it begins on, `column` where it begins. */
export function literal(value: unknown, indent = '', column: number = indent.length): string {
  if (value instanceof Expression) return value.code
  if (typeof value === 'string') return quoted(value)
  const inner = indent + step
  if (Array.isArray(value)) {
    return list('[', ']', '', indent, column, (isShort) =>
      value.map((member) => literal(member, isShort ? indent : inner)),
    )
  }
  if (typeof value === 'object' && value !== null) {
    return list('{', '}', ' ', indent, column, (isShort) =>
      Object.entries(value).map(([name, member]) => {
        const key = `${keyOf(name)}: `
        return key + (isShort ? literal(member, indent) : literal(member, inner, inner.length + key.length))
      }),
    )
  }
  return JSON.stringify(value) ?? 'undefined'
}

/** On one line if that is short, else a line for each member. */
function list(
  open: string,
  close: string,
  space: string,
  indent: string,
  column: number,
  members: (isShort: boolean) => readonly string[],
): string {
  const short = members(true)
  if (short.length === 0) return `${open}${close}`
  const line = `${open}${space}${short.join(', ')}${space}${close}`
  if (!line.includes('\n') && column + line.length <= maxColumns) return line
  const inner = indent + step
  return `${open}\n${members(false)
    .map((member) => `${inner}${member},\n`)
    .join('')}${indent}${close}`
}

/** `__proto__` in brackets is a member like any other. */
function keyOf(name: string): string {
  if (name === '__proto__') return "['__proto__']"
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)
}

/** In the quotes that need fewer escapes, with everything written out that an editor does not show as it is. */
export function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  return `${quote}${escaped(text).replaceAll(quote, `\\${quote}`)}${quote}`
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
