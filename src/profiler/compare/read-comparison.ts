// Reads the two sides of a comparison, single profiles or medians of many.

import { runTypeOf, tokenPattern, type Profile, type ProfileSummary } from '../profile.ts'
import { readNamedProfile } from '../query/named-profile.ts'
import type { ProfileStore } from '../profile-store.ts'
import { compareNumbers, type Comparison } from './compare.ts'
import {
  numbersOf,
  isMissing,
  type ProfileNumbers,
  type Numbers,
  type NumberSection,
  type MissingPart,
  type Texts,
  type TextSection,
} from './profile-numbers.ts'

/** Profiles of a route that a median is made of, at most: the newest ones. */
const medianOfLast = 50
/** With fewer, a median says little. */
export const fewProfiles = 3

/** What a side is: a profile, or the median of several. `count`: how many others of its route. */
export type ComparedSide =
  | { readonly kind: 'profile'; readonly summary: ProfileSummary }
  | { readonly kind: 'median'; readonly route: string; readonly method: string; readonly count: number }
  /** The median of so many replays of a profile. */
  | { readonly kind: 'replays'; readonly of: string; readonly count: number }

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
  const comparison = compareNumbers(numbersOf(first), numbersOf(second))
  return { state: 'compared', a: sideA, b: { kind: 'profile', summary: summaryOf(second) }, comparison }
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
