// The debug error page, from top to bottom. Complete without a script; every part is cut so that no page passes 1 MB.

import { badge } from '../../framework/html/components.ts'
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

// Joined once: nothing of it depends on the request.
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

/** What the page needs besides the facts. */
export interface ErrorPageOptions {
  /** From `createNonce()`; the answer's policy must name the same. */
  readonly nonce: string
  /** Where profiles are, `/_profiler`; `null` where there are none. */
  readonly profilerPath: string | null
  /** Makes links that open a place in the reader's editor. Default: none. */
  readonly editor?: EditorLink
  /** What the copy buttons copy. Default: no buttons. */
  readonly copy?: CopyTexts
}

/** The whole page, titled `Error 404 Not Found`. */
export function renderErrorPage(view: ErrorView, page: ErrorPageOptions): SafeHtml {
  return renderDocument({
    title: `Error ${view.statusCode} ${view.statusText}`,
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
                ${workTimeline(view.work)}
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

// Only a request that routing refused has near routes; only a known error has hints.
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

// A route that took the request and answers 404 itself is no matter of routing.
function isAboutRouting(view: ErrorView): boolean {
  return view.suggestions.length > 0 || (view.route === null && (view.statusCode === 404 || view.statusCode === 405))
}

/** The hints, one below the other; nothing when there is none. */
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
