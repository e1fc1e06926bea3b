// Compares two sides, figure by figure. Says how A stands against B: a positive difference means that A has more.

import {
  isMissing,
  type Figures,
  type FigureSection,
  type Measure,
  type MissingPart,
  type ProfileFigures,
  type SectionName,
  type Texts,
  type TextSection,
} from './profile-figures.ts'

/** What became of a name: only A has it, only B has it, A has it more or less often, or something else differs. */
export type Change = 'added' | 'removed' | 'multiplied' | 'changed'

/** One figure on both sides; 0 where a side does not have the name. */
export interface ComparedFigure {
  readonly a: number
  readonly b: number
  /** `a - b`. */
  readonly delta: number
  /** `delta` in parts of B; `null` where B is 0. */
  readonly relative: number | null
}

/** A name whose figures differ. */
export interface FigureDifference {
  readonly name: string
  readonly change: Change
  /** One for each measure of the section. */
  readonly figures: readonly ComparedFigure[]
}

/** A name whose texts differ; `null` where a side does not have it. */
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
  /** Why it could not be compared: which side is missing it; `null` where it could. */
  readonly missing: string | null
  /** Names that are the same on both sides, to what `negligibleMs` leaves. */
  readonly equal: readonly string[]
}

/** A section of figures, the biggest difference first; the summary in an order of its own. */
export interface FigureComparison extends SectionBase {
  readonly kind: 'figures'
  readonly measures: readonly Measure[]
  readonly differences: readonly FigureDifference[]
}

export interface TextComparison extends SectionBase {
  readonly kind: 'texts'
  readonly differences: readonly TextDifference[]
}

/** The whole comparison. Plain JSON. */
export interface Comparison {
  readonly sections: readonly (FigureComparison | TextComparison)[]
  /** Differences in all sections together. */
  readonly differenceCount: number
}

/** Milliseconds that no two runs share: a smaller difference is none. */
export const negligibleMs = 0.05

const times: Measure = { label: 'times', unit: 'count' }
const total: Measure = { label: 'total', unit: 'ms' }

const figureSections: readonly (readonly [FigureSection, string, readonly Measure[]])[] = [
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
export function compareFigures(a: ProfileFigures, b: ProfileFigures): Comparison {
  const figures = figureSections.map(([name, title, measures]) =>
    compareSection(name, title, measures, a.figures[name], b.figures[name]),
  )
  const texts = textSections.map(([name, title]) => compareTexts(name, title, a.texts[name], b.texts[name]))
  const [summary, ...rest] = figures
  const [answer, ...headers] = texts
  const sections = [summary, answer, ...rest, ...headers].filter((section) => section !== undefined)
  return { sections, differenceCount: sections.reduce((sum, { differences }) => sum + differences.length, 0) }
}

function compareSection(
  name: FigureSection,
  title: string,
  measures: readonly Measure[],
  a: Figures | MissingPart,
  b: Figures | MissingPart,
): FigureComparison {
  const base = { kind: 'figures', name, title, measures } as const
  if (isMissing(a) || isMissing(b)) return { ...base, missing: missingText(a, b), differences: [], equal: [] }
  const differences: FigureDifference[] = []
  const equal: string[] = []
  for (const key of new Set([...a.keys(), ...b.keys()])) {
    const inA = a.get(key)
    const inB = b.get(key)
    const row = measures.map((_, index) => compareFigure(inA?.[index] ?? 0, inB?.[index] ?? 0))
    const isTimed = (index: number): boolean => measures[index]?.unit === 'ms' || key.endsWith(', ms')
    const isEqual = row.every(({ delta }, index) => (isTimed(index) ? Math.abs(delta) < negligibleMs : delta === 0))
    if (isEqual && (inA === undefined) === (inB === undefined)) equal.push(key)
    else differences.push({ name: key, change: changeOf(inA, inB, measures), figures: row })
  }
  return {
    ...base,
    missing: null,
    differences: name === 'summary' ? differences : biggestFirst(differences, measures),
    equal,
  }
}

function compareFigure(a: number, b: number): ComparedFigure {
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

/** By time where the section has it, else by count; equals by name, so that the order is always the same. */
function biggestFirst(
  differences: readonly FigureDifference[],
  measures: readonly Measure[],
): readonly FigureDifference[] {
  const time = Math.max(
    0,
    measures.findIndex(({ unit }) => unit === 'ms'),
  )
  const size = ({ figures }: FigureDifference): number => Math.abs(figures[time]?.delta ?? 0)
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

function missingText(a: Figures | Texts | MissingPart, b: Figures | Texts | MissingPart): string {
  const reasons = [
    ...(isMissing(a) ? [`A does not have it: ${a.missing}`] : []),
    ...(isMissing(b) ? [`B does not have it: ${b.missing}`] : []),
  ]
  return reasons.join(' ')
}
