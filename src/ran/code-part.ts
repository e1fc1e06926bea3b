// What a request ran, in words: each call with its lines, the values that they gave, and what happened at them.

import { runsOf } from '../base/members.ts'
import { counted, formatCount } from '../base/html/components.ts'
import { note, offPage, text } from '../observe/blocks/blocks.ts'
import type { Block, Blocks, Card, CodeLine, Inline } from '../observe/blocks/blocks.ts'
import type { DescribedPart } from '../observe/blocks/described-part.ts'
import { itemsOf } from '../observe/blocks/sections.ts'
import type { Found, Profile } from '../observe/profile.ts'
import { namesIn, placeOf, ranCodeName, returnedText, unseenOf } from '../observe/ran-code.ts'
import type { RanCall, RanCode, RanFunction, RanValues } from '../observe/ran-code.ts'
import { fillPlaceholders } from '../base/log/logger.ts'
import type { DumpData } from '../observe/collectors/dump.ts'
import { dataOf } from '../profiles/stored-data.ts'

/** Bytes of what agents and Markdown say, and of what a page says before it is asked for all. */
const briefBytes = 4500
const firstBytes = 12_000

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
  draw: (data, profile) => codeBlocks(data, profile),
  brief: (data, profile) => (data.state === 'functions' ? functionBlocks(data) : codeBrief(data, profile)),
}

/** `isWhole`: with every call, and every line of those that are deeper than those of the handler. */
export function codeBlocks(data: RanCode, profile: Profile, isWhole = true): Blocks {
  if (data.state === 'functions') return functionBlocks(data)
  const drawn = drawnCalls(data, profile)
  const first = isWhole ? undefined : firstDrawn(drawn)
  const rest = first === undefined ? 0 : drawn.length - first.size
  return [
    ...cutNotes(data),
    ...callTree(drawn, first),
    note(rest > 0 && `${counted(rest, 'more call')}, drawn with all lines.`, 'info'),
  ]
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

/** What is decisive, in about as many bytes as an agent reads gladly. */
export function codeBrief(data: RanCode, profile: Profile): Blocks {
  const drawn = drawnCalls(data, profile)
  let left = briefBytes
  const fits = (card: Card, share = 1): readonly Card[] => {
    const bytes = bytesOf(card)
    if (bytes > left * share) return []
    left -= bytes
    return [card]
  }
  const kept = decisive(drawn).flatMap(({ card, belowHandler }) => {
    const blocks = card.blocks.flatMap((block, index): Blocks => {
      // Its place is in its head, and what it was given.
      if (block?.kind !== 'lines') return index === 0 ? [] : [block]
      const isMark = (one: Inline): boolean => typeof one === 'object' && one !== null && 'mark' in one
      const rows = block.rows.filter(({ said }, at) => at > 0 || said.some(isMark))
      return [{ ...block, rows: telling(rows).map(shortened) }]
    })
    const [whole] = card.isOpen === true || belowHandler < 3 ? fits({ ...card, blocks }, 1 / 2) : []
    if (whole !== undefined) return [whole]
    return Number.isFinite(belowHandler) ? fits({ ...card, blocks: [] }) : []
  })
  const rest = drawn.length - kept.length
  return [...cutNotes(data), ...kept, note(rest > 0 && `${counted(rest, 'more call')}: see the page or the JSON.`)]
}

function bytesOf(card: Card): number {
  return Buffer.byteLength(itemsOf(card, (said) => `\`${said}\``).join('\n'))
}

/** Lines that say something; of those that did not run the first one, and the condition above it. */
function telling(rows: readonly CodeLine[]): readonly CodeLine[] {
  return rows.filter(({ code, isSkipped, said }, at) => {
    if (isSkipped) return rows[at - 1]?.isSkipped === false
    const isAboveSkipped = rows[at + 1]?.isSkipped === true && /\w/.test(code)
    return isAboveSkipped || said.some((one) => one !== null)
  })
}

function shortened({ line, code, isSkipped, said }: CodeLine): CodeLine {
  const short = said.map((part) =>
    typeof part === 'object' && part !== null && 'seen' in part ? { seen: cutShort(part.seen) } : part,
  )
  return { line, code, isSkipped, said: short }
}

interface DrawnCall {
  readonly card: Card
  readonly index: number
  /** Index of the call that it was made in; -1 for none. */
  readonly parent: number
  readonly function: number
  /** How many calls below that of the handler; Infinity for those that it did not make. */
  readonly belowHandler: number
}

function drawnCalls(data: RanCode, profile: Profile): readonly DrawnCall[] {
  const happened = happeningsOf(profile, data)
  const handler = handlerCallOf(data, profile)
  const below: number[] = []
  return data.calls.map((call, index) => {
    const parent = call.parent < index ? call.parent : -1
    const belowHandler = index === handler ? 0 : (below[parent] ?? Infinity) + 1
    below[index] = belowHandler
    const card = callCard(call, data, happened.get(call) ?? [], index === handler)
    return { card, index, parent, function: call.function, belowHandler }
  })
}

/** Calls of one function in a row, from which on they are one card. */
const manyCalls = 4

/** Where it threw or something was odd, the handler, then what they called. Of a loop the first, the last, and those that say something. */
function decisive(drawn: readonly DrawnCall[]): readonly DrawnCall[] {
  const rows = [...Map.groupBy(drawn, ({ parent }) => parent).values()].flatMap(rowsOf)
  const between = new Set(rows.flatMap((row) => (row.length < manyCalls ? [] : row.slice(1, -1))))
  const alike = new Set<DrawnCall | undefined>()
  // What made a call is in front of it.
  for (const call of drawn)
    if (call.card.isOpen !== true && (between.has(call) || alike.has(drawn[call.parent]))) alike.add(call)
  const weightOf = ({ card, belowHandler }: DrawnCall): number => (card.head === null ? belowHandler : -1)
  return drawn.filter((call) => !alike.has(call)).toSorted((one, other) => weightOf(one) - weightOf(other))
}

/** Indexes of what a page begins with, each with what called it. */
function firstDrawn(drawn: readonly DrawnCall[]): ReadonlySet<number> {
  const first = new Set<number>()
  let left = firstBytes
  for (const call of decisive(drawn)) {
    if (left < 0) break
    for (let next: DrawnCall | undefined = call; next && !first.has(next.index); next = drawn[next.parent]) {
      first.add(next.index)
      left -= bytesOf(next.card)
    }
  }
  return first
}

/** Each with the calls that were made in it. `first`: those that are drawn. Default: all, with all lines. */
function callTree(drawn: readonly DrawnCall[], first: ReadonlySet<number> | undefined): readonly Card[] {
  const madeIn = Map.groupBy(drawn, ({ parent }) => parent)
  const treeOf = (parent: number): readonly Card[] =>
    rowsOf(madeIn.get(parent) ?? []).flatMap((row) => {
      const cards = row
        .filter(({ index }) => first?.has(index) !== false)
        .map((call) => around(call, treeOf(call.index), first === undefined || call.belowHandler < 2))
      const [head] = cards
      if (head === undefined || row.length < manyCalls) return cards
      const facts = [head.facts[0] ?? null, counted(row.length, 'call')]
      return [{ ...head, facts, blocks: cards, isOpen: cards.some(({ isOpen }) => isOpen) }]
    })
  return treeOf(-1)
}

/** One that is open only for those inside has its own lines folded. */
function around({ card }: DrawnCall, inner: readonly Card[], isWhole: boolean): Card {
  const isAround = card.isOpen !== true && inner.some(({ isOpen }) => isOpen)
  const own = card.blocks.map((block): Block | null => {
    if (block?.kind !== 'lines' || card.isOpen === true) return block
    const rows = isWhole ? block.rows : telling(block.rows)
    return isAround ? { kind: 'fold', title: 'Lines', block: { ...block, rows } } : { ...block, rows }
  })
  return { ...card, isOpen: isAround || card.isOpen === true, blocks: [...own, ...inner] }
}

/** Those of one function that follow each other. */
function rowsOf(calls: readonly DrawnCall[]): readonly (readonly DrawnCall[])[] {
  return runsOf(calls, (one, other) => one.function === other.function)
}

/** Index of the call of the handler: by its place, else by its name, which may be that of its route; else the call in which most others were made. */
function handlerCallOf({ calls, functions }: RanCode, profile: Profile): number {
  const definedAt = dataOf(profile, 'router')?.definedAt
  const known = [
    ({ file, line }: RanFunction) => `${file}:${line}` === definedAt,
    ({ name }: RanFunction) => name === profile.handler,
  ].map((isHandler) => calls.findIndex((call) => isHandler(functions[call.function] ?? unknownFunction)))
  const found = known.find((index) => index >= 0)
  if (found !== undefined) return found
  const madeIn = calls.map(() => 0)
  // Those that a call made come after it.
  for (const [index, { parent }] of [...calls.entries()].toReversed())
    if (parent >= 0 && parent < index) madeIn[parent] = (madeIn[parent] ?? 0) + (madeIn[index] ?? 0) + 1
  return madeIn.indexOf(Math.max(...madeIn))
}

function callCard(call: RanCall, data: RanCode, happened: readonly Happening[], isHandler: boolean): Card {
  const { functions, calls } = data
  const { name, file, line: first, source, moreLines = 0, places } = functions[call.function] ?? unknownFunction
  const caller = calls[call.parent]
  const from = functions[caller?.function ?? -1]
  const madeAt = from && placeOf(from, caller?.path[call.at])
  const ran = new Map(call.lines.map((line) => [line.line, line]))
  const returned = returnedText(call, data)
  const given = (ran.get(first)?.values ?? []).filter(([variable]) => namesIn(source[0] ?? '').includes(variable))
  const marks = new Set(happened.map(({ mark }) => mark))
  const head: Inline =
    call.end === 'threw' || marks.has(thrownMark)
      ? { mark: 'threw', tone: 'error' }
      : marks.has(oddMark)
        ? { mark: oddMark, tone: 'warning' }
        : null
  const rows = source.map((code, at): CodeLine => {
    const line = first + at
    const { count = 0, values = [] } = ran.get(line) ?? {}
    const isSkipped = places.includes(line) && count === 0 && at > 0 && call.cutAt === null && /\w/.test(code)
    const said: readonly Inline[] = [
      count > 1 ? { strong: `${formatCount(count)} ×` } : null,
      ...values.flatMap(seenPieces),
      ...happened.flatMap((one) => (one.line === line ? one.pieces : [])),
    ]
    return { line, code, isSkipped, said }
  })
  return {
    kind: 'card',
    head,
    name: { code: name },
    time: null,
    isOpen: head !== null || happened.length > 0 || isHandler || calls.length <= 3,
    facts: [
      { code: `${file}:${first}` },
      given.length === 0
        ? null
        : given.flatMap(([variable, [said = '']]): Inline[] => [{ recorded: variable }, { code: cutShort(said) }]),
      returned === undefined ? null : ['returned', { code: cutShort(returned) }],
      call.cutAt === null ? null : 'not all of its lines were noted',
      madeAt === undefined ? null : offPage(['called by', { code: from?.name ?? '' }, { code: madeAt.place }]),
    ],
    blocks: [
      text([{ place: `${file}:${first}` }, ...(returned === undefined ? [] : ['returned', { seen: returned }])]),
      { kind: 'lines', rows },
      text(moreLines > 0 && `${counted(moreLines, 'more line')}: not kept.`),
    ],
  }
}

function cutShort(said: string): string {
  return said.length > 60 ? `${said.slice(0, 59)}…` : said
}

/** Of many texts the first and the last, and between them the one that is not like the others. */
function seenPieces([variable, texts]: RanValues): readonly Inline[] {
  const kinds = Map.groupBy(texts, (text) => /^-?\d/.test(text) || (/^[\w$]+/.exec(text)?.[0] ?? text.slice(0, 1)))
  const rare = texts.length > 4 ? [...kinds.values()].find((alike) => alike.length === 1)?.[0] : undefined
  const shown = new Set(texts.length > 4 ? [texts[0], rare, texts.at(-1)] : texts)
  const seen = [...shown].flatMap((text) => text?.replace(exchanges, '$1 {…}') ?? [])
  return [{ recorded: variable }, ...seen.flatMap((text, index) => [index === 0 ? null : '→', { seen: text }])]
}

/** What a request comes with; the fields of Node and of frameworks say nothing of it. */
const exchanges = /^(IncomingMessage|ServerResponse|_Request|_Reply|H3Event|Exchange|Context) \{.{60,}/s

const unknownFunction: RanFunction = { name: 'unknown', file: '', line: 0, source: [], places: [] }

interface Happening {
  readonly line: number
  readonly mark: string
  readonly pieces: readonly Inline[]
}

/** `source`: what stands in the line of its place, where that is not known. */
type Happened = readonly [mark: string, text: string, place: string | null, timeMs: number, source?: string]

const oddMark = 'odd value'
const thrownMark = 'error thrown'

function happenedIn(profile: Profile): readonly Happened[] {
  const { queries = [], groups = [] } = dataOf(profile, 'database') ?? {}
  const { calls = [] } = dataOf(profile, 'http-client') ?? {}
  const { records = [] } = dataOf(profile, 'logger') ?? {}
  const { dumps = [] } = (profile.data['dump'] ?? {}) as Partial<DumpData>
  const { findings = [] } = (profile.data['findings'] ?? {}) as { readonly findings?: readonly Found[] }
  const root = dataOf(profile, 'exception')?.errors.at(-1)
  const frame = root?.frames.find(({ origin }) => origin === 'own')
  const thrownAt = frame === undefined ? '' : `${frame.file}:${frame.line}`
  return [
    ...queries.map((one): Happened => ['query', groups[one.group]?.text ?? '', one.callSite, one.startMs]),
    ...calls.map((one): Happened => ['request', `${one.method} ${one.url}`, one.callSite, one.startMs]),
    ...records.map((one): Happened => [one.level, fillPlaceholders(one), null, one.timeMs, one.message]),
    ...dumps.map(({ label, place, timeMs }): Happened => ['dump', label ?? '', place, timeMs]),
    // What it begins with is the line itself.
    ...findings.flatMap(({ kind, text, parts, timeMs }): Happened[] =>
      kind === 'odd_value' && timeMs !== undefined
        ? [[oddMark, text.replace(/^`[^`]*` /, '').replaceAll('`', ''), parts[0]?.place ?? '', timeMs]]
        : [],
    ),
    [thrownMark, `${root?.className}: ${root?.message}`, thrownAt, Infinity],
  ]
}

/** A statement that writes a log. */
const logs = /^(?:await )?(?:[\w$.?]+\.)?(?:console|log|logger)\??\.[a-z]+\(/

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
    const last = source === undefined ? undefined : steps.findLast(({ timeMs }) => timeMs <= untilMs)
    const isLogged = last?.of !== undefined && logs.test(placeOf(last.of, last.index)?.text ?? '')
    const step = steps.findLast((one) => {
      const { of, index, line, timeMs } = one
      if (timeMs > untilMs || of === undefined) return false
      if (isLogged) return one === last
      if (source !== undefined) return placeOf(of, index)?.text.includes(source.slice(0, 40)) === true
      const isIn = of.file === file && line <= number && number < of.line + of.source.length
      return isIn && !of.places.some((other) => other > line && other <= number)
    })
    if (step === undefined) continue
    const pieces = [
      { mark, tone: /^(?:error|fatal)/.test(mark) ? 'error' : mark === oddMark ? 'warning' : 'info' },
      { recorded: text.slice(0, 200) },
    ] as const
    const known = found.get(step.call) ?? []
    found.set(step.call, [...known, { line: step.line, mark, pieces }])
  }
  return found
}
