// Draws what the pages of a request reported: their errors, how quick they were, and how they were loaded.

import { placeLink } from '../../http/config/editor-link.ts'
import { countOf, cutMark, PageBudget } from '../../base/html/page-budget.ts'
import {
  badge,
  emptyState,
  formatBytes,
  formatCount,
  formatDuration,
  formatTime,
  keyValueTable,
  type Tone,
} from '../../base/html/components.ts'
import { html, type SafeHtml } from '../../base/html/html.ts'
import { styleSheet } from '../../base/html/style-sheet.ts'
import { countBrowserErrors } from '../../observe/browser/browser-data.ts'
import type { BrowserData, BrowserError, BrowserView, NavigationFacts } from '../../observe/browser/browser-data.ts'
import { readPart } from '../../profiles/stored-data.ts'
import type { Panel, PanelView } from '../panel.ts'
import { callBar } from './call-bar.ts'

const listBytes = 600_000

export const browserPanel: Panel<BrowserData> = {
  name: 'browser',
  title: 'Browser',
  badge: (data) => {
    const count = countBrowserErrors(data)
    return count === 0 ? undefined : { count, tone: 'error', hint: countOf(count, 'error') }
  },
  render: (_data, view) => {
    const part = readPart(view.profile, 'browser')
    if (part.state === 'absent') {
      return emptyState('No report yet. Pages with the toolbar report two seconds after loading.')
    }
    if (part.state !== 'there')
      return emptyState('What the page reported is written in a form that this version does not know.')
    const { errors, views } = part.data
    const budget = new PageBudget(listBytes)
    const rest = (missing: number): SafeHtml => cutMark(`${countOf(missing, 'more error')} not shown.`)
    return html`${errors.length === 0 ? html`<p class="empty">No errors.</p>` : budget.list(errors, (error) => budget.spend(errorCard(error, view)), { rest })}
    ${views.map((one) => viewSection(one, views.length > 1))}`
  },
}

const kinds: Readonly<Record<BrowserError['kind'], string>> = {
  error: 'not caught',
  rejection: 'rejected promise',
  console: 'console.error',
}

function errorCard(error: BrowserError, { linkTo, editor, profile }: PanelView): SafeHtml {
  const { token, kind, className, message, place, count, url, time } = error
  const name = html`<b>${className}</b>`
  return html`<article class="card outgoing-call">
    <h3 class="outgoing-head">
      ${badge(kinds[kind], kind === 'console' ? 'warning' : 'error')}
      <span class="mono url"
        >${token === profile.token ? name : html`<a href="${linkTo(token, 'exception')}">${name}</a>`}: ${message}</span
      >
      ${count === 1 ? null : html`<span class="outgoing-time">${formatCount(count)} times</span>`}
    </h3>
    <p class="muted small">
      ${place === null ? null : html`${placeLink(place, editor)} · `}<time>${formatTime(time)}</time> · ${url}
    </p>
  </article> `
}

function viewSection(view: BrowserView, isNamed: boolean): SafeHtml {
  const { dropped, navigation, userAgent, time } = view
  return html`<section class="browser-view" aria-label="View of the page">
    ${isNamed ? html`<h3>View at ${formatTime(time)}</h3>` : null}
    ${dropped === 0 ? null : cutMark(`${countOf(dropped, 'error')} more: a page reports 20 different errors.`)}
    <div class="figures">${vitals.map((vital) => figure(vital, view.vitals[vital.name]))}</div>
    ${navigation === null ? null : loading(navigation)}
    <p class="muted small">${userAgent}</p>
  </section>`
}

interface Vital {
  readonly name: keyof BrowserView['vitals']
  readonly label: string
  /** Up to the first it is good, beyond the second poor. https://web.dev/articles/vitals */
  readonly bounds: readonly [good: number, poor: number]
}

const vitals: readonly Vital[] = [
  { name: 'lcpMs', label: 'Largest contentful paint', bounds: [2500, 4000] },
  { name: 'inpMs', label: 'Interaction to next paint', bounds: [200, 500] },
  { name: 'cls', label: 'Layout shift', bounds: [0.1, 0.25] },
  { name: 'fcpMs', label: 'First contentful paint', bounds: [1800, 3000] },
  { name: 'ttfbMs', label: 'Time to first byte', bounds: [800, 1800] },
]

function figure({ name, label, bounds: [good, poor] }: Vital, value: number | null): SafeHtml {
  const shown = value === null ? '–' : name === 'cls' ? String(Number(value.toFixed(3))) : formatDuration(value)
  const [rating, tone]: readonly [string, Tone] =
    value === null
      ? ['', 'neutral']
      : value <= good
        ? ['good', 'success']
        : value <= poor
          ? ['fair', 'warning']
          : ['poor', 'error']
  return html`<div class="card figure">
    <b>${shown} ${rating === '' ? null : badge(rating, tone)}</b><span>${label}</span>
  </div> `
}

function loading({ type, redirectCount, transferSize, steps }: NavigationFacts): SafeHtml {
  const totalMs = Math.max(0, ...steps.map(({ endMs }) => endMs))
  const facts = [
    type,
    ...(redirectCount === 0 ? [] : [countOf(redirectCount, 'redirect')]),
    transferSize === 0 ? 'from a cache' : formatBytes(transferSize),
  ]
  return html`<h4>Loading <span class="muted small">${facts.join(' · ')}</span></h4>
    ${keyValueTable(
      steps.map(({ name, startMs, endMs }) => [
        name,
        html`<span class="browser-step"
          >${callBar({ startMs, durationMs: endMs - startMs }, totalMs)}<span
            >${formatDuration(endMs - startMs)}</span
          ></span
        >`,
      ]),
      { caption: 'Loading of the page', empty: 'The browser has not told how it loaded the page.' },
    )}`
}

export const browserStyles: SafeHtml = styleSheet(`
.browser-view { margin-top: var(--space-6) }
.browser-view h4 { margin: var(--space-4) 0 var(--space-2) }
.browser-view .figure .badge { vertical-align: middle; color: var(--tone-ink); font-size: var(--size-tiny) }
.browser-step { display: grid; grid-template-columns: 1fr 5rem; gap: var(--space-3); align-items: center }
.browser-step > span { text-align: right; font-variant-numeric: tabular-nums }
`)
