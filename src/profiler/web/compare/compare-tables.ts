// The tables of a comparison: figures of both sides with their difference, and texts side by side, as many as fit the page.

import { badge, type Tone } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { cutText, PageBudget } from '../../../errors/page/page-budget.ts'
import type {
  ComparedFigure,
  FigureComparison,
  FigureDifference,
  TextComparison,
  TextDifference,
} from '../../compare/compare.ts'
import type { Measure } from '../../compare/profile-figures.ts'
import { changeText, deltaText, figureText, unitOf } from '../../query/compare-markdown.ts'

const sectionBytes = 250_000
const maxRows = 200
const maxNameLength = 300
const maxTextLength = 1000

/** One row for each difference; three columns for each measure. */
export function figureTable({ title, measures, differences }: FigureComparison): SafeHtml {
  const budget = new PageBudget(sectionBytes)
  return html`<div class="scroll" role="region" aria-label="${title}" tabindex="0">
    <table class="table compare-figures">
      <caption class="visually-hidden">
        ${title}
      </caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          ${measures.map(
            ({ label }) =>
              html`<th scope="col" class="number">A − B ${label}</th>
                <th scope="col" class="number">A</th>
                <th scope="col" class="number">B</th> `,
          )}
        </tr>
      </thead>
      <tbody>
        ${budget.list(differences, (difference) => budget.spend(figureRow(difference, measures)), {
          maxItems: maxRows,
          rest: (count) => restRow(count, 1 + 3 * measures.length),
        })}
      </tbody>
    </table>
  </div>`
}

function figureRow(difference: FigureDifference, measures: readonly Measure[]): SafeHtml {
  const { name, figures, change } = difference
  const mark = changeText(difference, measures)
  return html`<tr>
    <th scope="row" class="compare-name">
      ${cutText(name.replace(/, ms$/, ''), maxNameLength)}
      ${mark === '' ? null : badge(mark, change === 'removed' ? 'info' : 'warning')}
    </th>
    ${figures.map((figure, index) => figureCells(figure, name, measures[index] ?? unnamed))}
  </tr> `
}

const unnamed: Measure = { label: '', unit: 'count' }

function figureCells(figure: ComparedFigure, name: string, measure: Measure): SafeHtml {
  const unit = unitOf(name, measure)
  const tone: Tone = figure.delta > 0 ? 'warning' : figure.delta < 0 ? 'success' : 'neutral'
  return html`<td class="number compare-delta tone-${tone}" data-label="A − B ${measure.label}">
      ${deltaText(figure, unit)}
    </td>
    <td class="number" data-label="A">${figureText(figure.a, unit)}</td>
    <td class="number" data-label="B">${figureText(figure.b, unit)}</td> `
}

/** One row for each difference. */
export function textTable({ title, differences }: TextComparison): SafeHtml {
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
  return html`<table class="table compare-texts">
    <caption class="visually-hidden">
      ${title}
    </caption>
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">A</th>
        <th scope="col">B</th>
      </tr>
    </thead>
    <tbody>
      ${budget.list(differences, (difference) => budget.spend(row(difference)), {
        maxItems: maxRows,
        rest: (count) => restRow(count, 3),
      })}
    </tbody>
  </table>`
}

function restRow(count: number, columns: number): SafeHtml {
  return html`<tr class="tone-warning">
    <td colspan="${columns}">${count} smaller differences left out: the page is full. The JSON has them all.</td>
  </tr>`
}
