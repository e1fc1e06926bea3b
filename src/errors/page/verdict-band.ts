// The top of the error page: what came of which request, who answered, and where the records of both are.

import { statusTone } from '../../framework/html/components.ts'
import { html } from '../../framework/html/html.ts'
import type { SafeHtml } from '../../framework/html/html.ts'
import { styleSheet } from '../../framework/html/style-sheet.ts'
import type { ErrorView } from '../error-view.ts'
import { cutText } from './page-budget.ts'
import { verbatim } from './verbatim.ts'

/** The band. `profilerPath` is where profiles are (`/_profiler`), or `null` where there are none to link to. */
export function verdictBand(view: ErrorView, profilerPath: string | null): SafeHtml {
  return html`<header class="band verdict tone-${statusTone(view.statusCode)}">
    <div class="page">
      <div class="row spread">
        <p class="verdict-status">Error ${view.statusCode} ${view.statusText}</p>
        <button class="button theme-switch" type="button" data-theme-switch hidden></button>
      </div>
      <p class="verdict-request"><code>${verbatim(`${view.method} ${view.url}`, 16_384)}</code></p>
      <ul class="verdict-facts">
        <li>
          Forwarded to ${view.errorHandler}${inBrackets(tokenLink(view.subRequestToken, profilerPath, 'request'))}
        </li>
        <li>Token ${tokenLink(view.token, profilerPath, 'exception') ?? 'none: nothing is recorded'}</li>
        <li>Route ${view.route === null ? 'none' : cutText(view.route, 300)}</li>
        <li>Reference <span class="mono">${view.reference}</span></li>
      </ul>
    </div>
  </header>`
}

function inBrackets(content: SafeHtml | null): SafeHtml | null {
  return content === null ? null : html` (${content})`
}

function tokenLink(token: string | null, profilerPath: string | null, panel: string): SafeHtml | null {
  if (token === null) return null
  if (profilerPath === null) return html`<span class="mono">${token}</span>`
  const base = profilerPath.replace(/\/+$/, '')
  return html`<a class="mono" href="${base}/${token}?panel=${panel}&amp;type=request">${token}</a>`
}

/** Comes after `themeStyles`. */
export const verdictStyles: SafeHtml = styleSheet(`
.verdict { padding: var(--space-4) 0 }
.verdict-status { font-size: var(--size-large); font-weight: 650; letter-spacing: .005em }
.verdict-request { margin-top: var(--space-2); font-size: 1rem; line-height: 1.45 }
.verdict > .page > .row { flex-wrap: nowrap; align-items: flex-start }
.verdict-facts { display: flex; flex-wrap: wrap; margin-top: var(--space-2); align-items: baseline; gap: var(--space-1) var(--space-6); font-size: var(--size-small) }
`)
