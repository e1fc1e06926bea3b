// Draws what validators found wrong, and where.

import { badge, dataTable, emptyState, fold, formatDuration } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { countOf, cutMark, PageBudget } from '../../../errors/page/page-budget.ts'
import { placeLink, type EditorLink } from '../../../errors/page/editor-link.ts'
import type { ValidationData } from '../../collectors/validation.ts'
import { keptMark } from '../notes.ts'
import type { Panel } from '../panel.ts'
import { figureRow } from './figures.ts'
import { plainTree, valueView } from './value-view.ts'

const listBytes = 600_000

type Validation = ValidationData['entries'][number]

export const validationPanel: Panel<ValidationData> = {
  name: 'validation',
  title: 'Validation',
  hidesWhenEmpty: true,
  badge: ({ entries, dropped }) => {
    const wrong = entries.filter(isWrong).length
    const hint = countOf(entries.length + dropped, 'validation')
    if (wrong > 0) return { count: wrong, tone: 'warning', hint: `${wrong} with faults of ${hint}` }
    return { count: entries.length + dropped, tone: 'neutral', hint }
  },
  render: (data, { editor }) => {
    if (data === undefined) {
      return emptyState(
        'Nothing was validated. Schemas of routes are captured as they are; hand other schemas of valibot or zod, or an Ajv, over with observe().',
      )
    }
    const { entries, dropped } = data
    const budget = new PageBudget(listBytes)
    const rest = (missing: number): SafeHtml => cutMark(`${countOf(missing, 'more validation')} not shown.`)
    const totalMs = entries.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0)
    return html`${keptMark(entries.length, dropped, 'validations')}
    ${figureRow([
      [String(entries.length + dropped), 'Validations'],
      [String(entries.filter(isWrong).length), 'Failed'],
      [formatDuration(totalMs), 'Total time'],
    ])}
    ${budget.list(entries, (entry) => budget.spend(card(entry, editor)), { rest })}`
  },
}

function isWrong({ faultCount, error }: Validation): boolean {
  return faultCount > 0 || error !== null
}

function card(validation: Validation, editor: EditorLink | undefined): SafeHtml {
  const { library, part, hasValues, input, faults, faultCount, startMs, durationMs, callSite, error } = validation
  const more = faultCount - faults.length
  return html`<article class="card outgoing-call">
    <h3 class="outgoing-head">
      ${error !== null ? badge('broke', 'error') : faultCount === 0 ? badge('valid', 'success') : badge(countOf(faultCount, 'fault'), 'warning')}
      <span>${part ?? 'value'}</span> <span class="muted">${library}</span>
      <span class="outgoing-time">${durationMs === null ? 'not ended' : formatDuration(durationMs)}</span>
    </h3>
    <p class="muted small">
      +${formatDuration(startMs)}${callSite === null ? null : html` · ${placeLink(callSite, editor)}`}
    </p>
    ${error === null ? null : html`<p class="note tone-error">${error}</p>`}
    ${
      faults.length === 0
        ? null
        : html`<div class="table-scroll" tabindex="0" role="region" aria-label="Faults">
            ${dataTable(
              'faults',
              'Faults',
              ['Where', 'What is wrong', 'Received'],
              faults.map(
                ({ path, message, received }) =>
                  html`<tr>
                    <th scope="row"><code>${path === '' ? 'the whole value' : path}</code></th>
                    <td>${message}</td>
                    <td>
                      ${received === null ? html`<span class="muted">${hasValues ? 'nothing' : 'not kept'}</span>` : html`<code>${received}</code>`}
                    </td>
                  </tr> `,
              ),
            )}
          </div>`
    }
    ${hasValues || faults.length === 0 ? null : html`<p class="muted small">Values are kept where the body is recorded.</p>`}
    ${more > 0 ? cutMark(`${countOf(more, 'more fault')} not kept.`) : null}
    ${
      input === null
        ? null
        : fold(
            'Input',
            html`<div class="value" tabindex="0" role="group" aria-label="Input">${valueView(plainTree(input))}</div>`,
          )
    }
  </article> `
}
