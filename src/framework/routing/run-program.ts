// Runs compiled expressions and patterns. Finds what a backtracking engine finds, in the same order, but passes each split at most once
// at each position of the text. So the work grows with the length of the text times the size of the program, whatever the expression.

import type { CharSet, Program } from './program.ts'

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

/** Whether a whole value matches. */
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
