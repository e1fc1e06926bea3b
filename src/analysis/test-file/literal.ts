// Writes values as JavaScript code. Recorded values can only become literals, never code.

import { hasUnseen } from '../../base/markdown-text.ts'

/** Characters of an object or a list in one line; longer ones get a line for each member. */
const maxLine = 70

/** Plain JSON as it would be typed. `indent` is that of the line it begins on. */
export function literal(value: unknown, indent = ''): string {
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
