// Compares two sides, number by number. A positive difference means that A has more than B.

import { isMissing, numbersOf, sections, type Measure, responseSize, type Unit } from './profile-numbers.ts'
import type { MissingPart, ProfileNumbers, Value, Values } from './profile-numbers.ts'
import { runTypeOf, tokenPattern, type Profile, type ProfileSummary } from '../../observe/profile.ts'
import { partingOf, type Parting, partingBlocks } from '../../ran/parting.ts'
import { ranCodeOf } from '../../observe/ran-code.ts'
import { readNamedProfile } from '../../profiles/query/named-profile.ts'
import type { ProfileStore } from '../../profiles/profile-store.ts'
import { codeSpan } from '../../base/markdown-text.ts'
import {
  empty,
  facts,
  heading,
  note,
  recorded,
  text,
  wideTable,
  type Block,
  type Blocks,
  type Line,
} from '../../observe/blocks/blocks.ts'
import { sectionTexts } from '../../observe/blocks/sections.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { counted, formatBytes, formatCount, formatDuration, type Tone } from '../../base/html/components.ts'
import { profileTone, requestLine, statusMark } from '../../profiles/profile-facts.ts'

/** What became of a name: only A has it, only B has it, A has it more or less often, or something else differs. */
type Change = 'added' | 'removed' | 'multiplied' | 'changed'

/** One number on both sides; 0 if a side does not have the name. */
interface ComparedNumber {
  readonly a: number
  readonly b: number
  /** `a - b`. */
  readonly delta: number
  /** `delta` in parts of B; `null` where B is 0. */
  readonly relative: number | null
}

/** A name whose numbers differ. */
export interface NumberDifference {
  readonly name: string
  readonly change: Change
  /** One for each measure of the section. */
  readonly numbers: readonly ComparedNumber[]
}

/** A name whose texts differ; `null` if a side does not have it. */
interface TextDifference {
  readonly name: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly a: string | null
  readonly b: string | null
}

interface SectionBase {
  readonly name: string
  readonly title: string
  /** Why it could not be compared: which side is missing it; `null` if it could. */
  readonly missing: string | null
  /** Names that are the same on both sides, to what `negligibleMs` leaves. */
  readonly equal: readonly string[]
}

/** A section of numbers, the biggest difference first; the summary in a fixed order. */
interface NumberComparison extends SectionBase {
  readonly kind: 'numbers'
  readonly measures: readonly Measure[]
  readonly differences: readonly NumberDifference[]
}

interface TextComparison extends SectionBase {
  readonly kind: 'texts'
  readonly differences: readonly TextDifference[]
}

/** The whole comparison. Plain JSON. */
export interface Comparison {
  readonly sections: readonly (NumberComparison | TextComparison)[]
  /** Differences of all sections together. */
  readonly differenceCount: number
  /** Where the code of two profiles parts; `null` if neither has it, and for medians. */
  readonly parting: Parting | null
}

/** Differences below this, in milliseconds, do not count: no two runs are that alike. */
const negligibleMs = 0.05

/** Compares two sides. Exchanging them exchanges `added` and `removed` and turns every sign. */
export function compareNumbers(a: ProfileNumbers, b: ProfileNumbers, parting: Parting | null = null): Comparison {
  const compared = sections.map(({ name, title, measures }) => {
    const [inA, inB] = [a.get(name) ?? unknown, b.get(name) ?? unknown]
    const isThere = !isMissing(inA) && !isMissing(inB)
    const base = { name, title, missing: isThere ? null : missingText(inA, inB) }
    const [of, to] = isThere ? [inA, inB] : [nothing, nothing]
    if (measures === undefined) return { ...base, kind: 'texts', ...compareTexts(of, to) } as const
    const { differences, equal } = compareRows(of, to, measures)
    const sorted = name === 'summary' ? differences : biggestFirst(differences, measures)
    return { ...base, kind: 'numbers', measures, differences: sorted, equal } as const
  })
  const differenceCount = compared.reduce((sum, { differences }) => sum + differences.length, 0)
  return { sections: compared, differenceCount, parting }
}

const unknown: MissingPart = { missing: 'it was not recorded' }
const nothing: Values = new Map()

function compareRows(
  a: Values,
  b: Values,
  measures: readonly Measure[],
): Pick<NumberComparison, 'differences' | 'equal'> {
  const differences: NumberDifference[] = []
  const equal: string[] = []
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const [inA, inB] = [a.get(name), b.get(name)]
    const numbers = measures.map((_, index) => compareNumber(numberIn(inA, index), numberIn(inB, index)))
    const isTimed = (index: number): boolean => measures[index]?.unit === 'ms' || name.endsWith(', ms')
    const isEqual = numbers.every(({ delta }, index) => (isTimed(index) ? Math.abs(delta) < negligibleMs : delta === 0))
    if (isEqual && (inA === undefined) === (inB === undefined)) equal.push(name)
    else differences.push({ name, change: changeOf(inA, inB, measures), numbers })
  }
  return { differences, equal }
}

function numberIn(value: Value | undefined, index: number): number {
  return typeof value === 'object' ? (value[index] ?? 0) : 0
}

function compareNumber(a: number, b: number): ComparedNumber {
  const delta = a - b
  return { a, b, delta, relative: b === 0 ? null : delta / b }
}

function changeOf(a: Value | undefined, b: Value | undefined, measures: readonly Measure[]): Change {
  if (b === undefined) return 'added'
  if (a === undefined) return 'removed'
  const count = measures.findIndex(({ label }) => label === 'times')
  return count >= 0 && numberIn(a, count) !== numberIn(b, count) ? 'multiplied' : 'changed'
}

/** By time if the section has it, else by count; equals by name, so that the order is always the same. */
function biggestFirst(
  differences: readonly NumberDifference[],
  measures: readonly Measure[],
): readonly NumberDifference[] {
  const time = Math.max(
    0,
    measures.findIndex(({ unit }) => unit === 'ms'),
  )
  const size = ({ numbers }: NumberDifference): number => Math.abs(numbers[time]?.delta ?? 0)
  return differences.toSorted((one, other) => size(other) - size(one) || (one.name < other.name ? -1 : 1))
}

function compareTexts(a: Values, b: Values): Pick<TextComparison, 'differences' | 'equal'> {
  const differences: TextDifference[] = []
  const equal: string[] = []
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const [inA, inB] = [a.get(name)?.toString() ?? null, b.get(name)?.toString() ?? null]
    const change = inB === null ? 'added' : inA === null ? 'removed' : 'changed'
    if (inA === inB) equal.push(name)
    else differences.push({ name, change, a: inA, b: inB })
  }
  return { differences, equal }
}

function missingText(a: Values | MissingPart, b: Values | MissingPart): string {
  const reasons = Object.entries({ A: a, B: b }).flatMap(([side, part]) =>
    isMissing(part) ? [`${side} does not have it: ${part.missing}`] : [],
  )
  return reasons.join(' ')
}

/** Profiles of a route that a median is made of, at most: the newest ones. */
const medianOfLast = 50
/** With fewer, a median says little. */
const fewProfiles = 3

/** What a side is: a profile, or the median of several. `count`: how many others of its route. */
export type ComparedSide =
  | { readonly kind: 'profile'; readonly summary: ProfileSummary }
  | { readonly kind: 'median'; readonly route: string; readonly method: string; readonly count: number }

/** A comparison and its sides, or why there is none. Plain JSON. */
export type ReadComparison =
  | {
      readonly state: 'compared'
      readonly a: ComparedSide
      readonly b: ComparedSide
      readonly comparison: Comparison
    }
  | { readonly state: 'missing'; readonly problem: string }

/** The store's part that is needed. */
type ComparableProfiles = Pick<ProfileStore, 'read' | 'find'>

/** Compares profile `a` with profile `b`, or with the `median` of its route; `latest` is the newest one. Rejects when the store fails. */
export async function readComparison(profiles: ComparableProfiles, a: string, b: string): Promise<ReadComparison> {
  const [first, second] = await Promise.all([
    readNamedProfile(profiles, a),
    b === 'median' ? undefined : readNamedProfile(profiles, b),
  ])
  if (first === undefined) return missing('A', a)
  const sideA: ComparedSide = { kind: 'profile', summary: summaryOf(first) }
  if (b === 'median') return compareWithMedian(profiles, first, sideA)
  if (second === undefined) return missing('B', b)
  const comparison = compareProfiles(first, second)
  return { state: 'compared', a: sideA, b: { kind: 'profile', summary: summaryOf(second) }, comparison }
}

/** All of two profiles, their code included. */
export function compareProfiles(a: Profile, b: Profile): Comparison {
  return compareNumbers(numbersOf(a), numbersOf(b), partingOf(ranCodeOf(a), ranCodeOf(b)))
}

async function compareWithMedian(
  profiles: ComparableProfiles,
  profile: Profile,
  a: ComparedSide,
): Promise<ReadComparison> {
  const { route, method, token } = profile
  const runType = runTypeOf(method)
  if (route === null)
    return {
      state: 'missing',
      problem: `${runType === undefined ? 'No route matched this request' : `A ${runType} has no route`}, so there is no median of its route.`,
    }
  const { items } = await profiles.find({ route, method }, { limit: medianOfLast + 1 })
  const tokens = items.map((item) => item.token).filter((one) => one !== token)
  const sides = []
  // One after another: only the numbers of each are kept.
  for (const one of tokens.slice(0, medianOfLast)) {
    const other = await profiles.read(one)
    if (other !== undefined) sides.push(numbersOf(other))
  }
  if (sides.length === 0) {
    return {
      state: 'missing',
      problem: `There is no other profile of ${method} on the route ${route}: a median needs one.`,
    }
  }
  const comparison = compareNumbers(withoutUrl(numbersOf(profile)), withoutUrl(medianNumbers(sides)))
  return { state: 'compared', a, b: { kind: 'median', route, method, count: sides.length }, comparison }
}

/** Many profiles have no URL in common. */
function withoutUrl(side: ProfileNumbers): ProfileNumbers {
  const answer = side.get('answer') ?? unknown
  return isMissing(answer) ? side : new Map(side).set('answer', new Map([...answer].filter(([name]) => name !== 'URL')))
}

function missing(side: 'A' | 'B', token: string): ReadComparison {
  const named = tokenPattern.test(token) ? `${side}, ${token}` : side
  return {
    state: 'missing',
    problem: `There is no profile ${named}: it was never recorded, or it was old enough to make room for newer ones.`,
  }
}

export function summaryOf({ data: _data, ...summary }: Profile): ProfileSummary {
  return summary
}

/** What most of the sides agree on. A name that most of them do not have is left out. Throws a TypeError for none at all. */
export function medianNumbers(sides: readonly ProfileNumbers[]): ProfileNumbers {
  if (sides.length === 0) throw new TypeError('A median needs one profile at least')
  return new Map(sections.map(({ name }) => [name, together(sides.map((side) => side.get(name) ?? unknown))]))
}

function together(parts: readonly (Values | MissingPart)[]): Values | MissingPart {
  const there = parts.flatMap((part) => (isMissing(part) ? [] : [part]))
  if (there.length === 0) return parts[0] ?? unknown
  const byName = Map.groupBy(
    there.flatMap((part) => [...part]),
    ([name]) => name,
  )
  const frequent = [...byName].filter(([, entries]) => entries.length * 2 > there.length)
  return new Map(frequent.map(([name, entries]) => [name, middleOf(entries.map(([, value]) => value))]))
}

/** The most frequent text; of numbers, measure by measure, the lower one of two in the middle: counts stay whole. */
function middleOf(values: readonly Value[]): Value {
  const [first = ''] = values
  if (typeof first === 'string') {
    const groups = [...Map.groupBy(values, (text) => text).values()]
    return groups.toSorted((one, other) => other.length - one.length)[0]?.[0] ?? ''
  }
  return first.map((_, index) => {
    const column = values.map((row) => numberIn(row, index)).toSorted((one, other) => one - other)
    return column[(column.length - 1) >> 1] ?? 0
  })
}

export type Compared = Extract<ReadComparison, { readonly state: 'compared' }>

/** Rows of a section; the JSON has all. */
const maxRows = 100

export function compareMarkdown(compared: Compared): string {
  const parts = sectionTexts(wholeComparison(compared), (text) => codeSpan(cutText(text, 200)))
  return `${['# Compare profiles', ...parts].join('\n\n')}\n`
}

/** All of it in words: the sides first. */
export function wholeComparison(compared: Compared): Blocks {
  return [
    facts('Sides', [
      ['First', { recorded: sideText(compared.b) }],
      ['Second', { recorded: sideText(compared.a) }],
    ]),
    ...compareBlocks(compared),
  ]
}

export function sideBlocks({ a, b, comparison: { sections } }: Compared): Blocks {
  const configuration = sections.find(({ name }) => name === 'configuration')
  const version =
    configuration?.kind === 'texts' ? configuration.differences.find(({ name }) => name === 'version') : undefined
  const drawn = (name: string, side: ComparedSide, own: string | null = null): Blocks => {
    if (side.kind !== 'profile') return [heading(name), text({ recorded: sideText(side) })]
    const { summary } = side
    const mark = { mark: statusMark(summary), tone: profileTone(summary) }
    const facts = [mark, { strong: formatDuration(summary.durationMs) }, own === null ? null : 'Version', recorded(own)]
    const link = { profile: summary.token, subject: cutText(requestLine(summary), 300) }
    return [
      heading(name),
      { kind: 'list', items: [link, facts, { quiet: [{ time: summary.time }, { code: summary.token }] }] },
    ]
  }
  const few = b.kind === 'median' && b.count < fewProfiles
  return [
    { kind: 'columns', parts: [drawn('First', b, version?.b), drawn('Second', a, version?.a)] },
    note(few && `A median of ${counted(b.count, 'profile')} says little. Request the page a few more times.`),
  ]
}

export function equalBlocks(sections: Comparison['sections']): Blocks {
  const folds = sections.map(({ title, equal }): Block | null => {
    const block = text({ recorded: cutText(equal.join(', '), 5000) })
    return equal.length === 0 || block === null
      ? null
      : { kind: 'fold', title: `${title} ${equal.length} equal`, block }
  })
  return folds.every((one) => one === null) ? [] : [heading('Identical'), ...folds]
}

/** What differs: where the code parts first, then section by section. */
export function compareBlocks({ comparison: { parting, differenceCount, sections } }: Compared): Blocks {
  return [
    ...partingBlocks(parting),
    differenceCount === 0 ? empty('No differences.') : null,
    ...sections.flatMap((section): Blocks => {
      const { title, missing, differences } = section
      if (missing === null && differences.length === 0) return []
      const rest = differences.length - maxRows
      return [
        heading(title),
        note(missing !== null && ['Not compared.', { recorded: missing }]),
        differences.length === 0 || section.kind === 'texts' ? null : numberTable(section),
        ...(section.kind === 'texts' ? textTables(section) : []),
        text(rest > 0 && `${counted(rest, 'smaller difference')} not shown. The JSON has all of them.`),
      ]
    }),
  ]
}

function numberTable({ title, measures, differences }: NumberComparison): Block {
  const heads = measures.map(({ label }) => ({
    number: label === '' ? 'First → second' : `${label[0]?.toUpperCase()}${label.slice(1)}`,
  }))
  const cell = (number: ComparedNumber, name: string, measure: Measure): Line => {
    const unit = unitOf(name, measure)
    const mark = { mark: deltaText(number, unit), tone: toneOf(number, unit) }
    return number.delta === 0
      ? { quiet: '±0' }
      : [{ quiet: `${numberText(number.b, unit)} → ${numberText(number.a, unit)}` }, mark]
  }
  const rows = differences.slice(0, maxRows).map((difference) => {
    const { name, numbers, change } = difference
    const mark = changeText(difference, measures)
    const tone: Tone = change === 'removed' ? 'info' : 'warning'
    const cells = measures.map((measure, index) => {
      const number = numbers[index]
      return number === undefined ? null : cell(number, name, measure)
    })
    const named: Line = [{ recorded: cutText(name.replace(/, ms$/, ''), 300) }, mark === '' ? null : { mark, tone }]
    return { cells: [named, ...cells] }
  })
  return wideTable(title, 'difference', ['Name', ...heads], rows)
}

/** No colour for what changes from one request to the next: below 1 ms, or 5 % of the bytes. */
function toneOf({ delta, relative }: ComparedNumber, unit: Unit): Tone {
  const isNoise = unit === 'ms' ? Math.abs(delta) < 1 : unit === 'bytes' && Math.abs(relative ?? 1) < 0.05
  if (isNoise) return 'neutral'
  return delta > 0 ? 'warning' : 'success'
}

/** More names than that on one side only are folded: two bodies that are unlike. */
const maxLone = 10

function textTables(section: TextComparison): Blocks {
  const { differences } = section
  const lone = differences.filter(({ change }) => change !== 'changed')
  if (lone.length <= maxLone) return differences.length === 0 ? [] : [textTable(section)]
  const shared = differences.slice(0, maxRows).filter(({ change }) => change === 'changed')
  const block = textTable({ ...section, differences: lone.slice(0, maxRows - shared.length) })
  const title = `${counted(lone.length, 'name')} on one side only`
  return [shared.length === 0 ? null : textTable({ ...section, differences: shared }), { kind: 'fold', title, block }]
}

function textTable({ title, differences }: TextComparison): Block {
  const side = (said: string | null): Line => (said === null ? { quiet: 'none' } : { code: cutText(said, 1000) })
  const rows = differences
    .slice(0, maxRows)
    .map(({ name, a, b }) => ({ cells: [{ recorded: cutText(name, 300) }, side(b), side(a)] }))
  return wideTable(title, 'difference', ['Name', 'First', 'Second'], rows)
}

/** `GET http://… (4f7k2m9qx0ab)`, or `the median of 42 others of GET on the route product`. */
function sideText(side: ComparedSide): string {
  if (side.kind === 'profile') return `${requestLine(side.summary)} (${side.summary.token})`
  return `the median of ${counted(side.count, 'other')} of ${side.method} on the route ${side.route}`
}

/** A number in its unit. Names of the summary carry theirs: `duration, ms`. */
function numberText(value: number, unit: Unit): string {
  if (unit === 'ms') return formatDuration(value)
  if (unit === 'bytes') return formatBytes(value)
  return Number.isInteger(value) ? formatCount(value) : value.toFixed(2)
}

/** The unit of a number, even if the name says it. */
function unitOf(name: string, measure: Measure): Unit {
  if (name.endsWith(', ms')) return 'ms'
  return name === responseSize ? 'bytes' : measure.unit
}

/** `+12.3 ms (+150 %)`, `+177 ms (×25)`; `±0` if there is none. */
function deltaText({ delta, relative }: ComparedNumber, unit: Unit): string {
  if (delta === 0) return '±0'
  const sign = delta > 0 ? '+' : '−'
  const part =
    relative === null ? '' : relative < 10 ? `${sign}${percent(Math.abs(relative))}` : `×${factorText(1 + relative)}`
  return `${sign}${numberText(Math.abs(delta), unit)}${part === '' ? '' : ` (${part})`}`
}

/** `only second`, `only first`, `×3`, `÷3`, or nothing for what is only larger or smaller. */
function changeText({ change, numbers }: NumberDifference, measures: readonly Measure[]): string {
  if (change === 'added' || change === 'removed') return `only ${change === 'added' ? 'second' : 'first'}`
  const times = numbers[measures.findIndex(({ label }) => label === 'times')]
  if (change === 'changed' || times === undefined) return ''
  const factor = times.a / times.b
  if (!Number.isFinite(factor) || factor === 0) return ''
  return factor < 1 ? `÷${factorText(1 / factor)}` : `×${factorText(factor)}`
}

function factorText(factor: number): string {
  return Number.isInteger(factor) || factor >= 10 ? factor.toFixed(0) : factor.toFixed(1)
}

function percent(part: number): string {
  return `${(part * 100).toFixed(part < 0.0995 ? 1 : 0)} %`
}
