// Runs compiled expressions and patterns. Finds what a backtracking engine finds, in the same order, but passes each split at most once
// at each position of the text. So the work grows with the length of the text times the size of the program, whatever the expression.

import type { CharSet, Program, Step } from './program.ts'

/** How many steps may still be taken. Below zero the search was cut short, and has found nothing. */
export interface Budget {
  steps: number
}

/** Bounds the work for one request, to about 10 ms. */
export const maxSteps = 1_000_000

/** What a character outside ASCII costs: an expression is asked about it. */
const wideCharSteps = 8

/**
 * Matches from a position to `end`. Look-around sees the whole text. Gives the positions of the slots, -1 where a parameter is left
 * out; `null` for no match.
 */
export function runProgram(
  program: Program,
  text: string,
  from: number,
  end: number,
  budget: Budget,
): readonly number[] | null {
  const words = Math.ceil((program.splits * (text.length + 1)) / 32)
  if (words > budget.steps) budget.steps = -1
  if (budget.steps < 0) return null
  budget.steps -= words
  const run = new Run(program, text, from, { end, words, budget })
  return run.isMatch() ? run.slots : null
}

/** Whether a whole value matches. */
export function isWholeMatch(program: Program, value: string, budget: Budget = { steps: maxSteps }): boolean {
  return runProgram(program, value, 0, value.length, budget) !== null
}

class Run {
  readonly slots: number[]
  readonly #steps: readonly Step[]
  readonly #start: number
  readonly #text: string
  readonly #end: number
  readonly #budget: Budget
  /** A bit for each split at each position. */
  readonly #passed: Uint32Array
  /** Pairs: a step to go back to and its position, or a slot (-1 - slot) and what it held. */
  readonly #stack: number[] = []
  #position: number

  constructor(
    program: Program,
    text: string,
    from: number,
    { end, words, budget }: { end: number; words: number; budget: Budget },
  ) {
    this.slots = Array.from({ length: program.slots }, () => -1)
    this.#steps = program.steps
    this.#start = program.start
    this.#text = text
    this.#position = from
    this.#end = end
    this.#budget = budget
    this.#passed = new Uint32Array(words)
  }

  isMatch(): boolean {
    let step = this.#steps[this.#start]
    while (step !== undefined && this.#budget.steps > 0) {
      this.#budget.steps -= 1
      if (step.kind === 'end' && (this.#position === this.#end || this.#end < 0)) return true
      step = this.#steps[this.#take(step) ? step.next : this.#goBack()]
    }
    if (step !== undefined) this.#budget.steps = -1
    return false
  }

  /** Takes one step. Gives whether it succeeded. */
  #take({ kind, id, text, set, inner, other }: Step): boolean {
    switch (kind) {
      case 'char':
        return this.#takeChar(set, this.#text.codePointAt(this.#position), 1)
      case 'back':
        return this.#takeChar(set, codeBefore(this.#text, this.#position), -1)
      case 'text':
        if (!this.#text.startsWith(text, this.#position)) return false
        this.#position += text.length
        return true
      case 'split':
        if (!this.#isNew(id)) return false
        this.#stack.push(other, this.#position)
        return true
      case 'mark':
        this.#stack.push(-1 - id, this.slots[id] ?? -1)
        this.slots[id] = this.#position
        return true
      case 'look':
      case 'deny':
        return (
          inner !== null &&
          (runProgram(inner, this.#text, this.#position, -1, this.#budget) !== null) === (kind === 'look')
        )
      case 'edge':
        return this.#isEdge(text, set)
      case 'end':
        return false
    }
  }

  #takeChar(set: CharSet | null, code: number | undefined, direction: 1 | -1): boolean {
    if (code === undefined || !this.#holds(set, code)) return false
    this.#position += code > 0xffff ? 2 * direction : direction
    return true
  }

  #holds(set: CharSet | null, code: number | undefined): boolean {
    if (code === undefined || set === null) return false
    if (code >= 128) this.#budget.steps -= wideCharSteps
    return set.has(code)
  }

  #isNew(split: number): boolean {
    const bit = split * (this.#text.length + 1) + this.#position
    const word = this.#passed[bit >>> 5] ?? 0
    const mask = 1 << (bit & 31)
    if ((word & mask) !== 0) return false
    this.#passed[bit >>> 5] = word | mask
    return true
  }

  #isEdge(edge: string, set: CharSet | null): boolean {
    const before = codeBefore(this.#text, this.#position)
    const after = this.#text.codePointAt(this.#position)
    if (edge === '^') return before === undefined || this.#holds(set, before)
    if (edge === '$') return after === undefined || this.#holds(set, after)
    return (this.#holds(set, before) !== this.#holds(set, after)) === (edge === '\\b')
  }

  /** The step to try next, after restoring what was noted since; -1 for none. */
  #goBack(): number {
    for (;;) {
      const value = this.#stack.pop()
      const step = this.#stack.pop()
      if (step === undefined || value === undefined) return -1
      if (step >= 0) {
        this.#position = value
        return step
      }
      this.slots[-1 - step] = value
    }
  }
}

function codeBefore(text: string, position: number): number | undefined {
  const code = text.charCodeAt(position - 1)
  if (Number.isNaN(code)) return undefined
  const pair = code >> 10 === 0x37 ? text.codePointAt(position - 2) : undefined
  return pair !== undefined && pair > 0xffff ? pair : code
}
