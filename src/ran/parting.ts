// Where two requests part that ran the same code: the first line that only one of them ran, else the first value that differs.

import { heading, note, type Blocks, type Inline, type Line } from '../observe/blocks/blocks.ts'
import { headOf, namesIn, placeOf, unseenOf, valueAt } from '../observe/ran-code.ts'
import type { RanCall, RanCode, RanFunction, RanPlace } from '../observe/ran-code.ts'

/** A variable, and where it first differed. */
interface DifferentValue {
  readonly name: string
  /** `undefined`: it has none, or none that was kept. */
  readonly a: string | undefined
  readonly b: string | undefined
  readonly at: RanPlace
}

interface NextStep extends RanPlace {
  readonly what: 'ran' | 'was called'
  /** Whether the other side never ran it. */
  readonly isOnly: boolean
}

export type Parting =
  | { readonly state: 'missing'; readonly side: 'A' | 'B' }
  | { readonly state: 'changed' | 'cut'; readonly at: RanPlace }
  | { readonly state: 'alike' }
  | { readonly state: 'value'; readonly value: DifferentValue }
  | {
      readonly state: 'parted'
      /** The last place that both ran, and how often; `null`: none. */
      readonly after: (RanPlace & { readonly count: number }) | null
      /** `null`: nothing more of this call. */
      readonly a: NextStep | null
      readonly b: NextStep | null
      /** Those that stand in the last place of both, each before what it came from. */
      readonly values: readonly DifferentValue[]
    }

/** `null` where neither side has its lines, and for data in a form that is not known. */
export function partingOf(a: RanCode | undefined, b: RanCode | undefined): Parting | null {
  try {
    const [hasA, hasB] = [a?.state === 'lines', b?.state === 'lines']
    if (!hasA && !hasB) return null
    if (a === undefined || b === undefined || !hasA || !hasB) return { state: 'missing', side: hasA ? 'B' : 'A' }
    return new Walk(sideOf(a), sideOf(b)).parting()
  } catch {
    return null
  }
}

interface Side extends RanCode {
  /** Whether all of it was noted. */
  readonly isWhole: boolean
  /** The calls inside of each, by its index. */
  readonly inside: ReadonlyMap<number, readonly RanCall[]>
}

function sideOf(code: RanCode): Side {
  const { calls, dropped, cuts } = code
  // A call begins after the one that it was made from, whatever a file says.
  const inside = Map.groupBy(calls, ({ parent }, index) => Math.min(parent, index - 1))
  return { ...code, inside, isWhole: dropped === 0 && cuts.length === 0 && calls.every(({ cutAt }) => cutAt === null) }
}

/** The same call on both sides. */
interface Pair {
  readonly a: RanCall
  readonly b: RanCall
  readonly of: RanFunction
  readonly from: Pair | undefined
}

class Walk {
  readonly #a: Side
  readonly #b: Side
  /** The first value that differs of each variable of each call. */
  readonly #values: DifferentValue[] = []
  #cut: RanPlace | null = null

  constructor(a: Side, b: Side) {
    this.#a = a
    this.#b = b
  }

  parting(): Parting {
    const parted = this.#calls(undefined, -1)
    if (parted !== undefined) return parted
    if (this.#cut !== null) return { state: 'cut', at: this.#cut }
    const telling = this.#values.filter(({ a, b }) => withoutNoise(a) !== withoutNoise(b))
    const [value] = telling.toSorted((one, other) => weightOf(other) - weightOf(one))
    return value === undefined ? { state: 'alike' } : { state: 'value', value }
  }

  /** The calls that a step made; without one, those at the top. */
  #calls(from: Pair | undefined, step: number): Parting | undefined {
    const made = ({ calls, inside }: Side, around?: RanCall): readonly RanCall[] =>
      (inside.get(around === undefined ? -1 : calls.indexOf(around)) ?? []).filter(
        ({ at }) => around === undefined || at === step,
      )
    const [ofA, ofB] = [made(this.#a, from?.a), made(this.#b, from?.b)]
    for (let index = 0; index < Math.max(ofA.length, ofB.length); index += 1) {
      const [a, b] = [ofA[index], ofB[index]]
      const [inA, inB] = [this.#a.functions[a?.function ?? -1], this.#b.functions[b?.function ?? -1]]
      if (a !== undefined && b !== undefined && inA !== undefined && isSame(inA, inB)) {
        const parted = this.#steps({ a, b, of: inA, from })
        if (parted !== undefined) return parted
        continue
      }
      const isChanged = inA !== undefined && inA.name === inB?.name && headOf(inA).place === headOf(inB).place
      if (isChanged && !this.#b.functions.some((one) => isSame(inA, one))) return { state: 'changed', at: headOf(inA) }
      if ((a === undefined && isDoubtful(inB, this.#a)) || (b === undefined && isDoubtful(inA, this.#b))) {
        return { state: 'cut', at: headOf(inA ?? inB) }
      }
      return this.#parted(from, step, nextStep(inA, 'call', this.#b), nextStep(inB, 'call', this.#a))
    }
    return undefined
  }

  #steps(pair: Pair): Parting | undefined {
    const { a, b, of } = pair
    const known = new Set<string>()
    const end = Math.min(a.cutAt ?? Infinity, b.cutAt ?? Infinity)
    for (let step = -1; step < Math.max(a.path.length, b.path.length); step += 1) {
      const [inA, inB] = [a.path[step], b.path[step]]
      if (step >= end) break
      if (inA !== inB) return this.#parted(pair, step - 1, nextStep(of, inA, this.#b), nextStep(of, inB, this.#a))
      const parted = this.#calls(pair, step)
      if (parted !== undefined) return parted
      const changed = [...a.lines, ...b.lines].flatMap(({ values }) => values.filter(([, , at]) => at.includes(step)))
      for (const [name] of changed) {
        const [ofA, ofB] = [valueAt(a, name, step), valueAt(b, name, step)]
        if (ofA === undefined || ofB === undefined || ofA === ofB || known.has(name)) continue
        known.add(name)
        this.#values.push({ name, a: ofA, b: ofB, at: placeOf(of, inA) ?? headOf(of) })
      }
    }
    if (end < Infinity) this.#cut ??= placeOf(of, a.path[end - 1]) ?? headOf(of)
    return undefined
  }

  #parted(pair: Pair | undefined, step: number, a: NextStep | null, b: NextStep | null): Parting {
    const at = pair?.a.path[step]
    const last = pair === undefined ? undefined : placeOf(pair.of, at)
    const count = pair?.a.path.slice(0, step + 1).filter((index) => index === at).length ?? 0
    const values: DifferentValue[] = []
    if (pair !== undefined) followValues(pair, step, step, values)
    return { state: 'parted', after: last === undefined ? null : { ...last, count }, a, b, values }
  }
}

/** At a place of a function, or the call of it. */
function nextStep(of: RanFunction | undefined, index: number | 'call' | undefined, other: Side): NextStep | null {
  const at = of && (index === 'call' ? headOf(of) : placeOf(of, index))
  if (of === undefined || at === undefined) return null
  const ranIt = ({ function: number, path }: RanCall): boolean =>
    isSame(of, other.functions[number]) &&
    (index === 'call' || path.some((place) => of.places[place] === of.places[index ?? -1]))
  const isOnly = !isDoubtful(of, other) && !other.calls.some(ranIt)
  return { ...at, what: index === 'call' ? 'was called' : 'ran', isOnly }
}

/** Whether a side may have called a function though it has no such call. */
function isDoubtful(of: RanFunction | undefined, side: Side): boolean {
  return !side.isWhole || (of !== undefined && unseenOf(side).some((one) => isSame(of, one)))
}

/** Adds the variables that stand in a step and differed after another one, and what stands where each of them first did. */
function followValues(pair: Pair, step: number, before: number, found: DifferentValue[]): void {
  for (const name of namesIn(placeOf(pair.of, pair.a.path[step])?.text ?? '')) {
    let first = firstDifference(pair, name, before)
    if (first === undefined || found.length >= 5) continue
    const [a, b] = [valueAt(pair.a, name, before), valueAt(pair.b, name, before)]
    let of = pair
    // An argument was the same value in the caller.
    for (let up = of.from; first === -1 && up !== undefined && of.a.at === of.b.at; up = of.from) {
      const { at } = of.a
      const isIt = (other: string): boolean => valueAt(up.a, other, at - 1) === a && valueAt(up.b, other, at - 1) === b
      const same = namesIn(placeOf(up.of, up.a.path[at])?.text ?? '').find(isIt)
      if (same === undefined) break
      of = up
      first = firstDifference(up, same, at - 1) ?? -1
    }
    const at = placeOf(of.of, of.a.path[first]) ?? headOf(of.of)
    if (found.some((one) => one.a === a && one.b === b && one.at.place === at.place)) continue
    found.push({ name, a, b, at })
    if (first >= 0) followValues(of, first, first - 1, found)
    else if (of.from !== undefined && of.a.at === of.b.at) followValues(of.from, of.a.at, of.a.at - 1, found)
  }
}

/** Whether two functions are the same code, wherever it stands in their file. */
function isSame(one: RanFunction, other: RanFunction | undefined): other is RanFunction {
  const codeOf = ({ name, file, places, source }: RanFunction): string =>
    [name, file, places.length, ...source].join('\n')
  return other !== undefined && codeOf(one) === codeOf(other)
}

/** The step from which on a variable differs, up to another one. */
function firstDifference({ a, b }: Pair, name: string, step: number): number | undefined {
  let first: number | undefined
  for (let at = step; at >= -1 && valueAt(a, name, at) !== valueAt(b, name, at); at -= 1) first = at
  return first
}

/** Ids, times and random numbers differ in all requests. */
function withoutNoise(text: string | undefined): string | undefined {
  const noise =
    /\d{4}-\d\d-\d\dT[\d:.]+Z?|[\da-f]{8}-[\da-f-]{27}|\b(?=\w*\d)[\w-]{16,}|\b\d{9,}|\b\d{3,}\.\d{3,}|\b0\.\d{12,}/gi
  return text?.replaceAll(noise, '…')
}

/** What one side does not have says most, then what is no object. */
function weightOf({ a = '', b = '' }: DifferentValue): number {
  const [nothing, object] = [/^(?:undefined|null|NaN|''|""|\[\]|\{\})$/, /[{[]/]
  return nothing.test(a) !== nothing.test(b) ? 2 : object.test(a) || object.test(b) ? 0 : 1
}

/** The same in words; nothing for `null`. */
export function partingBlocks(parting: Parting | null): Blocks {
  if (parting === null) return []
  const [head, ...items] = linesOf(parting)
  return [heading('Where they part'), note(head ?? null, 'info'), items.length === 0 ? null : { kind: 'list', items }]
}

function linesOf(parting: Parting): readonly Line[] {
  switch (parting.state) {
    case 'missing':
      return [`Not known: the code of ${sideNames[parting.side]} was not recorded.`]
    case 'changed':
      return [['Not known: this function was changed between them.', ...pieces(parting.at)]]
    case 'cut':
      return [['The same lines, as far as they were noted. From here on, not all of them were:', ...pieces(parting.at)]]
    case 'alike':
      return ['Both ran the same lines. Of the values that are kept, only ids, times and the like differ, if any.']
    case 'value':
      return [['Both ran the same lines.', ...valuePieces(parting.value)], firstLine(parting.value)]
    case 'parted': {
      const { a, b, values, after } = parting
      const pass = after !== null && after.count > 1 ? `, pass ${after.count}` : ''
      return [
        [
          ...nextPieces(a, b, sideNames.A),
          ...nextPieces(b, a, sideNames.B),
          ...values.slice(0, 1).flatMap(valuePieces),
        ],
        ...(after === null ? [] : [[`Both ran before that${pass}:`, ...pieces(after)]]),
        ...values.map((value, index) => (index === 0 ? [] : valuePieces(value)).concat(firstLine(value))),
      ]
    }
  }
}

/** Changes are told from B to A. */
const sideNames = { A: 'the second', B: 'the first' } as const

function nextPieces(next: NextStep | null, other: NextStep | null, side: string): readonly Inline[] {
  if (next?.isOnly === true) return [...pieces(next), `${next.what} only in ${side}.`]
  if (other?.isOnly === true) return []
  return next === null
    ? [`Nothing more of this call ran in ${side}.`]
    : [...pieces(next), `${next.what} next in ${side}.`]
}

function valuePieces({ name, a, b }: DifferentValue): readonly Inline[] {
  const said = (text: string | undefined): Inline => (text === undefined ? 'without a value' : { code: text })
  return [{ code: name }, 'was', said(b), `in ${sideNames.B} and`, said(a), `in ${sideNames.A}.`]
}

function firstLine({ name, at }: DifferentValue): readonly Inline[] {
  return [{ code: name }, 'first differed here:', ...pieces(at)]
}

function pieces({ place, text }: RanPlace): readonly Inline[] {
  return [{ place }, { code: text }]
}
