// Draws a comparison: both sides, a table per section, equal parts folded.

import {
  badge,
  columnHead,
  dataTable,
  emptyState,
  fold,
  formatDuration,
  formatTime,
  note,
  section,
  type Tone,
} from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { countOf, PageBudget } from '../../../errors/page/page-budget.ts'
import {
  type NumberComparison,
  type TextComparison,
  type TextDifference,
  type ComparedNumber,
  type NumberDifference,
  fewProfiles,
  type ComparedSide,
} from '../../compare/compare.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import { profileTone, requestLine, statusMark } from '../../query/profile-facts.ts'
import { sideText, type Compared, changeText, deltaText, numberText, unitOf } from '../../query/compare-markdown.ts'
import type { Measure, Unit } from '../../compare/profile-numbers.ts'

interface ComparePlace {
  readonly profilerPath: string
  readonly linkTo: (token: string) => string
}

const maxNameLength = 300

export function compareView({ a, b, comparison }: Compared, place: ComparePlace): SafeHtml {
  const { differenceCount, sections } = comparison
  const isSame = ({ missing, differences }: Section): boolean => missing === null && differences.length === 0
  const version = versionsOf(sections)
  return html`<div class="compare-sides">
      ${sideCard('A', a, version?.a ?? null, place)} ${sideCard('B', b, version?.b ?? null, place)}
    </div>
    ${
      b.kind === 'median' && b.count < fewProfiles
        ? note(`A median of ${countOf(b.count, 'profile')} says little. Request the page a few more times.`)
        : null
    }
    <p class="row spread compare-state">
      <span><b>${countOf(differenceCount, 'change')}</b> <span class="muted">· from B to A</span></span>
      ${a.kind === 'profile' && b.kind === 'profile' ? html`<a class="button screen-only" href="${place.profilerPath}/compare?a=${b.summary.token}&b=${a.summary.token}">Swap</a>` : null}
    </p>
    ${differenceCount === 0 ? emptyState('No differences.') : null}
    ${sections.filter((one) => !isSame(one)).map(sectionPart)} ${samePart(sections.filter(isSame))}`
}

type Section = NumberComparison | TextComparison

/** The versions of the application, where the sides are of different ones. */
function versionsOf(sections: readonly Section[]): TextDifference | undefined {
  const configuration = sections.find(({ name }) => name === 'configuration')
  return configuration?.kind === 'texts' ? configuration.differences.find(({ name }) => name === 'version') : undefined
}

function sideCard(letter: string, side: ComparedSide, version: string | null, { linkTo }: ComparePlace): SafeHtml {
  if (side.kind !== 'profile') {
    return html`<div class="card compare-side">
      <h2>${letter}</h2>
      <p class="compare-median">${sideText(side)}</p>
    </div>`
  }
  const { token, durationMs, time } = side.summary
  return html`<div class="card compare-side">
    <h2>${letter}</h2>
    <p class="mono"><a href="${linkTo(token)}">${cutText(requestLine(side.summary), maxNameLength)}</a></p>
    <p class="row compare-outcome">
      ${badge(statusMark(side.summary), profileTone(side.summary))} <b>${formatDuration(durationMs)}</b>
      ${version === null ? null : html`<span>Version <b class="mono">${cutText(version, 64)}</b></span>`}
    </p>
    <p class="muted small">${formatTime(time)} UTC, <span class="mono">${token}</span></p>
  </div>`
}

function sectionPart(one: Section): SafeHtml {
  const { title, missing, differences, equal, name } = one
  return section(
    `compare-${name}`,
    html`${title} ${differences.length === 0 ? null : badge(differences.length)}`,
    html`${missing === null ? null : note(`Not compared. ${cutText(missing, 500)}`)}
    ${differences.length === 0 ? null : one.kind === 'numbers' ? numberTable(one) : textTable(one)}
    ${equal.length === 0 ? null : equalPart(`${equal.length} equal`, equal)}`,
    'compare-section',
  )
}

/** Sections without a difference; those that are empty on both sides are left out. */
function samePart(sections: readonly Section[]): SafeHtml | null {
  const filled = sections.filter(({ equal }) => equal.length > 0)
  if (filled.length === 0) return null
  const parts = filled.map(({ title, equal }) =>
    equalPart(html`${title} <span class="muted">${equal.length} equal</span>`, equal),
  )
  return section('compare-same', 'Identical', parts, 'compare-section')
}

function equalPart(title: SafeHtml | string, equal: readonly string[]): SafeHtml {
  return fold(title, html`<p class="small muted">${cutText(equal.join(', '), 5000)}</p>`, {
    className: 'compare-equal',
  })
}

export const compareStyles: SafeHtml = styleSheet(`
.compare-sides { display: grid; grid-template-columns: 1fr 1fr; gap: var(--space-3); margin-top: var(--space-6) }
.compare-median::first-letter { text-transform: uppercase }
.compare-side h2 + p { margin-top: 0 }
.compare-side { padding: var(--space-3) var(--space-4); overflow-wrap: anywhere; min-width: 0 }
.compare-side h2 { margin: 0 }
.compare-outcome { margin: var(--space-2) 0 }
.compare-sides + .note { margin-top: var(--space-3) }
.compare-name .badge { font-family: var(--font) }
.compare-state { margin: var(--space-4) 0 0 }
.compare-section > .scroll { overflow-x: auto }
.compare-section .fold { margin-top: var(--space-2) }
.compare-name { font-weight: 400; font-family: var(--mono); font-size: .86em; overflow-wrap: anywhere; min-width: 8rem }
.compare-numbers thead th::first-letter { text-transform: uppercase }
.compare-numbers td { font-size: var(--size-small) }
.compare-delta { font-weight: 600; color: var(--tone-ink) }
.compare-numbers { width: auto; min-width: min(100%, 48rem) }
.compare-numbers .compare-delta { display: inline-block; min-width: 9rem }
.compare-text { overflow-wrap: anywhere; white-space: pre-wrap; font-size: .86em }
.compare-texts { table-layout: fixed }
.compare-texts .compare-name { min-width: 0 }
.compare-form { display: grid; gap: var(--space-3); max-width: 40rem; margin: var(--space-6) 0 }
.compare-form label { display: grid; gap: 2px }
@media (max-width: 60rem) {
  .compare-numbers .compare-delta { min-width: 0 }
  .compare-numbers td .muted { display: block }
}
@media (max-width: 40rem) {
  .compare-sides { grid-template-columns: 1fr }
  .compare-numbers { min-width: 0 }
  .compare-numbers thead { display: none }
  .compare-numbers, .compare-numbers tbody { display: block }
  .compare-numbers tr { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 0 var(--space-3); padding: var(--space-2); border-top: 1px solid var(--line) }
  .compare-numbers tbody tr:first-child { border-top: 0 }
  .compare-numbers tr > * { border: 0 !important; padding: 0; min-width: 0 }
  .compare-numbers :is(th, td[colspan]) { grid-column: 1 / -1 }
  .compare-numbers .number { text-align: left; white-space: normal; overflow-wrap: anywhere }
  .compare-numbers td:not([data-label=''])::before { content: attr(data-label); display: block; color: var(--muted); font-weight: 400 }
}
`)

const sectionBytes = 250_000
const maxRows = 200
const maxTextLength = 1000

function numberTable({ title, measures, differences }: NumberComparison): SafeHtml {
  const budget = new PageBudget(sectionBytes)
  return html`<div class="scroll" role="region" aria-label="${title}" tabindex="0">
    ${dataTable(
      'compare-numbers',
      title,
      ['Name', ...measures.map(({ label }) => columnHead(label || 'B to A', 'number'))],
      budget.list(differences, (difference) => budget.spend(numberRow(difference, measures)), {
        maxItems: maxRows,
        rest: (count) => restRow(count, 1 + measures.length),
      }),
    )}
  </div>`
}

function numberRow(difference: NumberDifference, measures: readonly Measure[]): SafeHtml {
  const { name, numbers, change } = difference
  const mark = changeText(difference, measures)
  return html`<tr>
    <th scope="row" class="compare-name">
      ${cutText(name.replace(/, ms$/, ''), maxNameLength)}
      ${mark === '' ? null : badge(mark, change === 'removed' ? 'info' : 'warning')}
    </th>
    ${numbers.map((number, index) => numberCell(number, name, measures[index] ?? unnamed))}
  </tr> `
}

const unnamed: Measure = { label: '', unit: 'count' }

function numberCell(number: ComparedNumber, name: string, measure: Measure): SafeHtml {
  const unit = unitOf(name, measure)
  return html`<td class="number" data-label="${measure.label}">
    ${number.delta === 0 ? null : html`<span class="muted">${numberText(number.b, unit)} → ${numberText(number.a, unit)}</span> `}
    <b class="compare-delta tone-${toneOf(number, unit)}">${deltaText(number, unit)}</b>
  </td> `
}

/** No colour for what changes from one request to the next: below 1 ms, or 5 % of the bytes. */
function toneOf({ delta, relative }: ComparedNumber, unit: Unit): Tone {
  const isNoise = unit === 'ms' ? Math.abs(delta) < 1 : unit === 'bytes' && Math.abs(relative ?? 1) < 0.05
  if (delta === 0 || isNoise) return 'neutral'
  return delta > 0 ? 'warning' : 'success'
}

function textTable({ title, differences }: TextComparison): SafeHtml {
  const budget = new PageBudget(sectionBytes)
  const side = (text: string | null): SafeHtml =>
    text === null
      ? html`<td class="muted">none</td> `
      : html`<td class="mono compare-text">${cutText(text, maxTextLength)}</td> `
  const row = ({ name, a, b }: TextDifference): SafeHtml =>
    html`<tr>
      <th scope="row" class="compare-name">${cutText(name, maxNameLength)}</th>
      ${side(a)} ${side(b)}
    </tr> `
  return dataTable(
    'compare-texts',
    title,
    ['Name', 'A', 'B'],
    budget.list(differences, (difference) => budget.spend(row(difference)), {
      maxItems: maxRows,
      rest: (count) => restRow(count, 3),
    }),
  )
}

function restRow(count: number, columns: number): SafeHtml {
  return html`<tr class="tone-warning">
    <td colspan="${columns}">${count} smaller differences not shown. The JSON has all of them.</td>
  </tr>`
}
