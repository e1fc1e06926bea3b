// Reads an expression of a requirement into a tree, as far as it takes to see where it can backtrack. What is written
// wrongly has been refused before; the parser is for sources that compile.

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
