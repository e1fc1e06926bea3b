// A comparison of two profiles as text and Markdown.

import { codeSpan } from '../../errors/markdown-text.ts'
import type {
  NumberComparison,
  TextComparison,
  Change,
  ComparedNumber,
  NumberDifference,
  ComparedSide,
  ReadComparison,
} from '../compare/compare.ts'
import { counted, formatBytes, formatCount, formatDuration } from '../../framework/html/components.ts'
import { responseSize, type Measure, type Unit } from '../compare/profile-numbers.ts'
import { requestLine } from './profile-facts.ts'

export type Compared = Extract<ReadComparison, { readonly state: 'compared' }>

const maxRows = 50

export function compareMarkdown({ a, b, comparison }: Compared): string {
  const sides = `- A: ${codeSpan(sideText(a))}\n- B: ${codeSpan(sideText(b))}\n\nChanges from B to A.`
  const sections = comparison.sections.flatMap((section) => sectionOf(section) ?? [])
  const nothing = comparison.differenceCount === 0 ? ['No differences.'] : []
  return `${['# Compare profiles', sides, ...nothing, ...sections].join('\n\n')}\n`
}

function sectionOf(section: NumberComparison | TextComparison): string | null {
  const { title, missing, differences } = section
  if (missing !== null) return `## ${title}\n\nNot compared: ${codeSpan(missing)}`
  if (differences.length === 0) return null
  const lines = section.kind === 'numbers' ? numberLines(section) : textLines(section)
  const rest = differences.length > maxRows ? [`- and ${differences.length - maxRows} more`] : []
  return `## ${title}\n\n${[...lines, ...rest].join('\n')}`
}

function numberLines({ differences, measures }: NumberComparison): string[] {
  return differences.slice(0, maxRows).map((difference) => {
    const { name, numbers } = difference
    const mark = changeText(difference, measures)
    const parts = numbers.flatMap((number, index) => {
      const measure = measures[index]
      if (measure === undefined || number.delta === 0) return []
      const unit = unitOf(name, measure)
      const label = measure.label === '' ? '' : `${measure.label} `
      return [`${label}${deltaText(number, unit)}, ${numberText(number.a, unit)} vs ${numberText(number.b, unit)}`]
    })
    return `- ${codeSpan(name.replace(/, ms$/, ''))}${mark === '' ? '' : ` (${mark})`}: ${parts.join('; ')}`
  })
}

function textLines({ differences }: TextComparison): string[] {
  return differences.slice(0, maxRows).map(({ name, a, b }) => `- ${codeSpan(name)}: A ${textOf(a)}, B ${textOf(b)}`)
}

function textOf(text: string | null): string {
  return text === null ? 'none' : codeSpan(text.slice(0, 500))
}

/** `GET http://… (4f7k2m9qx0ab)`, or `the median of 42 others of GET on the route product`. */
export function sideText(side: ComparedSide): string {
  if (side.kind === 'profile') return `${requestLine(side.summary)} (${side.summary.token})`
  if (side.kind === 'replays') return `the median of ${side.count} replays of ${side.of}`
  return `the median of ${counted(side.count, 'other')} of ${side.method} on the route ${side.route}`
}

/** A number in its unit. Names of the summary carry theirs: `duration, ms`. */
export function numberText(value: number, unit: Unit): string {
  if (unit === 'ms') return formatDuration(value)
  if (unit === 'bytes') return formatBytes(value)
  return Number.isInteger(value) ? formatCount(value) : value.toFixed(2)
}

/** The unit of a number, even if the name says it. */
export function unitOf(name: string, measure: Measure): Unit {
  if (name.endsWith(', ms')) return 'ms'
  return name === responseSize ? 'bytes' : measure.unit
}

/** `+12.3 ms (+150 %)`, `+177 ms (×25)`; `±0` if there is none. */
export function deltaText({ delta, relative }: ComparedNumber, unit: Unit): string {
  if (delta === 0) return '±0'
  const sign = delta > 0 ? '+' : '−'
  const part =
    relative === null ? '' : relative < 10 ? `${sign}${percent(Math.abs(relative))}` : `×${factorText(1 + relative)}`
  return `${sign}${numberText(Math.abs(delta), unit)}${part === '' ? '' : ` (${part})`}`
}

/** `only A`, `only B`, `×3`, `÷3`, or nothing for what is only larger or smaller. */
export function changeText({ change, numbers }: NumberDifference, measures: readonly Measure[]): string {
  if (change !== 'multiplied') return changeWords[change]
  const times = numbers[measures.findIndex(({ label }) => label === 'times')]
  if (times === undefined) return ''
  const factor = times.a / times.b
  if (!Number.isFinite(factor) || factor === 0) return changeWords.changed
  return factor < 1 ? `÷${factorText(1 / factor)}` : `×${factorText(factor)}`
}

function factorText(factor: number): string {
  return Number.isInteger(factor) || factor >= 10 ? factor.toFixed(0) : factor.toFixed(1)
}

const changeWords: Readonly<Record<Change, string>> = {
  added: 'only A',
  removed: 'only B',
  multiplied: '',
  changed: '',
}

function percent(part: number): string {
  return `${(part * 100).toFixed(part < 0.0995 ? 1 : 0)} %`
}
