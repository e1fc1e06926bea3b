// Compiles expressions and patterns into steps, and runs them. Finds what a backtracking engine finds, in the same order, but passes each
// split at most once at each position of the text. So the work grows with the length of the text times the size of the program.

import type { ParamToken, TextToken } from './path-pattern.ts'
import { parseRegex, type RegexNode } from './regex-syntax.ts'

/** Something to do at a position of a text, and where to go on. */
interface Step {
  /**
   * `char`: takes a character of the set; `back`: the same, backwards. `text`: takes the text. `split`: goes on at `next`, and at
   * `other` if that fails. `mark`: notes the position in slot `id`. `look`: `inner` must match here, `deny`: must not. `edge`: stands
   * at `^`, `$`, `\b` or `\B`. `end`: has matched.
   */
  readonly kind: 'char' | 'back' | 'text' | 'split' | 'mark' | 'look' | 'deny' | 'edge' | 'end'
  next: number
  other: number
  /** Number of the split, or of the slot. */
  readonly id: number
  readonly text: string
  readonly set: CharSet | null
  readonly inner: Program | null
}

/** Steps that are taken from `start` on. */
export interface Program {
  readonly steps: readonly Step[]
  readonly start: number
  readonly splits: number
  /** Two for each parameter: where it begins and ends. */
  readonly slots: number
}

interface PatternOptions {
  /** Index of the first token of the optional end. Default: none. */
  readonly firstOptional?: number
  /** Index of the token to begin with. Default: 0. */
  readonly from?: number
  /** Whether one slash may follow at the end. Default: false. */
  readonly mayEndInSlash?: boolean
  /** Flags of the expressions. Default: `s`. */
  readonly flags?: string
}

/** A set of characters. Remembers what it was asked about ASCII. */
class CharSet {
  readonly #expression: RegExp
  /** 0: not asked yet, 1: inside, 2: outside. */
  readonly #ascii = new Uint8Array(128)

  constructor(source: string, flags: string) {
    this.#expression = new RegExp(`^(?:${source})$`, flags)
  }

  /** Whether a code point is in the set. */
  has(code: number): boolean {
    if (code >= 128) return this.#expression.test(String.fromCodePoint(code))
    let known = this.#ascii[code]
    if (known === 0) {
      known = this.#expression.test(String.fromCharCode(code)) ? 1 : 2
      this.#ascii[code] = known
    }
    return known === 1
  }
}

/** An expression without parameters. Look-around can be left out, for a value whose surroundings are not known yet. */
export function compileExpression(source: string, flags = 's', looksAround = true): Program {
  const compiler = new Compiler(looksAround)
  return compiler.program(compiler.node(parseRegex(source, flags), compiler.add('end')), 0)
}

/**
 * A pattern, or its end. A parameter of the optional end may be left out with its separator and all that follow; the first separator
 * of a path stays.
 */
export function compilePattern(
  tokens: readonly (TextToken | Pick<ParamToken, 'kind' | 'separator' | 'source'>)[],
  { firstOptional = tokens.length, from = 0, mayEndInSlash = false, flags = 's' }: PatternOptions = {},
): Program {
  const compiler = new Compiler(true)
  let end = compiler.add('end')
  if (mayEndInSlash) end = compiler.split(compiler.text('/', end), end)
  const slots = 2 * tokens.filter(({ kind }, index) => kind === 'param' && index >= from).length
  let slot = slots
  let next = end
  for (let index = tokens.length - 1; index >= from; index -= 1) {
    const token = tokens[index]
    if (token?.kind === 'text') next = compiler.text(token.text, next)
    else if (token !== undefined) {
      const behind = compiler.add('mark', { next, id: slot - 1 })
      const inner = compiler.node(parseRegex(token.source, flags), behind)
      const value = compiler.add('mark', { next: inner, id: slot - 2 })
      slot -= 2
      if (index < firstOptional) next = compiler.text(token.separator, value)
      else if (index === 0) next = compiler.text(token.separator, compiler.split(value, next))
      else next = compiler.split(compiler.text(token.separator, value), end)
    }
  }
  return compiler.program(next, slots)
}

/** Adds steps from the end to the beginning: each is told what follows it, and gives its own number. */
class Compiler {
  readonly #steps: Step[] = []
  readonly #sets = new Map<string, CharSet>()
  readonly #looksAround: boolean
  #splits = 0

  constructor(looksAround: boolean) {
    this.#looksAround = looksAround
  }

  program(start: number, slots: number): Program {
    return { steps: this.#steps, start, splits: this.#splits, slots }
  }

  add(
    kind: Step['kind'],
    { next = -1, other = -1, id = 0, text = '', set = null, inner = null }: Partial<Omit<Step, 'kind'>> = {},
  ): number {
    return this.#steps.push({ kind, next, other, id, text, set, inner }) - 1
  }

  text(text: string, next: number): number {
    return text === '' ? next : this.add('text', { next, text })
  }

  split(next: number, other: number): number {
    return this.add('split', { next, other, id: this.#splits++ })
  }

  node(node: RegexNode, next: number, isBack = false): number {
    switch (node.kind) {
      case 'char':
        return this.add(isBack ? 'back' : 'char', { next, set: this.#set(node.source, node.flags) })
      case 'sequence':
        return (isBack ? node.parts : node.parts.toReversed()).reduce(
          (after, part) => this.node(part, after, isBack),
          next,
        )
      case 'choice':
        return node.parts
          .map((part) => this.node(part, next, isBack))
          .reduceRight((others, first) => this.split(first, others))
      case 'repeat':
        return this.#repeat(node, next, isBack)
      case 'look':
        return this.#looksAround ? this.#look(node, next) : next
      case 'edge':
        return this.#edge(node, next)
      default:
        return node satisfies never
    }
  }

  #repeat({ part, min, max, isLazy }: RegexNode & { kind: 'repeat' }, next: number, isBack: boolean): number {
    let entry = next
    if (max === Infinity) {
      entry = this.split(next, next)
      const loop = this.#steps[entry]
      const body = this.node(part, entry, isBack)
      if (loop !== undefined && isLazy) loop.other = body
      else if (loop !== undefined) loop.next = body
    } else {
      for (let copy = min; copy < max; copy += 1) {
        const body = this.node(part, entry, isBack)
        entry = isLazy ? this.split(next, body) : this.split(body, next)
      }
    }
    for (let copy = 0; copy < min; copy += 1) entry = this.node(part, entry, isBack)
    return entry
  }

  #look({ part, isBehind, isNegative }: RegexNode & { kind: 'look' }, next: number): number {
    const compiler = new Compiler(true)
    const inner = compiler.program(compiler.node(part, compiler.add('end'), isBehind), 0)
    return this.add(isNegative ? 'deny' : 'look', { next, inner })
  }

  #edge({ source, flags }: RegexNode & { kind: 'edge' }, next: number): number {
    const isWord = /[bB]/.test(source)
    const set = isWord
      ? this.#set('\\w', flags)
      : flags.includes('m')
        ? this.#set('[\\n\\r\\u2028\\u2029]', flags)
        : null
    return this.add('edge', { next, text: source, set })
  }

  #set(source: string, flags: string): CharSet {
    const key = `${flags} ${source}`
    const known = this.#sets.get(key)
    if (known !== undefined) return known
    const set = new CharSet(source, flags)
    this.#sets.set(key, set)
    return set
  }
}

/** How many steps may still be taken. Below zero the search was cut short, and has found nothing. */
export interface Budget {
  steps: number
}

/** Bounds the work for one request, to 5 to 10 ms. */
export const maxSteps = 500_000

/** What a character outside ASCII costs: an expression is asked about it. */
const wideCharSteps = 8

/**
 * Matches from a position to `end`, or to anywhere for -1. Look-around sees the whole text. Gives the positions of the slots, -1 where
 * a parameter is left out; `null` for no match.
 */
export function runProgram(
  { steps, start, splits, slots }: Program,
  text: string,
  from: number,
  end: number,
  budget: Budget,
): readonly number[] | null {
  const width = text.length + 1
  const words = Math.ceil((splits * width) / 32)
  /** A bit for each split at each position that was passed. */
  const passed = new Uint32Array(words > budget.steps ? 0 : words)
  const places = slots === 0 ? noPlaces : Array.from({ length: slots }, () => -1)
  /** Pairs: a step to go back to and its position, or a slot (-1 - slot) and its old value. */
  const stack: number[] = []
  let top = 0
  let left = budget.steps - words
  let step = steps[start]
  let position = from
  while (step !== undefined && left > 0) {
    left -= 1
    let isTaken = false
    switch (step.kind) {
      case 'char': {
        const code = text.codePointAt(position)
        if (code === undefined) break
        if (code >= 128) left -= wideCharSteps
        isTaken = step.set !== null && step.set.has(code)
        position += code > 0xffff ? 2 : 1
        break
      }
      case 'back': {
        const code = codeBefore(text, position)
        if (code === undefined) break
        isTaken = step.set !== null && step.set.has(code)
        position -= code > 0xffff ? 2 : 1
        break
      }
      case 'text':
        isTaken = text.startsWith(step.text, position)
        position += step.text.length
        break
      case 'split': {
        const bit = step.id * width + position
        const word = passed[bit >>> 5] ?? 0
        const mask = 1 << (bit & 31)
        isTaken = (word & mask) === 0
        if (!isTaken) break
        passed[bit >>> 5] = word | mask
        stack[top] = step.other
        stack[top + 1] = position
        top += 2
        break
      }
      case 'mark':
        isTaken = true
        stack[top] = -1 - step.id
        stack[top + 1] = places[step.id] ?? -1
        top += 2
        places[step.id] = position
        break
      case 'look':
      case 'deny': {
        if (step.inner === null) break
        const inner = { steps: left }
        isTaken = (runProgram(step.inner, text, position, -1, inner) !== null) === (step.kind === 'look')
        left = inner.steps
        break
      }
      case 'edge':
        isTaken = isEdge(text, position, step.text, step.set)
        break
      case 'end':
        if (position !== end && end >= 0) break
        budget.steps = left
        return places
    }
    if (isTaken) {
      step = steps[step.next]
      continue
    }
    step = undefined
    while (top > 0) {
      top -= 2
      const target = stack[top] ?? 0
      const value = stack[top + 1] ?? 0
      if (target >= 0) {
        step = steps[target]
        position = value
        break
      }
      places[-1 - target] = value
    }
  }
  budget.steps = step === undefined ? left : -1
  return null
}

export function isWholeMatch(program: Program, value: string, budget: Budget = { steps: maxSteps }): boolean {
  return runProgram(program, value, 0, value.length, budget) !== null
}

const noPlaces: number[] = []

function isEdge(text: string, position: number, edge: string, set: CharSet | null): boolean {
  const before = codeBefore(text, position)
  const after = text.codePointAt(position)
  const isBefore = before !== undefined && set !== null && set.has(before)
  const isAfter = after !== undefined && set !== null && set.has(after)
  if (edge === '^') return before === undefined || isBefore
  if (edge === '$') return after === undefined || isAfter
  return (isBefore !== isAfter) === (edge === '\\b')
}

function codeBefore(text: string, position: number): number | undefined {
  const code = text.charCodeAt(position - 1)
  if (Number.isNaN(code)) return undefined
  const pair = code >> 10 === 0x37 ? text.codePointAt(position - 2) : undefined
  return pair !== undefined && pair > 0xffff ? pair : code
}
