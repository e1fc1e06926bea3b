// A comparison of two profiles in words: what its page shows, and its Markdown.

import { codeSpan } from '../../base/markdown-text.ts'
import type { Comparison, ComparedNumber, ComparedSide, NumberDifference } from './compare.ts'
import { fewProfiles, type NumberComparison, type ReadComparison, type TextComparison } from './compare.ts'
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
import { partingBlocks } from '../../ran/parting.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { counted, formatBytes, formatCount, formatDuration, type Tone } from '../../base/html/components.ts'
import { responseSize, type Measure, type Unit } from './profile-numbers.ts'
import { profileTone, requestLine, statusMark } from '../../profiles/profile-facts.ts'

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

/** Both sides, for a page. */
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

/** What is equal, for a page. */
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
        differences.length === 0 ? null : section.kind === 'numbers' ? numberTable(section) : textTable(section),
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

function textTable({ title, differences }: TextComparison): Block {
  const side = (said: string | null): Line => (said === null ? { quiet: 'none' } : { code: cutText(said, 1000) })
  const rows = differences
    .slice(0, maxRows)
    .map(({ name, a, b }) => ({ cells: [{ recorded: cutText(name, 300) }, side(b), side(a)] }))
  return wideTable(title, 'difference', ['Name', 'First', 'Second'], rows)
}

/** `GET http://… (4f7k2m9qx0ab)`, or `the median of 42 others of GET on the route product`. */
export function sideText(side: ComparedSide): string {
  if (side.kind === 'profile') return `${requestLine(side.summary)} (${side.summary.token})`
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

/** `only second`, `only first`, `×3`, `÷3`, or nothing for what is only larger or smaller. */
export function changeText({ change, numbers }: NumberDifference, measures: readonly Measure[]): string {
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
