// Reads an expression into a tree.

/** For what the source asks of V8, not for matching: compiles with the flag `u`, or `v` if the source needs it (set notation), and with `s` by default. Throws a SyntaxError. */
export function makeRegExp(source: string, flags = 's'): RegExp {
  const known = source.replaceAll(modifiers, withoutModifiers)
  try {
    return new RegExp(known, `u${flags}`)
  } catch {
    return new RegExp(known, `v${flags}`)
  }
}

/** The beginning of a group: `(?i:`, `(?-s:`; and what may look like one. */
const modifiers = /\\.|\(\?([ims]*)(?:-([ims]+))?:/gs

/** Node 22 does not know them: the matcher reads them by itself. Each flag may be there once. */
function withoutModifiers(all: string, added = '', removed = ''): string {
  const flags = added + removed
  return flags !== '' && new Set(flags).size === flags.length ? '(?:' : all
}

/** A text as part of a regular expression, also of one with the flag `u`. */
export function quote(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

export type RegexNode =
  | CharNode
  | { readonly kind: 'sequence'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly parts: readonly RegexNode[] }
  | RepeatNode
  | LookNode
  /** `^`, `$`, `\b` or `\B`. */
  | { readonly kind: 'edge'; readonly source: string; readonly flags: string }

/** One character: `\d`, `[a-z]`, `x`, to be compiled with these flags. */
interface CharNode {
  readonly kind: 'char'
  readonly source: string
  readonly flags: string
}

/** A part that is there `min` to `max` times. */
interface RepeatNode {
  readonly kind: 'repeat'
  readonly part: RegexNode
  readonly min: number
  readonly max: number
  readonly isLazy: boolean
}

interface LookNode {
  readonly kind: 'look'
  readonly part: RegexNode
  readonly isBehind: boolean
  readonly isNegative: boolean
}

/** Parses a source that is known to compile. */
export function parseRegex(source: string, flags = 's'): RegexNode {
  const { unicodeSets } = makeRegExp(source)
  return new RegexReader(source, unicodeSets).choice(flags + (unicodeSets ? 'v' : 'u'))
}

/** Whether a value could contain the character. */
export function canHold(node: RegexNode, char: string): boolean {
  switch (node.kind) {
    case 'char':
      return new RegExp(node.source, node.flags).test(char)
    case 'sequence':
    case 'choice':
      return node.parts.some((part) => canHold(part, char))
    case 'repeat':
      return canHold(node.part, char)
    default:
      return false
  }
}

/** The least number of characters of a value. */
export function leastLength(node: RegexNode): number {
  switch (node.kind) {
    case 'char':
      return 1
    case 'sequence':
      return node.parts.reduce((sum, part) => sum + leastLength(part), 0)
    case 'choice':
      return Math.min(...node.parts.map(leastLength))
    case 'repeat':
      return node.min * leastLength(node.part)
    default:
      return 0
  }
}

/** How large the expression is with its repeats written out. */
export function writtenSize(node: RegexNode): number {
  switch (node.kind) {
    case 'sequence':
    case 'choice':
      return node.parts.reduce((sum, part) => sum + 1 + writtenSize(part), 0)
    case 'repeat':
      return (1 + writtenSize(node.part)) * Math.max(1, node.max === Infinity ? node.min + 1 : node.max)
    case 'look':
      return 1 + writtenSize(node.part)
    default:
      return 1
  }
}

const charPattern =
  /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[dD][89abAB][\dA-Fa-f]{2}\\u[dD][c-fC-F][\dA-Fa-f]{2}|\\u[\dA-Fa-f]{4}|\\x[\dA-Fa-f]{2}|\\c[A-Za-z]|\\.|[^\\[\]()|]/suy
const repeatPattern = /(?:[*+?]|\{(\d+)(,(\d*))?\})(\??)/y
const groupPattern = /\((?:\?(?:([ims]*)(?:-([ims]*))?:|(<?[=!])|<[^>]*>))?/y

class RegexReader {
  readonly #source: string
  readonly #nestsClasses: boolean
  #offset = 0

  constructor(source: string, nestsClasses: boolean) {
    this.#source = source
    this.#nestsClasses = nestsClasses
  }

  choice(flags: string): RegexNode {
    const parts = [this.#sequence(flags)]
    while (this.#source[this.#offset] === '|') {
      this.#offset += 1
      parts.push(this.#sequence(flags))
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'choice', parts }
  }

  #sequence(flags: string): RegexNode {
    const parts: RegexNode[] = []
    while (this.#offset < this.#source.length && !'|)'.includes(this.#source.charAt(this.#offset))) {
      parts.push(this.#repeat(this.#atom(flags)))
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'sequence', parts }
  }

  #repeat(part: RegexNode): RegexNode {
    const found = this.#take(repeatPattern)
    if (found === null) return part
    const isLazy = found[4] === '?'
    const sign = found[0].charAt(0)
    if (sign !== '{') {
      return { kind: 'repeat', part, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity, isLazy }
    }
    const min = Number(found[1])
    const max = found[2] === undefined ? min : found[3] === '' ? Infinity : Number(found[3])
    return { kind: 'repeat', part, min, max, isLazy }
  }

  #atom(flags: string): RegexNode {
    const char = this.#source.charAt(this.#offset)
    if (char === '(') return this.#group(flags)
    if (char === '[') return this.#class(flags)
    const source = this.#take(charPattern)?.[0] ?? char
    return /^(?:[\^$]|\\[bB])$/.test(source) ? { kind: 'edge', source, flags } : { kind: 'char', source, flags }
  }

  #group(flags: string): RegexNode {
    const [, added = '', removed = '', look] = this.#take(groupPattern) ?? []
    const kept = [...flags].filter((flag) => !added.includes(flag) && !removed.includes(flag)).join('')
    const part = this.choice(added + kept)
    this.#offset += 1
    if (look === undefined) return part
    return { kind: 'look', part, isBehind: look.startsWith('<'), isNegative: look.endsWith('!') }
  }

  #class(flags: string): RegexNode {
    const start = this.#offset
    let depth = 0
    do {
      const char = this.#source.charAt(this.#offset)
      if (char === '\\') this.#offset += 1
      else if (char === '[' && (depth === 0 || this.#nestsClasses)) depth += 1
      else if (char === ']') depth -= 1
      this.#offset += 1
    } while (depth > 0 && this.#offset < this.#source.length)
    return { kind: 'char', source: this.#source.slice(start, this.#offset), flags }
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#offset
    const found = pattern.exec(this.#source)
    this.#offset += found?.[0].length ?? 0
    return found
  }
}
