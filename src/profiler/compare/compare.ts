// Compares two sides, number by number. A positive difference means that A has more than B.

import {
  isMissing,
  type Numbers,
  type NumberSection,
  type Measure,
  type MissingPart,
  type ProfileNumbers,
  type SectionName,
  type Texts,
  type TextSection,
} from './profile-numbers.ts'

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
export function compareNumbers(a: ProfileNumbers, b: ProfileNumbers): Comparison {
  const numbers = numberSections.map(([name, title, measures]) =>
    compareSection(name, title, measures, a.numbers[name], b.numbers[name]),
  )
  const texts = textSections.map(([name, title]) => compareTexts(name, title, a.texts[name], b.texts[name]))
  const [summary, ...rest] = numbers
  const [answer, ...headers] = texts
  const sections = [summary, answer, ...rest, ...headers].filter((section) => section !== undefined)
  return { sections, differenceCount: sections.reduce((sum, { differences }) => sum + differences.length, 0) }
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
