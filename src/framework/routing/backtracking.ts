// Finds requirements that take very long on some input: repeats what loops, and counts the steps of a backtracking matcher.

import { makeAutomaton, parseRegex } from './regex-automaton.ts'
import type { Automaton, RegexNode } from './regex-automaton.ts'

/** Why an expression is dangerous. */
export interface Backtracking {
  readonly reason: string
  /** An input on which it takes long, shortened for people: `"aaaaaaaa…!"`. */
  readonly example: string
  /** Offset of the part that loops. */
  readonly offset: number
}

const maxSteps = 60_000

/** How often the looping part is repeated; then twice as often. */
const repeats = 32

/** How many times the steps of the shorter input the longer one may cost. Linear is 2, quadratic 4. */
const maxGrowth = 3
const maxPumps = 24

/** What makes an expression slow on some input, or `null`. `source` must compile. */
export function findBacktracking(source: string): Backtracking | null {
  const root = parseRegex(source)
  if (isSimple(root)) return null
  const automaton = makeAutomaton(root)
  if (automaton === null) return null
  for (const { state, prefix, offset } of loopsOf(automaton)) {
    for (const pump of pumpsOf(automaton, state, root)) {
      const suffix = badSuffix(automaton, prefix, pump)
      if (suffix === null) continue
      const { input, growth } = suffix
      const reason =
        growth > 16
          ? 'each further character doubles the time or more'
          : 'the time grows with the square of the length or more'
      return {
        reason,
        example: `${JSON.stringify(prefix + pump.repeat(8)).slice(0, -1)}…${JSON.stringify(input).slice(1)}`,
        offset,
      }
    }
  }
  return null
}

/** At most one repeat, of one character: that matches in one way only. */
function isSimple(root: RegexNode): boolean {
  let loops = 0
  const visit = (node: RegexNode): boolean => {
    if (node.kind === 'repeat') {
      loops += node.max > 1 ? 1 : 0
      return node.max <= 1 ? visit(node.part) : node.part.kind === 'char'
    }
    return node.kind === 'char' || node.kind === 'nothing' || node.parts.every(visit)
  }
  return visit(root) && loops <= 1
}

interface Loop {
  readonly state: number
  /** A shortest input that leads to the state. */
  readonly prefix: string
  readonly offset: number
}

/** States that can be reached from themselves. */
function loopsOf(automaton: Automaton): Loop[] {
  const loops: Loop[] = []
  const prefixes = reach(automaton, automaton.start)
  for (const [state, prefix] of prefixes) {
    const step = automaton.steps[state]?.[0]
    if (step !== undefined && reach(automaton, step.to).has(state)) loops.push({ state, prefix, offset: step.offset })
  }
  return loops
}

/** Every state that can be reached, with a shortest input that leads there. */
function reach(automaton: Automaton, from: number): Map<number, string> {
  const inputs = new Map([[from, '']])
  const queue = [from]
  for (const state of queue) {
    const input = inputs.get(state) ?? ''
    for (const to of automaton.free[state] ?? []) {
      if (!inputs.has(to)) queue.push(to)
      if (!inputs.has(to)) inputs.set(to, input)
    }
    for (const { to, chars } of automaton.steps[state] ?? []) {
      const char = firstChar(automaton, chars)
      if (char === null || inputs.has(to)) continue
      inputs.set(to, input + char)
      queue.push(to)
    }
  }
  return inputs
}

/** Short inputs that lead from a state back to it, and the words of the expression. */
function pumpsOf(automaton: Automaton, state: number, root: RegexNode): ReadonlySet<string> {
  const pumps = new Set<string>()
  for (const { to, chars } of automaton.steps[state] ?? []) {
    const back = reach(automaton, to).get(state)
    if (back === undefined) continue
    automaton.alphabet.forEach((char, index) => {
      if ((chars >> BigInt(index)) & 1n) pumps.add(char + back)
    })
  }
  for (const word of wordsOf(root)) pumps.add(word)
  return new Set([...pumps].sort((one, other) => one.length - other.length).slice(0, maxPumps))
}

function wordsOf(node: RegexNode): string[] {
  if (node.kind === 'repeat') return wordsOf(node.part)
  if (node.kind !== 'sequence' && node.kind !== 'choice') return []
  const chars =
    node.kind === 'sequence' ? node.parts.map((part) => (part.kind === 'char' ? literalOf(part.source) : null)) : []
  const words = chars
    .map((char) => char ?? '\n')
    .join('')
    .split('\n')
  return [...words.filter((word) => word.length > 1), ...node.parts.flatMap(wordsOf)]
}

function literalOf(source: string): string | null {
  if (/^\\[^\w]$/.test(source)) return source.slice(1)
  return /^[^\\[.]$/u.test(source) ? source : null
}

/** An end that makes the matcher fail late, and how much longer that takes for twice the input. */
function badSuffix(automaton: Automaton, prefix: string, pump: string): { input: string; growth: number } | null {
  const chars = automaton.alphabet.slice(0, 12)
  for (const input of ['', ...chars, ...chars.map((char) => char + char)]) {
    const short = countSteps(automaton, prefix + pump.repeat(repeats) + input)
    if (short.isMatch) continue
    const long = countSteps(automaton, prefix + pump.repeat(repeats * 2) + input)
    const growth = short.steps >= maxSteps ? Infinity : long.steps / short.steps
    if (growth > maxGrowth) return { input, growth }
  }
  return null
}

/** Tries every way, as a backtracking matcher does when nothing matches. */
function countSteps(automaton: Automaton, input: string): { steps: number; isMatch: boolean } {
  const chars = [...input].map((char) => automaton.alphabet.indexOf(char))
  let steps = 0
  let isMatch = false
  // Without a character in between, no state is passed twice.
  const passed = new Set<number>()

  const walk = (state: number, position: number): void => {
    steps += 1
    if (isMatch || steps >= maxSteps) return
    if (position === chars.length && state === automaton.end) {
      isMatch = true
      return
    }
    const char = chars[position]
    if (char !== undefined && char >= 0) {
      for (const { to, chars: set } of automaton.steps[state] ?? []) {
        if (!((set >> BigInt(char)) & 1n)) continue
        const before = [...passed]
        passed.clear()
        walk(to, position + 1)
        passed.clear()
        for (const one of before) passed.add(one)
      }
    }
    if (passed.has(state)) return
    passed.add(state)
    for (const to of automaton.free[state] ?? []) walk(to, position)
    passed.delete(state)
  }

  walk(automaton.start, 0)
  return { steps, isMatch }
}

function firstChar(automaton: Automaton, chars: bigint): string | null {
  const index = automaton.alphabet.findIndex((_, at) => (chars >> BigInt(at)) & 1n)
  return automaton.alphabet[index] ?? null
}
