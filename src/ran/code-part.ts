// What a request ran, in words: each call with its lines, the values that they gave, and what happened at them.

import { counted, formatCount } from '../base/html/components.ts'
import { cutText } from '../base/redact/cut-text.ts'
import { note, text, type Blocks, type Card, type Inline, type Line } from '../observe/blocks/blocks.ts'
import type { DescribedPart } from '../observe/blocks/described-part.ts'
import { itemsOf, partsOf } from '../observe/blocks/sections.ts'
import type { Profile } from '../observe/profile.ts'
import { namesIn, placeOf, ranCodeName, returnedText, unseenOf } from '../observe/ran-code.ts'
import type { RanCall, RanCode, RanFunction, RanValues } from '../observe/ran-code.ts'
import { fillPlaceholders } from '../base/log/logger.ts'
import type { DumpData } from '../observe/collectors/dump.ts'
import { dataOf } from '../profiles/stored-data.ts'

/** Bytes of what agents and Markdown say. */
const briefBytes = 4500

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
  draw: (data, profile) =>
    data.state === 'functions' ? functionBlocks(data) : [...cutNotes(data), ...cardsOf(data, profile)],
  brief: (data, profile) => (data.state === 'functions' ? functionBlocks(data) : codeBrief(data, profile)),
}

function cutNotes(data: RanCode): Blocks {
  const { state, dropped, cuts } = data
  const unseen = state === 'lines' ? unseenOf(data).slice(0, 10) : []
  return [
    note(dropped > 0 && `${counted(dropped, 'more call')} not kept.`),
    ...cuts.map((cut) => note({ recorded: cut })),
    note(
      unseen.length > 0 && [
        'Of these no call was noted. The first request ran them; this one did not, or V8 did not tell:',
        ...unseen.flatMap(({ name, file, line }): Inline[] => [{ code: name }, { place: `${file}:${line}` }]),
      ],
    ),
  ]
}

function functionBlocks(data: RanCode): Blocks {
  return [
    ...cutNotes(data),
    note('These functions ran. Send the request once more with the same field within a minute for lines.', 'info'),
    {
      kind: 'list',
      items: data.functions.map(({ name, file, line }) => [{ code: name }, { place: `${file}:${line}` }]),
    },
  ]
}

/** What is decisive, in about as many bytes as an agent reads gladly: the calls with an error, a query and the like first. */
export function codeBrief(data: RanCode, profile?: Profile): Blocks {
  const weightOf = ({ head, isOpen }: Card): number => (head === null ? 0 : 2) + Number(isOpen)
  const cards = cardsOf(data, profile).toSorted((one, other) => weightOf(other) - weightOf(one))
  const isNothingOpen = !cards.some(({ isOpen }) => isOpen)
  let left = briefBytes
  const fits = (card: Card, share = 1): readonly Card[] => {
    const bytes = Buffer.byteLength(itemsOf(card, (said) => `\`${said}\``).join('\n'))
    if (bytes > left * share) return []
    left -= bytes
    return [card]
  }
  const kept = cards.flatMap((card) => {
    const blocks = card.blocks.flatMap((block) => {
      if (block?.kind !== 'table') return []
      // The first line and those where nothing happened say nothing.
      const rows = block.rows.slice(1).filter(({ cells }) => partsOf(cells[2] ?? null).some((one) => one !== null))
      return [{ ...block, rows }]
    })
    const isDecisive = card.isOpen === true || (isNothingOpen && card.depth === 0)
    const [whole] = isDecisive ? fits({ ...card, blocks }, 1 / 2) : []
    return whole === undefined ? fits({ ...card, blocks: [] }) : [whole]
  })
  const rest = cards.length - kept.length
  return [...cutNotes(data), ...kept, note(rest > 0 && `${counted(rest, 'more call')}: see the page or the JSON.`)]
}

function cardsOf(data: RanCode, profile: Profile | undefined): readonly Card[] {
  const happened = profile === undefined ? new Map<RanCall, readonly Happening[]>() : happeningsOf(profile, data)
  const depths: number[] = []
  return data.calls.map((call, index) => {
    depths[index] = call.parent < index ? (depths[call.parent] ?? -1) + 1 : 0
    return callCard(call, data, happened.get(call) ?? [], depths[index] ?? 0)
  })
}

function callCard(call: RanCall, data: RanCode, happened: readonly Happening[], depth: number): Card {
  const { functions, calls } = data
  const { name, file, line: first, source, moreLines = 0, places } = functions[call.function] ?? unknownFunction
  const caller = calls[call.parent]
  const from = functions[caller?.function ?? -1]
  const madeAt = from && placeOf(from, caller?.path[call.at])
  const ran = new Map(call.lines.map((line) => [line.line, line]))
  const returned = returnedText(call, data)
  const given = (ran.get(first)?.values ?? []).filter(([variable]) => namesIn(source[0] ?? '').includes(variable))
  const hasThrown = call.end === 'threw' || happened.some(({ isError }) => isError)
  const rows = source.map((code, at): { readonly cells: readonly Line[] } => {
    const line = first + at
    const { count = 0, values = [] } = ran.get(line) ?? {}
    const isSkipped = places.includes(line) && count === 0 && at > 0 && call.cutAt === null && /\w/.test(code)
    const said: readonly Inline[] = [
      isSkipped ? { quiet: 'did not run' } : null,
      count > 1 ? { strong: `${formatCount(count)} ×` } : null,
      ...values.flatMap(seenPieces),
      ...happened.flatMap((one) => (one.line === line ? one.pieces : [])),
    ]
    return { cells: [{ recorded: String(line) }, isSkipped ? { quiet: { code } } : { code }, said] }
  })
  if (moreLines > 0) rows.push({ cells: [null, null, [`${counted(moreLines, 'more line')}: not kept.`]] })
  return {
    kind: 'card',
    head: hasThrown ? { mark: 'threw', tone: 'error' } : null,
    name: { code: name },
    time: null,
    isOpen: hasThrown || happened.length > 0 || calls.length <= 3,
    depth,
    facts: [
      { code: `${file}:${first}` },
      given.length === 0
        ? null
        : given.flatMap(([variable, [said = '']]): Inline[] => [{ recorded: variable }, { code: cutText(said, 60) }]),
      returned === undefined ? null : ['returned', { code: cutText(returned, 60) }],
      call.cutAt === null ? null : 'not all of its lines were noted',
      madeAt === undefined ? null : ['called by', { code: from?.name ?? '' }, { code: madeAt.place }],
    ],
    blocks: [
      text([{ place: `${file}:${first}` }, ...(returned === undefined ? [] : ['returned', { seen: returned }])]),
      { kind: 'table', name: 'Lines', noun: 'line', heads: [{ number: 'Line' }, 'Code', 'Values'], rows },
    ],
  }
}

/** Of many texts the first and the last, and between them the one that is not like the others. */
function seenPieces([variable, texts]: RanValues): readonly Inline[] {
  const kinds = Map.groupBy(texts, (text) => /^-?\d/.test(text) || (/^[\w$]+/.exec(text)?.[0] ?? text.slice(0, 1)))
  const rare = texts.length > 4 ? [...kinds.values()].find((alike) => alike.length === 1)?.[0] : undefined
  const shown = new Set(texts.length > 4 ? [texts[0], rare, texts.at(-1)] : texts)
  const seen = [...shown].filter((text) => text !== undefined)
  return [{ recorded: variable }, ...seen.flatMap((text, index) => [index === 0 ? null : '→', { seen: text }])]
}

const unknownFunction: RanFunction = { name: 'unknown', file: '', line: 0, source: [], places: [] }

interface Happening {
  readonly line: number
  readonly isError: boolean
  readonly pieces: readonly Inline[]
}

/** `source`: what stands in the line of its place, where that is not known. */
type Happened = readonly [mark: string, text: string, place: string | null, timeMs: number, source?: string]

function happenedIn(profile: Profile): readonly Happened[] {
  const { queries = [], groups = [] } = dataOf(profile, 'database') ?? {}
  const { calls = [] } = dataOf(profile, 'http-client') ?? {}
  const { records = [] } = dataOf(profile, 'logger') ?? {}
  const { dumps = [] } = (profile.data['dump'] ?? {}) as Partial<DumpData>
  const root = dataOf(profile, 'exception')?.errors.at(-1)
  const frame = root?.frames.find(({ origin }) => origin === 'own')
  return [
    ...queries.map((one): Happened => ['query', groups[one.group]?.text ?? '', one.callSite, one.startMs]),
    ...calls.map((one): Happened => ['request', `${one.method} ${one.url}`, one.callSite, one.startMs]),
    ...records.map((one): Happened => [one.level, fillPlaceholders(one), null, one.timeMs, one.message]),
    ...dumps.map(({ label, place, timeMs }): Happened => ['dump', label ?? '', place, timeMs]),
    [
      'error thrown',
      `${root?.className}: ${root?.message}`,
      frame === undefined ? '' : `${frame.file}:${frame.line}`,
      Infinity,
    ],
  ]
}

/** By the call that it happened in: at the last step before it, of those of its place where that is known. */
function happeningsOf(profile: Profile, { calls, functions }: RanCode): ReadonlyMap<RanCall, readonly Happening[]> {
  const steps = calls.flatMap((call) => {
    const of = functions[call.function]
    return call.path.map((index, at) => ({
      call,
      of,
      index,
      line: of?.places[index] ?? 0,
      timeMs: call.times[at] ?? 0,
    }))
  })
  steps.sort((one, other) => one.timeMs - other.timeMs)
  const found = new Map<RanCall, Happening[]>()
  for (const [mark, text, place, untilMs, source] of happenedIn(profile)) {
    const [, file, digits] = /^(.*):(\d+)$/.exec(place ?? '') ?? []
    const number = Number(digits)
    const step = steps.findLast(({ of, index, line, timeMs }) => {
      if (timeMs > untilMs || of === undefined) return false
      if (source !== undefined) return placeOf(of, index)?.text.includes(source.slice(0, 40)) === true
      const isIn = of.file === file && line <= number && number < of.line + of.source.length
      return isIn && !of.places.some((other) => other > line && other <= number)
    })
    if (step === undefined) continue
    const pieces = [
      { mark, tone: /^(?:error|fatal)/.test(mark) ? 'error' : 'info' },
      { recorded: text.slice(0, 200) },
    ] as const
    const known = found.get(step.call) ?? []
    found.set(step.call, [...known, { line: step.line, isError: mark === 'error thrown', pieces }])
  }
  return found
}
