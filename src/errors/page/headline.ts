// The top of the error page: status, request and profile; then the message, its place and its causes.

import { statusTone } from '../../framework/html/components.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import { styleSheet } from '../../framework/html/style-sheet.ts'
import { cutText } from '../../framework/redact/cut-text.ts'
import type { ErrorView } from '../error-view.ts'
import type { ErrorChain, Frame } from '../flattened-error.ts'
import { framePlace } from '../trace-lines.ts'
import { countOf, verbatim } from './page-budget.ts'

const maxCauses = 5

/** Class, message, place and causes, linked to the errors below. */
export function headline(view: ErrorView): SafeHtml {
  const outermost = view.chain.errors[0]
  const message = outermost?.message || `Error ${view.statusCode} ${view.statusText}`
  const size = message.length > 240 ? 'long' : 'short'
  return html`<section class="headline tone-${statusTone(view.statusCode)}" id="message" tabindex="-1">
    ${outermost === undefined ? null : html`<p class="headline-class mono">${cutText(outermost.className, 200)}</p>`}
    <h1 class="${size}">${verbatim(message, 8192)}</h1>
    ${clues(view.chain)}
  </section>`
}

function clues(chain: ErrorChain): SafeHtml | null {
  const total = chain.errors.length
  const place = placeOf(chain)
  const causes = chain.errors
    .slice(1, 1 + maxCauses)
    .map((error, index) =>
      clue('caused by', total - 1 - index, html`${cutText(error.className, 120)}: ${cutText(error.message, 200)}`),
    )
  if (place === null && causes.length === 0) return null
  const missing = total - 1 - causes.length
  return html`<dl class="clues">
    ${place}${causes}${
      missing > 0
        ? html`<dt></dt>
            <dd class="muted">${countOf(missing, 'more cause')}</dd>`
        : null
    }
  </dl>`
}

// The outermost error may have no own code, as one from fetch: then a cause tells where.
function placeOf(chain: ErrorChain): SafeHtml | null {
  const total = chain.errors.length
  for (const [index, { frames }] of chain.errors.entries()) {
    const own = frames.find(({ origin }) => origin === 'own')
    if (own !== undefined) return clue('at', total - index, frameText(own))
  }
  const first = chain.errors[0]?.frames[0]
  return first === undefined ? null : clue('at', total, frameText(first))
}

function frameText(frame: Frame): SafeHtml {
  const place = html`<code>${cutText(framePlace(frame), 320)}</code>`
  return frame.functionName === null ? place : html`${cutText(frame.functionName, 200)} ${place}`
}

function clue(term: string, number: number, content: SafeHtml): SafeHtml {
  return html`<dt>${term}</dt>
    <dd><a href="#error-${number}">${content}</a></dd>`
}

/** `profilerPath`: `/_profiler`, or `null` without a profiler. */
export function verdictBand(view: ErrorView, profilerPath: string | null): SafeHtml {
  return html`<header class="band verdict tone-${statusTone(view.statusCode)}">
    <div class="page">
      <div class="row spread">
        <p class="verdict-status">Error ${view.statusCode} ${view.statusText}</p>
        <button class="button theme-switch" type="button" data-theme-switch hidden></button>
      </div>
      <p class="verdict-request"><code>${verbatim(`${view.method} ${view.url}`, 16_384)}</code></p>
      <ul class="verdict-facts">
        <li>Forwarded to ${view.errorHandler}${subRequestLink(view.subRequestToken, profilerPath)}</li>
        <li>${profileLink(view.token, profilerPath)}</li>
        <li>${view.route === null ? 'No route matched' : `Route ${cutText(view.route, 300)}`}</li>
        <li>Error ID <span class="mono">${view.reference}</span></li>
      </ul>
    </div>
  </header>`
}

/** ` (3h5s0nl8ohym)`: the sub-request that rendered the page. */
function subRequestLink(token: string | null, profilerPath: string | null): SafeHtml | null {
  if (token === null) return null
  const text = html`<span class="mono">${token}</span>`
  return html` (${profilerPath === null ? text : html`<a href="${profileAddress(token, profilerPath, 'request')}">${text}</a>`})`
}

function profileLink(token: string | null, profilerPath: string | null): SafeHtml | string {
  if (token === null) return 'Not recorded'
  const text = html`<span class="mono">${token}</span>`
  if (profilerPath === null) return html`Profile ${text}`
  return html`<a href="${profileAddress(token, profilerPath, 'exception')}">Open profile ${text}</a>`
}

function profileAddress(token: string, profilerPath: string, panel: string): string {
  return `${profilerPath.replace(/\/+$/, '')}/${token}?panel=${panel}&type=request`
}

/** Comes after `themeStyles`. */
export const verdictStyles: SafeHtml = styleSheet(`
.verdict { padding: var(--space-4) 0 }
.verdict-status { font-size: var(--size-large); font-weight: 650; letter-spacing: .005em }
.verdict-request { margin-top: var(--space-2); font-size: 1rem; line-height: 1.45 }
.verdict > .page > .row { flex-wrap: nowrap; align-items: flex-start }
.verdict-facts { display: flex; flex-wrap: wrap; margin-top: var(--space-2); align-items: baseline; gap: var(--space-1) var(--space-6); font-size: var(--size-small) }
`)
