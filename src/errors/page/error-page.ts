// The debug error page: the cause first, with the reader's own code; then log, work and request. Complete without a script. Each part
// is cut, so no page is larger than 1 MB.

import { statusTone, badge, fold, formatDuration } from '../../base/html/components.ts'
import { renderDocument } from '../../base/html/document.ts'
import { type SafeHtml, html, trusted, scriptBlock, styleSheet } from '../../base/html/html.ts'
import { themeScript, themeStyles } from '../../base/html/theme.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { type ErrorView, workSummary, type RequestWork, type Work } from '../error-view.ts'
import { type CopySource, copyMenu, copyScript, copyStyles, runAgain, runAgainScript } from './buttons.ts'
import { type EditorLink, placeLink } from '../../http/config/editor-link.ts'
import { errorPageStyles, traceStyles } from './error-page-styles.ts'
import { candidateList, hintCards } from './explanation.ts'
import { headline, strip } from './headline.ts'
import { logFilter, logFilterScript, logFilterStyles, logStyles, logTable } from './log.ts'
import { requestSection, requestStyles } from './request-section.ts'
import { pathOf, routeList, routeScript, routingStyles, suggestionList } from './routing-help.ts'
import { idsLine, sideColumn } from './side-column.ts'
import type { Drawn } from '../drawn.ts'
import { traceList } from './trace-list.ts'
import type { WorkRepeat } from '../../http/recording/recording.ts'
import { countOf, cutMark, PageBudget } from '../../base/html/page-budget.ts'

interface ErrorPageOptions {
  /** From `createNonce()`; the policy of the response must contain the same. */
  readonly nonce: string
  /** Path of the profiler, `/_profiler`; `null` without one. */
  readonly profilerPath: string | null
  /** Links places to the reader's editor. Default: no links. */
  readonly editor?: EditorLink
  /** What the menu copies. Default: no menu. */
  readonly copy?: CopySource
  /** Pieces of other pages. Default: none. */
  readonly drawn?: Drawn<SafeHtml>
}

export function renderErrorPage(view: ErrorView, page: ErrorPageOptions): SafeHtml {
  const { profilerPath, copy, nonce } = page
  const { statusCode, chain } = view
  const isRouting = isAboutRouting(view)
  const filter = logFilter(view.log)
  const reload = reloadNote(view, profilerPath)
  return renderDocument({
    title: titleOf(view),
    styles: [
      styles,
      ...(isRouting ? [routingStyles] : []),
      ...(view.work === undefined ? [] : [workStyles]),
      ...(filter === null ? [] : [logFilterStyles]),
    ],
    headScript: themeScript,
    script: [
      copyScript,
      runAgainScript,
      ...(reload === null ? [] : [reloadScript]),
      ...(isRouting ? [routeScript] : []),
      ...(filter === null ? [] : [logFilterScript]),
    ],
    tone: statusTone(statusCode),
    nonce,
    body: html`<a class="skip-link" href="#message">Skip to the message</a>
      ${strip(view, profilerPath, copy === undefined ? null : copyMenu(copy))}
      <main class="page">
        ${headline(chain, { statusCode, fallback: statusLine(view), beside: reload, isRouting })}
        ${isRouting ? routingHelp(view, page) : null} ${errorsPart(view, page, isRouting)}
        ${
          view.token === null
            ? null
            : part(
                { id: 'log', title: 'Log', beside: filter, isFolded: isRouting },
                countOf(view.log.length, 'line'),
                logTable(view.log),
              )
        }
        ${
          view.work === undefined
            ? null
            : html`<section class="section" id="work">
                <h2>Work so far</h2>
                ${workTimeline(view.work, page.editor)}
              </section>`
        }
        ${part(
          { id: 'request', title: 'Request', beside: null, isFolded: isRouting },
          countOf(view.requestHeaders.length, 'header'),
          html`${requestSection(view)}${idsLine(view, profilerPath)}`,
        )}
      </main>`,
  })
}

function statusLine({ statusCode, statusText }: ErrorView): string {
  return `Error ${statusCode} ${statusText}`
}

const maxTitleMessage = 80

/** `TypeError: no price · /cart · Error 500 Internal Server Error`; of 404 and 405 the status alone (SPEC 4.1). */
function titleOf(view: ErrorView): string {
  const [outermost] = view.chain.errors
  const { statusCode, url } = view
  if (outermost === undefined || statusCode === 404 || statusCode === 405) return statusLine(view)
  const [line = ''] = outermost.message.split('\n', 1)
  return [`${cutText(outermost.className, 100)}: ${short(line)}`, short(pathOf(url) ?? url), statusLine(view)].join(
    ' · ',
  )
}

function short(text: string): string {
  return text.length > maxTitleMessage ? `${text.slice(0, maxTitleMessage)}…` : text
}

/** A section; folded, its title says how much there is. */
function part(
  { id, title, beside, isFolded }: { id: string; title: string; beside: SafeHtml | null; isFolded: boolean },
  amount: string,
  content: SafeHtml,
): SafeHtml {
  if (isFolded)
    return html`<section id="${id}">
      ${fold(`${title} · ${amount}`, html`${beside}${content}`, { className: 'folded' })}
    </section>`
  return html`<section class="section" id="${id}">
    <div class="section-head">
      <h2>${title}</h2>
      ${beside}
    </div>
    ${content}
  </section>`
}

/** The errors, and what is beside them; folded where the routes are what helps. */
function errorsPart(view: ErrorView, { editor, profilerPath, drawn }: ErrorPageOptions, isRouting: boolean): SafeHtml {
  const { chain, statusCode } = view
  const errors = html`<div class="with-side">
    <div class="tone-${statusTone(statusCode)}">
      ${traceList(chain, { ...view, editor, drawn, isUnderHeadline: !isRouting, isFolded: isRouting })}
    </div>
    <div>${isRouting ? null : runAgainWithValues(view, profilerPath)}${sideColumn(view, profilerPath)}</div>
  </div>`
  if (!isRouting) return errors
  const names = chain.errors.map(({ className }) => cutText(className, 100))
  return fold(names.length === 0 ? 'Errors' : names.slice(0, 4).join(' ← '), errors, { className: 'folded' })
}

/** For a request without a route: the nearest routes, who led here, hints, and all routes. */
function routingHelp(view: ErrorView, { editor, profilerPath }: ErrorPageOptions): SafeHtml {
  const { suggestions, attempts, candidates = [], hints = [], method, url, requestHeaders } = view
  const told = new Set(suggestions.map(({ definedAt }) => definedAt))
  const referer = requestHeaders.find(([name]) => name.toLowerCase() === 'referer')?.[1]
  return html`<section class="did-you-mean" id="did-you-mean">
      ${suggestionList(suggestions, editor)}
      ${
        referer === undefined
          ? null
          : html`<p class="small muted">Linked from <a href="${referer}">${cutText(referer, 300)}</a></p>`
      }
      ${hintCards(hints)}
      ${candidateList(
        candidates.filter(({ file, line }) => !told.has(`${file}:${line}`)),
        editor,
      )}
    </section>
    ${attempts === undefined ? null : routeList(attempts, { profilerPath, method, url, told: new Set(suggestions.map(({ routeName }) => routeName)) })}`
}

/** What may change something is asked for on a page of its own. */
function runAgainWithValues({ method, url, token }: ErrorView, profilerPath: string | null): SafeHtml | null {
  if (profilerPath === null || token === null) return null
  if (method === 'GET') return runAgain([url], 'Run again with values', 'code', 'exception')
  return html`<p class="screen-only run-again">
    <a class="button" href="${`${profilerPath}/${token}/replay`}">Run again with values</a>
    <span class="muted small">Asks first: ${cutText(method, 40)} may change something.</span>
  </p>`
}

// A 404 from a handler has nothing to do with routing.
function isAboutRouting({ suggestions, route, statusCode }: ErrorView): boolean {
  return suggestions.length > 0 || (route === null && (statusCode === 404 || statusCode === 405))
}

/** Says that the page reloads itself, with a way to stop that. Only for requests that change nothing. */
function reloadNote({ method, token }: ErrorView, profilerPath: string | null): SafeHtml | null {
  if (profilerPath === null || (method !== 'GET' && method !== 'HEAD')) return null
  const changes = `${profilerPath}/changes${token === null ? '' : `?token=${token}`}`
  return html`<p class="reload small muted screen-only" data-changes="${changes}" hidden>
    <span role="status"></span> <button type="button"></button>
  </p>`
}

/**
 * Asks every second while the page can be seen. A change counts when three responses agree on it: until then the server may be about to
 * restart. A profile that is gone counts as a change, because a restart loses profiles in memory. Never asks again after a refusal.
 */
const reloadScript: SafeHtml = scriptBlock(`
(() => {
  const note = document.querySelector('[data-changes]');
  if (!note) return;
  const [text, button] = note.children;
  const key = 'fanlight-reload';
  const stored = () => { try { return sessionStorage.getItem(key) } catch { return null } };
  const keep = (value) => { try { sessionStorage.setItem(key, value) } catch {} };
  let known, last, agreed = 0, misses = 0, timer;
  const ask = async () => {
    let stamp;
    if (!document.hidden) {
      try {
        const response = await fetch(note.dataset.changes, { cache: 'no-store' });
        if (response.ok) stamp = (await response.json()).stamp;
        else if (response.status === 404) stamp = 'gone';
        else if (response.status < 500) { note.hidden = true; return }
      } catch {}
      agreed = stamp !== undefined && stamp === last ? agreed + 1 : 0;
      last = stamp;
      if (known === undefined && stamp !== 'gone') known = stamp;
      if (known === undefined && ++misses > 9) { note.hidden = true; return }
      if (known !== undefined && stamp !== known && agreed > 1) { location.reload(); return }
    }
    timer = setTimeout(ask, known !== undefined && last !== known ? 400 : 1000);
  };
  const show = (isOn) => {
    const cause = note.dataset.changes.includes('?') ? 'the source changes' : 'the application starts again';
    text.textContent = isOn ? 'Reloads when ' + cause + ' ·' : 'Does not reload ·';
    button.textContent = isOn ? 'Stop' : 'Start';
    clearTimeout(timer);
    if (isOn) ask();
  };
  button.addEventListener('click', () => {
    const isOn = stored() === 'off';
    keep(isOn ? 'on' : 'off');
    show(isOn);
  });
  note.hidden = false;
  show(stored() !== 'off');
})();
`)

/** Comes after `themeStyles`. */
const reloadStyles: SafeHtml = styleSheet(`
.reload button { min-height: 1.5rem; padding: 0 .2em; border: 0; background: none; color: var(--link); font: inherit; text-decoration: underline; cursor: pointer }
`)

// Joined once, because they do not depend on the request.
const styles = trusted(
  [themeStyles, ...traceStyles, logStyles, requestStyles, copyStyles, reloadStyles, errorPageStyles].join('\n'),
)

const workBytes = 30_000
/** Width of the timeline, and of the narrowest visible bar. */
const scale = 1000
const minWidth = 6

/** Default: places are not links to an editor. */
export function workTimeline(work: RequestWork, editor?: EditorLink): SafeHtml {
  const budget = new PageBudget(workBytes)
  const rows = budget.list(work.work, (piece) => budget.spend(workRow(piece, work.durationMs, editor)), {
    rest: (missing) => html`<li>${cutMark(`${countOf(missing, 'more row')} not shown: the page is full.`)}</li>`,
  })
  return html`<p class="muted small">${workSummary(work)}; failed after ${formatDuration(work.durationMs)}.</p>
    ${work.repeats.map((repeat) => budget.spend(repeatNote(repeat, editor)))}
    <ol class="card work">
      ${rows}
    </ol>`
}

function repeatNote({ kind, count, callSite, text }: WorkRepeat, editor: EditorLink | undefined): SafeHtml {
  const what = kind === 'n+1' ? `${count} queries alike` : `${count} times the same query`
  return html`<p class="work-repeat">
    ${badge(kind === 'n+1' ? 'N+1' : 'duplicate', 'warning')}
    ${what}${callSite === null ? null : html` from ${placeLink(callSite, editor)}`}: <code>${cutText(text, 300)}</code>
  </p> `
}

function workRow(piece: Work, totalMs: number, editor: EditorLink | undefined): SafeHtml {
  const { name, detail, startMs, durationMs, isFailed, result, callSite } = piece
  const took = durationMs === null ? 'not ended' : formatDuration(durationMs)
  return html`<li>
    <span class="work-name"
      ><b>${cutText(name, 200)}</b>${isFailed ? html` ${badge('failed', 'error')}` : null}${
        detail === null ? null : html` <code>${cutText(detail, 300)}</code>`
      }</span
    >
    <span class="work-time muted small">+${formatDuration(startMs)} · ${took}</span>
    ${
      result === null && callSite === null
        ? null
        : html`<span class="work-result small"
            >${result === null ? null : cutText(result, 300)}${result === null || callSite === null ? null : ' · '}${
              callSite === null ? null : placeLink(callSite, editor)
            }</span
          >`
    }
    ${workBar(piece, totalMs)}
  </li> `
}

// Hidden from screen readers: the same times are beside it in words.
function workBar({ startMs, durationMs, category, isFailed }: Work, totalMs: number): SafeHtml {
  const place = (ms: number): number => (totalMs > 0 ? Math.min(Math.max((ms / totalMs) * scale, 0), scale) : 0)
  const left = Math.min(place(startMs), scale - minWidth)
  const width = Math.max(minWidth, place(startMs + (durationMs ?? totalMs)) - left)
  const kind = isFailed ? 'failed' : (kinds.get(category) ?? 'own')
  return html`<svg class="work-bar" viewBox="0 0 ${scale} 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="lane" width="${scale}" height="6" />
    <rect class="work-${kind}" x="${left.toFixed(0)}" width="${width.toFixed(0)}" height="6" />
  </svg>`
}

const kinds: ReadonlyMap<string, string> = new Map([
  ['store', 'store'],
  ['http', 'http'],
])

/** Comes after `themeStyles`. */
const workStyles: SafeHtml = styleSheet(`
.work { margin-top: var(--space-2) }
.work > li { display: grid; grid-template-columns: minmax(0, 1fr) max-content; gap: .15rem var(--space-4); padding: var(--space-2) var(--space-4) }
.work > li + li { border-top: 1px solid var(--line) }
.work-name { overflow-wrap: anywhere }
.work-repeat { margin-top: var(--space-2); overflow-wrap: anywhere }
.work-result { grid-column: 1 / -1; overflow-wrap: anywhere }
.work-name code { color: var(--muted); font-size: .8125rem }
.work-bar { grid-column: 1 / -1; display: block; width: 100%; height: .3rem }
.work-bar .lane { fill: var(--raised) }
.work-own { fill: light-dark(#6b7a90, #8593a8) } .work-store { fill: light-dark(#a4760a, #d9a62e) }
.work-http { fill: light-dark(#8f45b0, #bd7edb) } .work-failed { fill: light-dark(#c2332b, #f0736a) }
@media (max-width: 40rem) { .work > li { grid-template-columns: minmax(0, 1fr); padding: var(--space-2) var(--space-3) } }
`)
