// What a request ran, in words: each call with its lines, and the values that they gave.

import { counted, formatCount } from '../../framework/html/components.ts'
import { note, type Blocks, type Card, type Line } from '../blocks/blocks.ts'
import type { DescribedPart } from '../blocks/described-part.ts'
import { ranCodeName, type RanCall, type RanCode, type RanFunction } from './ran-code.ts'

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
      ...data.cuts.map((cut) => note(cut)),
      ...data.calls.map((call) => callCard(call, data)),
    ]
  },
}

function functionBlocks({ functions, cuts }: RanCode): Blocks {
  return [
    ...cuts.map((cut) => note(cut)),
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

function callCard({ function: index, parent, end, cutAt, lines }: RanCall, { functions, calls }: RanCode): Card {
  const { name, file, line: first, source, places } = functions[index] ?? unknownFunction
  const caller = functions[calls[parent]?.function ?? -1]
  const ran = new Map(lines.map((line) => [line.line, line]))
  const mayRun = new Set(places)
  return {
    kind: 'card',
    head: end === 'threw' ? { mark: 'threw', tone: 'error' } : null,
    name: { code: name },
    time: null,
    facts: [
      { place: `${file}:${first}` },
      caller === undefined ? null : ['called by', { code: caller.name }],
      cutAt === null ? null : 'not all of its lines were noted',
    ],
    blocks: [
      {
        kind: 'table',
        name: 'Lines',
        noun: 'line',
        heads: [{ number: 'Line' }, 'Code', 'Values'],
        rows: source.map((text, at) => {
          const line = first + at
          const one = ran.get(line)
          const isSkipped = mayRun.has(line) && (one?.count ?? 0) === 0 && at > 0 && cutAt === null
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
