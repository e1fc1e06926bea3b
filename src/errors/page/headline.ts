// The top of the error page: a strip with status and request; then class and message of what was thrown.

import { brandMark } from '../../base/html/arc.ts'
import { formatDuration, statusTone } from '../../base/html/components.ts'
import { html, type SafeHtml, styleSheet } from '../../base/html/html.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import type { ErrorView } from '../error-view.ts'
import type { ErrorChain, FlattenedError } from '../flattened-error.ts'
import { profileAddress } from './side-column.ts'

/** `tools` are at the end. `profilerPath`: `/_profiler`, or `null` without a profiler. */
export function strip(view: ErrorView, profilerPath: string | null, tools: SafeHtml | null): SafeHtml {
  const { token, durationMs, route, statusCode, chain } = view
  const request = `${view.method} ${view.url}`
  const isSaid = chain.errors[0]?.message.slice(0, 8192).includes(request) === true
  const isMiss = statusCode === 404 || statusCode === 405
  const facts = route === null ? (isMiss ? ['No route matched'] : []) : [`Route ${cutText(route, 300)}`]
  if (durationMs !== undefined) facts.push(`failed after ${formatDuration(durationMs)}`)
  return html`<header class="topbar strip tone-${statusTone(view.statusCode)}">
    <div class="page">
      ${profilerPath === null ? html`<span class="brand">${brandMark}</span>` : html`<a class="brand" href="${`${profilerPath}/`}" aria-label="Fanlight profiler">${brandMark}</a>`}
      <p class="badge badge-solid">Error ${view.statusCode} ${view.statusText}</p>
      ${
        isSaid
          ? null
          : html`<div class="strip-request">
              ${clamped(html`<p class="verbatim any-break">${cutText(request, 16_384)}</p>`, view.url.length > 160)}
            </div>`
      }
      <p class="muted small">${facts.join(' · ')}</p>
      <div class="row strip-tools screen-only">
        ${tools}
        ${
          token === null || profilerPath === null
            ? null
            : html`<a class="button" href="${profileAddress(token, profilerPath, 'exception')}">Open profile</a>`
        }
        <button class="button theme-switch" type="button" data-theme-switch hidden></button>
      </div>
    </div>
  </header>`
}

interface HeadlineOptions {
  readonly statusCode: number
  /** The message if nothing was thrown. */
  readonly fallback: string
  /** Shown in the corner. */
  readonly beside?: SafeHtml | null
  /** Whether the routes explain it: the class says nothing more. Default: `false`. */
  readonly isRouting?: boolean
  /** Whether the message is the title of the page. Default `true`. */
  readonly isTitle?: boolean
}

/** Class and message of the outermost error. An error alone has its number here. */
export function headline({ errors }: ErrorChain, options: HeadlineOptions): SafeHtml {
  const { statusCode, fallback, beside = null, isRouting = false, isTitle = true } = options
  const [outermost] = errors
  const text = cutText(outermost?.message || fallback, 8192)
  // What an assertion expected, for example, is in the lines below the first.
  const lines = text.split('\n', linesInView + 1).length
  const length = lines > 5 ? 'long lines ' : text.length > 240 ? 'long ' : text.length > 72 ? 'full ' : ''
  const className = `message ${length}verbatim`
  const message = isTitle
    ? html`<h1 class="${className}" dir="auto">${text}</h1>`
    : html`<p class="${className}" dir="auto">${text}</p>`
  return html`<section class="headline tone-${statusTone(statusCode)}" id="message" tabindex="-1">
    ${outermost === undefined || isRouting ? null : errorName(outermost, errors.length === 1 ? '[1/1]' : '')}
    ${clamped(message, text.length > 400 || lines > linesInView)}${beside}
  </section>`
}

/** `[1/2] TypeError ERR_CODE`; the number of a lone error is for readers of the text. */
export function errorName({ className, code }: FlattenedError, number: string): SafeHtml {
  return html`<span class="error-name"
    >${number === '' ? null : html`<span class="${number === '[1/1]' ? 'visually-hidden' : 'muted'}">${number}</span> `}<strong>${cutText(className, 200)}</strong>${
      code === null ? null : html` <span class="badge">${cutText(code, 100)}</span>`
    }</span
  >`
}

/** Of a message of many lines. */
const linesInView = 10

/** Shows a few lines; all of them when the reader asks. */
function clamped(content: SafeHtml, isClamped: boolean): SafeHtml {
  if (!isClamped) return content
  return html`<div class="clamp">${content}</div>
    <label class="clamp-switch small screen-only"><input type="checkbox" /> Show all</label>`
}

/** Comes after `themeStyles`. */
export const headlineStyles: SafeHtml = styleSheet(`
.strip > .page { flex-wrap: wrap; gap: var(--space-1) var(--space-4); padding-top: .3rem; padding-bottom: .3rem }
.any-break { word-break: break-all }
.strip-request { flex: 0 1 auto; min-width: 0; font-family: var(--mono); font-size: .875rem }
.strip-tools { margin-left: auto; gap: var(--space-2) }
.headline { display: grid; grid-template-columns: minmax(0, 1fr) auto; align-items: center; padding: var(--space-4) 0 var(--space-3) }
h2 + .headline { padding-top: 0 }
.headline > * { grid-column: 1 / -1 }
.headline > .error-name { grid-column: 1 }
.headline > :is(.reload, .copy) { grid-area: 1 / 2 }
@media (max-width: 40rem) { .headline > .reload { grid-area: auto / 1 / auto / -1 } }
.headline:focus { outline: none }
.message { font-weight: 600; font-size: var(--size-message); letter-spacing: -.01em; line-height: 1.25 }
.message.full { font-size: 1.25rem }
.message.long { font-size: 1.0625rem; line-height: 1.45 }
.message.lines { font: 500 .875rem/1.5 var(--mono); letter-spacing: 0 }
.message.lines::first-line { font-weight: 600 }
.error-name { font-family: var(--mono); font-size: .9rem; color: var(--tone-ink) }
.error-name .muted { font-size: .8125rem }
.error-name .badge { font-family: var(--font); font-weight: 500 }
.clamp { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden }
.clamp:has(> .lines) { -webkit-line-clamp: ${linesInView} }
.clamp:has(+ .clamp-switch :checked) { display: block }
.clamp-switch { display: inline-flex; justify-self: start; gap: .4em; align-items: center; min-height: 1.5rem; color: var(--link); cursor: pointer }

.strip .clamp { -webkit-line-clamp: 1 }
@media print { .clamp { display: block } }
@media (max-width: 40rem) { .strip-request { flex-basis: 100% } }
`)
