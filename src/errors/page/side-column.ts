// The column beside the source: the log before the error, values of the errors, and how often it was seen.

import { wallMs } from '../../base/timing/builtins.ts'
import { formatAge, formatDuration } from '../../base/html/components.ts'
import { html, type SafeHtml, styleSheet } from '../../base/html/html.ts'
import { fillPlaceholders, isProblem, type LogRecord } from '../../base/log/logger.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import type { SeenErrors } from '../error-family.ts'
import type { ErrorView } from '../error-view.ts'
import type { ErrorChain, FlattenedError } from '../flattened-error.ts'
import { levelTone } from './log.ts'
import { countOf, PageBudget, verbatim } from '../../base/html/page-budget.ts'

const columnBytes = 40_000
const maxProperties = 40
const maxErrors = 30
const recentLines = 8

/** `profilerPath`: `/_profiler`, or `null` without a profiler. */
export function sideColumn(view: ErrorView, profilerPath: string | null): SafeHtml {
  const { seen } = view
  return html`<aside class="side" aria-label="About this error">
    ${logBefore(view)} ${valuesPart(view.chain)}
    ${seen === undefined ? null : part('Seen', seenText(seen, profilerPath))}
  </aside>`
}

function part(title: string, content: SafeHtml): SafeHtml {
  return html`<section>
    <h2 class="label">${title}</h2>
    ${content}
  </section>`
}

/** All warnings and errors, and the newest other lines, without the line about the error itself. */
function logBefore({ log, reference }: ErrorView): SafeHtml | null {
  const before = log.filter(({ context }) => context['reference'] !== reference)
  if (before.length === 0) return null
  const shown = before.filter((record, index) => isProblem(record.level) || index >= before.length - recentLines)
  const budget = new PageBudget(columnBytes)
  const lines = budget.list(shown, (record) => budget.spend(logLine(record)), {
    rest: (missing) => html`<li><a href="#log">${countOf(missing, 'more line')}</a></li>`,
  })
  const hidden = before.length - shown.length
  return part(
    'Log before the error',
    html`${hidden === 0 ? null : html`<p><a href="#log">${countOf(hidden, 'earlier line')}</a></p>`}
      <ol class="side-log">
        ${lines}
      </ol>`,
  )
}

function logLine(record: LogRecord): SafeHtml {
  const { level, timeMs } = record
  const mark = isProblem(level) ? html`<strong class="tone-${levelTone(level)}">${level}</strong> ` : null
  return html`<li>
    <span class="muted">+${formatDuration(timeMs)}</span> ${mark}${verbatim(fillPlaceholders(record), 2000)}
  </li> `
}

/** Own properties of every error; nothing if there are none. */
export function valuesPart(chain: ErrorChain): SafeHtml | null {
  const holders = everyError(chain).filter((error) => propertiesOf(error).length > 0)
  if (holders.length === 0) return null
  const budget = new PageBudget(columnBytes)
  const lists = budget.list(holders, (error) => valueList(error, holders.length > 1, budget), {
    maxItems: maxErrors,
    rest: (missing) => html`<p class="muted">${countOf(missing, 'more error')} not shown.</p>`,
  })
  return part('Values', html`${lists}`)
}

function everyError({ errors }: ErrorChain): FlattenedError[] {
  return errors.flatMap((error) => [error, ...error.members.flatMap(everyError)])
}

// The code is next to the class.
function propertiesOf({ properties, code }: FlattenedError): FlattenedError['properties'] {
  return properties.filter(({ name }) => name !== 'code' || code === null)
}

function valueList(error: FlattenedError, isNamed: boolean, budget: PageBudget): SafeHtml {
  const items = budget.list(
    propertiesOf(error),
    ({ name, value }) =>
      budget.spend(html`<li><span class="muted">${cutText(name, 200)}:</span> ${verbatim(value, 2200)}</li> `),
    {
      maxItems: maxProperties,
      rest: (missing) =>
        html`<li class="muted">${countOf(missing, 'more property', 'more properties')} not shown.</li>`,
    },
  )
  return html`${isNamed ? html`<p class="mono muted">${cutText(error.className, 100)}</p>` : null}
    <ul class="mono values" aria-label="Own properties of ${cutText(error.className, 100)}">
      ${items}
    </ul>`
}

/** What the log, the profiler and an operator know the error by. `profilerPath`: `/_profiler`, or `null` without a profiler. */
export function idsLine(view: ErrorView, profilerPath: string | null): SafeHtml {
  const { errorHandler, subRequestToken, reference, token } = view
  return html`<p class="small muted row">
    <span>Error ID <span class="mono">${reference}</span></span>
    ${errorHandler === null ? null : html`<span>Forwarded to ${errorHandler}${subRequestLink(subRequestToken, profilerPath)}</span>`}
    <span>${token === null ? 'Not recorded' : tokenLink('Profile ', token, profilerPath)}</span>
  </p>`
}

function seenText({ family, count, firstAt }: SeenErrors, profilerPath: string | null): SafeHtml {
  if (count === 1) return html`<p>First time since start.</p>`
  const link =
    profilerPath === null || family.length > longestFilter
      ? null
      : html` · <a href="${`${profilerPath}/?family=${encodeURIComponent(family)}`}">all of them</a>`
  const age = formatAge(wallMs() - firstAt)
  return html`<p>
    ${countOf(count, 'time')} in the last <time datetime="${new Date(firstAt).toISOString()}">${age}</time>${link}
  </p>`
}

/** Characters that a filter of the list takes. */
const longestFilter = 500

/** ` (3h5s0nl8ohym)`: the sub-request that rendered the page. */
function subRequestLink(token: string | null, profilerPath: string | null): SafeHtml | null {
  if (token === null) return null
  return html` (${tokenLink('', token, profilerPath)})`
}

function tokenLink(title: string, token: string, profilerPath: string | null): SafeHtml {
  const text = html`${title}<span class="mono">${token}</span>`
  return profilerPath === null ? text : html`<a href="${profileAddress(token, profilerPath, 'request')}">${text}</a>`
}

/** `/_profiler/0123456789ab?panel=exception&type=request` */
export function profileAddress(token: string, profilerPath: string, panel: string): string {
  return `${profilerPath.replace(/\/+$/, '')}/${token}?panel=${panel}&type=request`
}

/** Comes after `themeStyles`. */
export const sideStyles: SafeHtml = styleSheet(`
.with-side { display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--space-4) var(--space-6); align-items: start }
.side { display: grid; gap: var(--space-4); font-size: var(--size-small); grid-template-columns: minmax(0, 1fr) }
.side .label { margin-bottom: var(--space-1) }
.side li, .side p { overflow-wrap: anywhere }
.side-log { font-family: var(--mono); font-size: .75rem; line-height: 1.55 }
.side-log strong { color: var(--tone-ink) }
.values { font-size: .75rem; line-height: 1.6 }
@media (min-width: 62rem) { .page > .with-side { grid-template-columns: minmax(0, 1fr) 17rem } }
@media (max-width: 62rem) { .side { grid-template-columns: repeat(auto-fit, minmax(min(16rem, 100%), 1fr)) } }
`)
