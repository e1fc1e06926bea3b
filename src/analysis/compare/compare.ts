// Compares two sides, number by number. A positive difference means that A has more than B.

import type { Numbers, NumberSection, Measure, MissingPart, ProfileNumbers, SectionName } from './profile-numbers.ts'
import type { Texts, TextSection } from './profile-numbers.ts'
import { isMissing, numbersOf } from './profile-numbers.ts'
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
  readonly name: SectionName
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

const times: Measure = { label: 'times', unit: 'count' }
const total: Measure = { label: 'total', unit: 'ms' }

const numberSections: readonly (readonly [NumberSection, string, readonly Measure[]])[] = [
  ['summary', 'At a glance', [{ label: '', unit: 'count' }]],
  ['spans', 'Time by span', [total, { label: 'own', unit: 'ms' }, times]],
  ['queries', 'Queries', [times, total]],
  ['outgoing', 'Outgoing requests', [times, total]],
  ['logs', 'Log', [times]],
]
const textSections: readonly (readonly [TextSection, string])[] = [
  ['answer', 'Request and response'],
  ['request-body', 'Request body'],
  ['request-headers', 'Request headers'],
  ['response-headers', 'Response headers'],
  ['configuration', 'Configuration'],
]

/** Compares two sides. Exchanging them exchanges `added` and `removed` and turns every sign. */
export function compareNumbers(a: ProfileNumbers, b: ProfileNumbers, parting: Parting | null = null): Comparison {
  const numbers = numberSections.map(([name, title, measures]) =>
    compareSection(name, title, measures, a.numbers[name], b.numbers[name]),
  )
  const texts = textSections.map(([name, title]) => compareTexts(name, title, a.texts[name], b.texts[name]))
  const [summary, ...rest] = numbers
  const [answer, ...headers] = texts
  const sections = [summary, answer, ...rest, ...headers].filter((section) => section !== undefined)
  return { sections, differenceCount: sections.reduce((sum, { differences }) => sum + differences.length, 0), parting }
}

function compareSection(
  name: NumberSection,
  title: string,
  measures: readonly Measure[],
  a: Numbers | MissingPart,
  b: Numbers | MissingPart,
): NumberComparison {
  const base = { kind: 'numbers', name, title, measures } as const
  if (isMissing(a) || isMissing(b)) return { ...base, missing: missingText(a, b), differences: [], equal: [] }
  const differences: NumberDifference[] = []
  const equal: string[] = []
  for (const key of new Set([...a.keys(), ...b.keys()])) {
    const inA = a.get(key)
    const inB = b.get(key)
    const row = measures.map((_, index) => compareNumber(inA?.[index] ?? 0, inB?.[index] ?? 0))
    const isTimed = (index: number): boolean => measures[index]?.unit === 'ms' || key.endsWith(', ms')
    const isEqual = row.every(({ delta }, index) => (isTimed(index) ? Math.abs(delta) < negligibleMs : delta === 0))
    if (isEqual && (inA === undefined) === (inB === undefined)) equal.push(key)
    else differences.push({ name: key, change: changeOf(inA, inB, measures), numbers: row })
  }
  return {
    ...base,
    missing: null,
    differences: name === 'summary' ? differences : biggestFirst(differences, measures),
    equal,
  }
}

function compareNumber(a: number, b: number): ComparedNumber {
  const delta = a - b
  return { a, b, delta, relative: b === 0 ? null : delta / b }
}

function changeOf(
  a: readonly number[] | undefined,
  b: readonly number[] | undefined,
  measures: readonly Measure[],
): Change {
  if (b === undefined) return 'added'
  if (a === undefined) return 'removed'
  const count = measures.indexOf(times)
  return count >= 0 && a[count] !== b[count] ? 'multiplied' : 'changed'
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

function compareTexts(
  name: TextSection,
  title: string,
  a: Texts | MissingPart,
  b: Texts | MissingPart,
): TextComparison {
  const base = { kind: 'texts', name, title } as const
  if (isMissing(a) || isMissing(b)) return { ...base, missing: missingText(a, b), differences: [], equal: [] }
  const differences: TextDifference[] = []
  const equal: string[] = []
  for (const key of new Set([...a.keys(), ...b.keys()])) {
    const inA = a.get(key) ?? null
    const inB = b.get(key) ?? null
    if (inA === inB) equal.push(key)
    else
      differences.push({
        name: key,
        change: inB === null ? 'added' : inA === null ? 'removed' : 'changed',
        a: inA,
        b: inB,
      })
  }
  return { ...base, missing: null, differences, equal }
}

function missingText(a: Numbers | Texts | MissingPart, b: Numbers | Texts | MissingPart): string {
  const reasons = [
    ...(isMissing(a) ? [`A does not have it: ${a.missing}`] : []),
    ...(isMissing(b) ? [`B does not have it: ${b.missing}`] : []),
  ]
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
/** The median of so many replays of a profile. */

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
function withoutUrl({ numbers, texts }: ProfileNumbers): ProfileNumbers {
  const { answer } = texts
  if (isMissing(answer)) return { numbers, texts }
  return { numbers, texts: { ...texts, answer: new Map([...answer].filter(([name]) => name !== 'URL')) } }
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
  const numbers = (name: NumberSection): Numbers | MissingPart =>
    together(
      sides.map((side) => side.numbers[name]),
      medianOf,
    )
  const texts = (name: TextSection): Texts | MissingPart =>
    together(
      sides.map((side) => side.texts[name]),
      modeOf,
    )
  return {
    numbers: {
      summary: numbers('summary'),
      spans: numbers('spans'),
      queries: numbers('queries'),
      outgoing: numbers('outgoing'),
      logs: numbers('logs'),
    },
    texts: {
      answer: texts('answer'),
      'request-body': texts('request-body'),
      'request-headers': texts('request-headers'),
      'response-headers': texts('response-headers'),
      configuration: texts('configuration'),
    },
  }
}

function together<Value>(
  sections: readonly (ReadonlyMap<string, Value> | MissingPart)[],
  middle: (values: readonly Value[]) => Value,
): ReadonlyMap<string, Value> | MissingPart {
  const there = sections.filter((section) => section instanceof Map) as readonly ReadonlyMap<string, Value>[]
  if (there.length === 0) return sections.find((section) => 'missing' in section) ?? { missing: 'it was not recorded' }
  const byName = Map.groupBy(
    there.flatMap((section) => [...section]),
    ([name]) => name,
  )
  const frequent = [...byName].filter(([, entries]) => entries.length * 2 > there.length)
  return new Map(frequent.map(([name, entries]) => [name, middle(entries.map(([, value]) => value))]))
}

/** Measure by measure, the lower one of two in the middle: counts stay whole. */
function medianOf(rows: readonly (readonly number[])[]): readonly number[] {
  const width = rows[0]?.length ?? 0
  return Array.from({ length: width }, (_, index) => {
    const column = rows.map((row) => row[index] ?? 0).toSorted((one, other) => one - other)
    return column[(column.length - 1) >> 1] ?? 0
  })
}

function modeOf(texts: readonly string[]): string {
  const groups = [...Map.groupBy(texts, (text) => text).values()]
  const [most = []] = groups.toSorted((one, other) => other.length - one.length)
  return most[0] ?? ''
}
