// The application's own code as one request ran it: the calls of its functions in the order in which they began, their lines and values.

import { counted, formatCount } from '../../framework/html/components.ts'
import { note, type Blocks, type Card, type Line } from '../blocks/blocks.ts'
import type { DescribedPart } from '../blocks/described-part.ts'
import { cutList } from '../profile-parts.ts'

/** One function that ran. */
export interface RanFunction {
  readonly name: string
  /** Relative to the project. */
  readonly file: string
  readonly line: number
  /** Its source, from that line on; empty where only the functions are known. */
  readonly source: readonly string[]
  /** Lines of its places: what a statement begins at. */
  readonly places: readonly number[]
}

/** Values of one variable that are kept of one line of one call: the first ones, and the last. */
export const maxValues = 10

/** A line of one call. */
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
}

/** Key on the recording. */
export const ranCodeName = 'code'

export function cutRanCode(data: RanCode, maxBytes: number): RanCode {
  const calls = cutList(data.calls, maxBytes)
  return { ...data, calls, dropped: data.dropped + data.calls.length - calls.length }
}

export const codePart: DescribedPart<RanCode> = {
  name: ranCodeName,
  title: 'Code',
  of: 'requests',
  noun: 'call',
  empty:
    'Shows each line of your own code that a request ran, with its values. Send the request twice with the field "X-Fanlight-Profile: code": the first one finds the functions, the second one notes their lines.',
  badge: ({ calls, functions, state }) =>
    state === 'lines'
      ? { count: calls.length, tone: 'neutral', hint: counted(calls.length, 'call') }
      : { count: functions.length, tone: 'neutral', hint: counted(functions.length, 'function') },
  draw: (data) => {
    if (data.state === 'functions') return functionBlocks(data)
    return [
      note(data.dropped > 0 && `${counted(data.dropped, 'more call')} not kept.`),
      ...data.calls.map((call) => callCard(call, data)),
    ]
  },
}

function functionBlocks({ functions }: RanCode): Blocks {
  return [
    note(
      'These functions ran. Send the request once more with the same field within a minute for their lines and values.',
      'info',
    ),
    {
      kind: 'list',
      items: functions.map(({ name, file, line }) => [{ code: name }, { place: `${file}:${line}` }]),
    },
  ]
}

function callCard({ function: index, parent, end, lines }: RanCall, { functions, calls }: RanCode): Card {
  const { name, file, line: first, source, places } = functions[index] ?? unknownFunction
  const caller = functions[calls[parent]?.function ?? -1]
  const ran = new Map(lines.map((line) => [line.line, line]))
  const mayRun = new Set(places)
  return {
    kind: 'card',
    head: end === 'threw' ? { mark: 'threw', tone: 'error' } : null,
    name: { code: name },
    time: null,
    facts: [{ place: `${file}:${first}` }, caller === undefined ? null : ['called by', { code: caller.name }]],
    blocks: [
      {
        kind: 'table',
        name: 'Lines',
        noun: 'line',
        heads: [{ number: 'Line' }, 'Code', 'Values'],
        rows: source.map((text, at) => {
          const line = first + at
          const one = ran.get(line)
          const isSkipped = mayRun.has(line) && (one?.count ?? 0) === 0 && at > 0
          return {
            cells: [
              { recorded: String(line) },
              isSkipped ? { quiet: { code: text } } : { code: text },
              [
                one !== undefined && one.count > 1 ? { strong: `${formatCount(one.count)} ×` } : null,
                ...(one?.values ?? [])
                  .flatMap(([variable, texts]): Line[] => [{ recorded: variable }, { code: texts.join(' → ') }])
                  .flat(),
              ],
            ],
          }
        }),
      },
    ],
  }
}

const unknownFunction: RanFunction = { name: 'unknown', file: '', line: 0, source: [], places: [] }
