// Draws the status of the profiler.

import { keyValueTable } from '../../html/components.ts'
import { html, type SafeHtml } from '../../html/html.ts'
import { styleSheet } from '../../html/style-sheet.ts'
import { cutText } from '../../pages/page-budget.ts'
import type { RecorderStatus } from '../../profiler/keeping/recorder-status.ts'
import type { LimitInForce } from '../../profiler/keeping/recording-rules.ts'
import { statusFacts, type Fill, type StatusSection } from './status-facts.ts'

/** What is wrong, how full the store is, counts, cost and limits. */
export function statusContent(status: RecorderStatus): SafeHtml {
  const { problems, fills, sections } = statusFacts(status)
  return html`${problems.map((problem) => html`<p class="note tone-warning">${cutText(problem, 1000)}</p> `)}
    <section aria-labelledby="store">
      <h2 id="store">Store</h2>
      <p class="mono">${cutText(status.store.name, 300)}</p>
      ${fills.length === 0 ? html`<p class="empty">How full it is cannot be told while it cannot be read.</p>` : html`<div class="fills">${fills.map(meter)}</div>`}
    </section>
    <div class="status-sections">${sections.map(section)}</div>
    <section aria-labelledby="limits">
      <h2 id="limits">Limits in force</h2>
      ${limitTable(status.limits)}
    </section>`
}

function meter({ name, used, most, share }: Fill): SafeHtml {
  const tone = share >= 1 ? 'info' : 'neutral'
  return html`<div class="fill tone-${tone}">
    <span class="row spread"><b>${name}</b> <span>${used} of at most ${most}</span></span>
    <svg class="duration-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="lane" width="100" height="4" />
      <rect width="${(share * 100).toFixed(1)}" height="4" />
    </svg>
  </div> `
}

function section({ title, rows, remark }: StatusSection): SafeHtml {
  return html`<section>
    <h2>${title}</h2>
    ${keyValueTable(rows, { caption: title })}
    ${remark === undefined ? null : html`<p class="muted small">${remark}</p>`}
  </section> `
}

function limitTable(limits: readonly LimitInForce[]): SafeHtml {
  return html`<table class="table limits">
    <caption class="visually-hidden">
      Limits, and where each comes from
    </caption>
    <thead>
      <tr>
        <th scope="col">Limit</th>
        <th scope="col">Value</th>
        <th scope="col">From</th>
      </tr>
    </thead>
    <tbody>
      ${limits.map(
        ({ name, value, from }) =>
          html`<tr>
            <th scope="row">${cutText(name, 300)}</th>
            <td>${cutText(value, 300)}</td>
            <td class="mono small">${cutText(from, 100)}</td>
          </tr> `,
      )}
    </tbody>
  </table>`
}

/** Comes after the theme and the layout's own. */
export const statusStyles: SafeHtml = styleSheet(`
.fills { display: grid; gap: var(--space-3); max-width: 40rem }
.fill .duration-bar { height: 6px }
.status-sections { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 0 var(--space-8); align-items: start }
.status-sections .facts th { font-weight: 400; width: 60% }
.status-sections .facts td { overflow-wrap: anywhere }
.limits tbody th { font-weight: 400 }
.limits td { overflow-wrap: anywhere }
main > section:last-child { margin-bottom: var(--space-8) }
`)
