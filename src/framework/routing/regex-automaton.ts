// Reads the expression of a requirement into a tree and an automaton: two ways back to a state are what makes matching slow.

import { makeRegExp } from './expression.ts'

/** A part of an expression. */
export type RegexNode =
  /** One character; `source` is an expression for it: `\d`, `[a-z]`, `x`. */
  | { readonly kind: 'char'; readonly source: string; readonly offset: number }
  | { readonly kind: 'sequence'; readonly parts: readonly RegexNode[]; readonly offset: number }
  | { readonly kind: 'choice'; readonly parts: readonly RegexNode[]; readonly offset: number }
  | {
      readonly kind: 'repeat'
      readonly part: RegexNode
      readonly min: number
      readonly max: number
      readonly offset: number
    }
  /** Takes no character: `^`, `\b`, look-around. */
  | { readonly kind: 'nothing'; readonly offset: number }

/** Parses a source that is known to compile. */
export function parseRegex(source: string): RegexNode {
  const reader = new RegexReader(source)
  return reader.choice()
}

const charPattern = /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\c[A-Za-z]|\\.|[^\\[\]()|]/suy

class RegexReader {
  readonly #source: string
  #offset = 0

  constructor(source: string) {
    this.#source = source
  }

  choice(): RegexNode {
    const offset = this.#offset
    const parts = [this.#sequence()]
    while (this.#source[this.#offset] === '|') {
      this.#offset += 1
      parts.push(this.#sequence())
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'choice', parts, offset }
  }

  #sequence(): RegexNode {
    const offset = this.#offset
    const parts: RegexNode[] = []
    while (this.#offset < this.#source.length && !'|)'.includes(this.#source.charAt(this.#offset))) {
      parts.push(this.#repeat(this.#atom()))
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'sequence', parts, offset }
  }

  #repeat(part: RegexNode): RegexNode {
    const found = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/.exec(this.#source.slice(this.#offset))
    if (found === null) return part
    this.#offset += found[0].length
    const sign = found[0].charAt(0)
    const { offset } = part
    if (sign === '*') return { kind: 'repeat', part, min: 0, max: Infinity, offset }
    if (sign === '+') return { kind: 'repeat', part, min: 1, max: Infinity, offset }
    if (sign === '?') return { kind: 'repeat', part, min: 0, max: 1, offset }
    const min = Number(found[1])
    const max = found[2] === undefined ? min : found[3] === '' ? Infinity : Number(found[3])
    return { kind: 'repeat', part, min, max, offset }
  }

  #atom(): RegexNode {
    const offset = this.#offset
    const char = this.#source.charAt(offset)
    if (char === '(') return this.#group(offset)
    if (char === '[') return this.#class(offset)
    charPattern.lastIndex = offset
    const source = charPattern.exec(this.#source)?.[0] ?? char
    this.#offset += Math.max(1, source.length)
    return /^(?:[\^$]|\\[bB])$/.test(source) ? { kind: 'nothing', offset } : { kind: 'char', source, offset }
  }

  #group(offset: number): RegexNode {
    const opening = /^\((?:\?(?:[a-z-]*:|<?[=!]|<[^>]*>))?/.exec(this.#source.slice(offset))?.[0] ?? '('
    this.#offset += opening.length
    const inner = this.choice()
    this.#offset += 1
    return /[=!]$/.test(opening) ? { kind: 'nothing', offset } : inner
  }

  /** A class, with the classes inside of it where the flag `v` allows them. */
  #class(offset: number): RegexNode {
    let depth = 0
    do {
      const char = this.#source.charAt(this.#offset)
      if (char === '\\') this.#offset += 1
      else if (char === '[') depth += 1
      else if (char === ']') depth -= 1
      this.#offset += 1
      // Without the flag `v` a bracket inside a class is a character.
      if (depth > 1 && !isNested(this.#source.slice(offset))) depth = 1
    } while (depth > 0 && this.#offset < this.#source.length)
    return { kind: 'char', source: this.#source.slice(offset, this.#offset), offset }
  }
}

function isNested(source: string): boolean {
  const end = source.indexOf(']')
  try {
    void new RegExp(source.slice(0, end + 1), 'u')
    return false
  } catch {
    return true
  }
}

/** A step that takes one of a set of characters; the set is a bit for each representative character. */
export interface CharStep {
  readonly to: number
  readonly chars: bigint
  /** Where in the expression it stands. */
  readonly offset: number
}

/** States by number: what they lead to. */
export interface Automaton {
  readonly start: number
  readonly end: number
  readonly steps: readonly (readonly CharStep[])[]
  /** Steps that take nothing, each as often as it is written: two ways to the same state are two ways to backtrack. */
  readonly free: readonly (readonly number[])[]
  /** The characters that stand for all others: one of each kind that the expression tells apart. */
  readonly alphabet: readonly string[]
}

/** Repeats are written out at most this often; more does not change whether something can go two ways. */
const maxCopies = 3

/** Expressions that would need more states are not looked at. */
const maxStates = 400

/** The automaton, or `null` for an expression that is too large to be looked at. */
export function makeAutomaton(root: RegexNode): Automaton | null {
  const alphabet = alphabetOf(root)
  const steps: CharStep[][] = []
  const free: number[][] = []
  const sets = new Map<string, bigint>()

  const add = (): number => {
    steps.push([])
    free.push([])
    return steps.length - 1
  }

  const setOf = (source: string): bigint => {
    let set = sets.get(source)
    if (set === undefined) {
      const expression = makeRegExp(`^(?:${source})$`)
      set = alphabet.reduce((bits, char, index) => (expression.test(char) ? bits | (1n << BigInt(index)) : bits), 0n)
      sets.set(source, set)
    }
    return set
  }

  const link = (node: RegexNode, from: number): number => {
    if (steps.length > maxStates) return from
    switch (node.kind) {
      case 'nothing':
        return from
      case 'char': {
        const to = add()
        steps[from]?.push({ to, chars: setOf(node.source), offset: node.offset })
        return to
      }
      case 'sequence':
        return node.parts.reduce((state, part) => link(part, state), from)
      case 'choice': {
        const to = add()
        for (const part of node.parts) {
          const begin = add()
          free[from]?.push(begin)
          free[link(part, begin)]?.push(to)
        }
        return to
      }
      case 'repeat':
        return linkRepeat(node, from)
      default:
        return node satisfies never
    }
  }

  const linkRepeat = (node: RegexNode & { kind: 'repeat' }, from: number): number => {
    let state = from
    const fixed = Math.min(node.min, maxCopies)
    for (let copy = 0; copy < fixed; copy += 1) state = link(node.part, state)
    const to = add()
    if (node.max === Infinity) {
      const loop = add()
      free[state]?.push(loop)
      free[link(node.part, loop)]?.push(loop)
      free[loop]?.push(to)
      return to
    }
    const optional = Math.min(node.max - node.min, maxCopies)
    for (let copy = 0; copy < optional; copy += 1) {
      free[state]?.push(to)
      state = link(node.part, state)
    }
    free[state]?.push(to)
    return to
  }

  const start = add()
  const end = link(root, start)
  return steps.length > maxStates ? null : { start, end, steps, free, alphabet }
}

/** One character for each kind that the expression tells apart, and one that it names nowhere. */
function alphabetOf(root: RegexNode): string[] {
  const chars = new Set<string>()
  const expressions = new Map<string, RegExp>()
  const visit = (node: RegexNode): void => {
    if (node.kind === 'char') {
      expressions.set(node.source, makeRegExp(`^(?:${node.source})$`))
      if (/^[^\\[.]$/u.test(node.source)) chars.add(node.source)
    } else if (node.kind === 'repeat') visit(node.part)
    else if (node.kind !== 'nothing') node.parts.forEach(visit)
  }
  visit(root)
  for (let code = 0x20; code < 0x17f; code += 1) if (code < 0x7f || code > 0xa0) chars.add(String.fromCharCode(code))
  for (const char of ['\n', '\t', '\0', '\u03b1', '\u0416', '\u4e2d', '\u{1f4a9}', '\udc2f']) chars.add(char)
  const kinds = new Map<string, string>()
  for (const char of chars) {
    const kind = [...expressions.values()].map((expression) => (expression.test(char) ? '1' : '0')).join('')
    const known = kinds.get(kind)
    if (known === undefined || (!/[a-z0-9]/.test(known) && /[a-z0-9]/.test(char))) kinds.set(kind, char)
  }
  return [...kinds.values()]
}
