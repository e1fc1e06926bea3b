// The application's own code as one request ran it: the calls of its functions in the order in which they began, their lines and values.

import { cutList } from '../observe/profile-parts.ts'
import type { Profile } from '../observe/profile.ts'
import type { KeptName } from '../http/recording/recording.ts'

export interface RanFunction {
  readonly name: string
  /** Relative to the project. */
  readonly file: string
  readonly line: number
  /** Its source, from that line on; empty where only the functions are known. */
  readonly source: readonly string[]
  /** Lines at its end that are not kept. Default: none. */
  readonly moreLines?: number
  /** Lines of its places: what a statement begins at; 0 for one that no path has. */
  readonly places: readonly number[]
}

/** Values of one variable that are kept of one line of one call: the first ones, and the last. */
export const maxValues = 10

export interface RanLine {
  readonly line: number
  /** How often it ran. */
  readonly count: number
  /** Variables that it changed, with their values, and the step that gave each; -1: the caller did. */
  readonly values: readonly RanValues[]
}

export type RanValues = readonly [name: string, texts: readonly string[], steps: readonly number[]]

export interface RanCall {
  /** Index of its function. */
  readonly function: number
  /** Index of the call that it was made from; -1 if it was none of these. */
  readonly parent: number
  /** Step of that call at which it began; -1: before its first, or none. */
  readonly at: number
  /** Its steps: the places that it passed, as they came. */
  readonly path: readonly number[]
  /** When, in milliseconds since the request began. */
  readonly times: readonly number[]
  /** The step from which on some may be missing; `null`: none is. */
  readonly cutAt: number | null
  /** `null` if it is not known: it was waiting when the request ended, or something that it called threw. */
  readonly end: 'returned' | 'threw' | null
  /** Those that ran, by number. */
  readonly lines: readonly RanLine[]
}

export interface RanCode {
  /** `functions`: the first of two requests, which only tells what ran. */
  readonly state: 'functions' | 'lines'
  readonly functions: readonly RanFunction[]
  readonly calls: readonly RanCall[]
  /** Calls that were not kept. */
  readonly dropped: number
  /** What else was not noted, and why. */
  readonly cuts: readonly string[]
}

export const ranCodeName: KeptName<RanCode> = 'code'

/** What the tracer wrote; a profile from a file may hold anything. */
export const ranCodeOf = ({ data }: Pick<Profile, 'data'>): RanCode | undefined => data['code'] as RanCode | undefined

export function cutRanCode(data: RanCode, maxBytes: number): RanCode {
  const calls = cutList(data.calls, maxBytes)
  return { ...data, calls, dropped: data.dropped + data.calls.length - calls.length }
}

/** Functions that the first request ran, and of which the second one noted no call: it did not run them, or V8 passed its breakpoints by, as it now and then does. */
export function unseenOf({ functions, calls }: RanCode): readonly RanFunction[] {
  const seen = new Set(calls.map((call) => call.function))
  return functions.filter((_, index) => !seen.has(index))
}

export interface RanPlace {
  /** `src/cart.ts:14`. */
  readonly place: string
  /** What stands there. */
  readonly text: string
}

export function headOf(of: RanFunction | undefined): RanPlace {
  return { place: `${of?.file}:${of?.line}`, text: shortText([of?.source[0] ?? '']) }
}

/** With the lines up to the next place. */
export function placeOf(of: RanFunction, index: number | undefined): RanPlace | undefined {
  const line = of.places[index ?? -1]
  if (line === undefined) return undefined
  const end = Math.min(line + 5, ...of.places.filter((other) => other > line))
  return { place: `${of.file}:${line}`, text: shortText(of.source.slice(line - of.line, end - of.line)) }
}

function shortText(lines: readonly string[]): string {
  const text = lines.filter((line) => !/^[\s{}]*$/.test(line)).join(' ')
  return text
    .replaceAll(/\s+/g, ' ')
    .replace(/ \{ ?$/, '')
    .trim()
}

/** Names of variables in a text: none of strings, comments and members. */
export function namesIn(text: string): readonly string[] {
  const code = text.replaceAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\/\*.*?\*\/|\/\/.*/g, ' ')
  return [...new Set(code.match(/(?<![\w$]|(?<!\.\.)\.)[a-z_$][\w$]*/gi))]
}

/** The value that a variable has after a step. */
export function valueAt({ lines }: RanCall, name: string, step: number): string | undefined {
  let last: readonly [step: number, text: string | undefined] = [-2, undefined]
  for (const [one, texts, steps] of lines.flatMap(({ values }) => values)) {
    if (one !== name) continue
    const [before = -2, end = -2] = steps.slice(-2)
    if (steps.length === maxValues && before < step && step < end) return undefined
    const at = steps.findLastIndex((given) => given <= step)
    if ((steps[at] ?? -2) > last[0]) last = [steps[at] ?? -2, texts[at]]
  }
  return last[1]
}

/** What a call returned, if its caller put it in a variable. */
export function returnedText(call: RanCall, { calls, functions }: RanCode): string | undefined {
  const caller = calls[call.parent]
  const from = functions[caller?.function ?? -1]
  const [, variable, callee] = assigned.exec((from && placeOf(from, caller?.path[call.at])?.text) ?? '') ?? []
  // Another call of the same step may be the one that gave it.
  const isOther = calls.some((one) => one !== call && one.parent === call.parent && one.at === call.at)
  const isIt = call.end === 'returned' && call.cutAt === null && callee === functions[call.function]?.name && !isOther
  const values = isIt ? (caller?.lines.flatMap((line) => line.values) ?? []) : []
  const [, texts = [], steps = []] = values.find(([name, , at]) => name === variable && at.includes(call.at)) ?? []
  return texts[steps.indexOf(call.at)]
}

const assigned = /^(?:const|let|var) ([\w$]+)(?: ?: [^=()]+)? = (?:await )?(?:[\w$]+\.)*([\w$]+)\([^()]*\);?$/
