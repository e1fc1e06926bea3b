// Compares two sides, number by number. A positive difference means that A has more than B.

import { isMissing, numbersOf, sections } from './profile-numbers.ts'
import type { Measure, MissingPart, ProfileNumbers, Value, Values } from './profile-numbers.ts'
import { runTypeOf, tokenPattern, type Profile, type ProfileSummary } from '../../observe/profile.ts'
import { partingOf, type Parting } from '../../ran/parting.ts'
import { ranCodeOf } from '../../observe/ran-code.ts'
import { readNamedProfile } from '../../profiles/query/named-profile.ts'
import type { ProfileStore } from '../../profiles/profile-store.ts'

/** What became of a name: only A has it, only B has it, A has it more or less often, or something else differs. */
export type Change = 'added' | 'removed' | 'multiplied' | 'changed'

/** One number on both sides; 0 if a side does not have the name. */
export interface ComparedNumber {
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
export interface TextDifference {
  readonly name: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly a: string | null
  readonly b: string | null
}

interface SectionBase {
  readonly name: string
  /** For people. */
  readonly title: string
  /** Why it could not be compared: which side is missing it; `null` if it could. */
  readonly missing: string | null
  /** Names that are the same on both sides, to what `negligibleMs` leaves. */
  readonly equal: readonly string[]
}

/** A section of numbers, the biggest difference first; the summary in a fixed order. */
export interface NumberComparison extends SectionBase {
  readonly kind: 'numbers'
  readonly measures: readonly Measure[]
  readonly differences: readonly NumberDifference[]
}

export interface TextComparison extends SectionBase {
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
export const fewProfiles = 3

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
