// The debug error page, from top to bottom. Complete without a script. Each part is cut, so no page is larger than 1 MB.

import { badge, statusTone } from '../../framework/html/components.ts'
import { renderDocument } from '../../framework/html/document.ts'
import { html, trusted, type SafeHtml } from '../../framework/html/html.ts'
import { themeScript, themeStyles } from '../../framework/html/theme.ts'
import type { ErrorView } from '../error-view.ts'
import type { Hint } from '../hints/hint.ts'
import { maxHints } from '../hints/index.ts'
import { copyButtons, copyData, copyScript, copyStyles, type CopyTexts } from './copy-buttons.ts'
import { errorPageStyles } from './error-page-styles.ts'
import type { EditorLink } from './frame-item.ts'
import { headline, verdictBand, verdictStyles } from './headline.ts'
import { logFilter, logFilterScript, isProblem, logStyles, logTable } from './log-table.ts'
import { verbatim } from './page-budget.ts'
import { requestSection, requestStyles } from './request-section.ts'
import { attemptList, attemptStyles, suggestionList, suggestionStyles } from './routing-help.ts'
import { countErrors, traceList, traceStyles } from './trace-list.ts'
import { workStyles, workTimeline } from './work-timeline.ts'

// Joined once, because it does not depend on the request.
const styles = trusted(
  [
    themeStyles,
    verdictStyles,
    suggestionStyles,
    attemptStyles,
    traceStyles,
    logStyles,
    workStyles,
    requestStyles,
    copyStyles,
    errorPageStyles,
  ].join('\n'),
)

const scripts = trusted([copyScript, logFilterScript].join('\n'))

export interface ErrorPageOptions {
  /** From `createNonce()`; the policy of the response must contain the same. */
  readonly nonce: string
  /** Path of the profiler, `/_profiler`; `null` without one. */
  readonly profilerPath: string | null
  /** Links places to the reader's editor. Default: no links. */
  readonly editor?: EditorLink
  /** What the copy buttons copy. Default: no buttons. */
  readonly copy?: CopyTexts
}

export function renderErrorPage(view: ErrorView, page: ErrorPageOptions): SafeHtml {
  return renderDocument({
    title: `Error ${view.statusCode} ${view.statusText}`,
    tone: statusTone(view.statusCode),
    styles,
    headScript: themeScript,
    script: page.copy === undefined ? logFilterScript : scripts,
    nonce: page.nonce,
    body: html`<a class="skip-link" href="#message">Skip to the message</a>
      ${verdictBand(view, page.profilerPath)}
      <main class="page">
        ${headline(view)} ${jumpBar(view, page)} ${whatToDo(view, page)}
        <section class="section" id="errors">
          <h2>Exception</h2>
          ${traceList(view.chain, { editor: page.editor })}
        </section>
        <section class="section" id="log">
          <div class="section-head">
            <h2>Log</h2>
            ${logFilter(view.log)}
          </div>
          ${logTable(view.log)}
        </section>
        ${
          view.work === undefined
            ? null
            : html`<section class="section" id="work">
                <h2>Work so far</h2>
                ${workTimeline(view.work, page.editor)}
              </section>`
        }
        <section class="section" id="request">
          <h2>Request</h2>
          ${requestSection(view)}
        </section>
      </main>
      ${page.copy === undefined ? null : copyData(page.copy)}`,
  })
}

function jumpBar(view: ErrorView, page: ErrorPageOptions): SafeHtml {
  const problems = view.log.filter((record) => isProblem(record.level)).length
  return html`<nav class="jump screen-only" aria-label="On this page">
    <div class="tabs">
      ${hasWhatToDo(view) ? html`<a class="tab" href="#what-to-do">How to fix it ${badge(view.suggestions.length + (view.hints?.length ?? 0))}</a>` : null}
      <a class="tab" href="#errors">Exception ${badge(countErrors(view.chain), 'error')}</a>
      <a class="tab" href="#log">Log ${badge(view.log.length, problems > 0 ? 'warning' : 'neutral')}</a>
      ${view.work === undefined ? null : html`<a class="tab" href="#work">Work ${badge(view.work.total, view.work.work.some(({ isFailed }) => isFailed) ? 'error' : 'neutral')}</a>`}
      <a class="tab" href="#request">Request</a>
    </div>
    ${page.copy === undefined ? null : copyButtons()}
  </nav>`
}

// Only a request without a route has suggestions; only a known error has hints.
function whatToDo(view: ErrorView, { profilerPath, editor }: ErrorPageOptions): SafeHtml | null {
  if (!hasWhatToDo(view)) return null
  return html`<section class="section" id="what-to-do">
    <h2>How to fix it</h2>
    ${hintList(view.hints ?? [])}${isAboutRouting(view) ? suggestionList(view.suggestions, editor) : null}
    ${view.attempts === undefined ? null : attemptList(view.attempts, { method: view.method, url: view.url, profilerPath })}
  </section>`
}

function hasWhatToDo(view: ErrorView): boolean {
  return isAboutRouting(view) || (view.hints?.length ?? 0) > 0
}

// A 404 from a handler has nothing to do with routing.
function isAboutRouting(view: ErrorView): boolean {
  return view.suggestions.length > 0 || (view.route === null && (view.statusCode === 404 || view.statusCode === 405))
}

function hintList(hints: readonly Hint[]): SafeHtml | null {
  if (hints.length === 0) return null
  return html`<ul class="card hints">
    ${hints.slice(0, maxHints).map(hintItem)}
  </ul>`
}

function hintItem(hint: Hint): SafeHtml {
  return html`<li>
    <h3>${verbatim(hint.title, 300)}</h3>
    <p>${verbatim(hint.text, 2000)}</p>
  </li> `
}
