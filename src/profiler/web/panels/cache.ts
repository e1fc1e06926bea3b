// Draws what the request asked of caches, and how much of it was there.

import { badge, columnHead, dataTable, emptyState, formatDuration } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { countOf, PageBudget } from '../../../errors/page/page-budget.ts'
import { placeLink, type EditorLink } from '../../../errors/page/editor-link.ts'
import type { CacheData } from '../../collectors/cache.ts'
import { keptMark } from '../notes.ts'
import type { Panel } from '../panel.ts'
import { figureRow } from './figures.ts'

const listBytes = 600_000

type Access = CacheData['entries'][number]

export const cachePanel: Panel<CacheData> = {
  name: 'cache',
  title: 'Cache',
  hidesWhenEmpty: true,
  badge: ({ entries, dropped }) => {
    const failed = entries.filter(({ error }) => error !== null).length
    const { hits, reads } = tallyOf(entries)
    const hint = `${hits} of ${countOf(reads, 'read')} hit, ${countOf(entries.length + dropped, 'access', 'accesses')}`
    if (failed > 0) return { count: failed, tone: 'error', hint: `${failed} failed; ${hint}` }
    return { count: entries.length + dropped, tone: 'neutral', hint }
  },
  render: (data, { editor }) => {
    if (data === undefined) {
      return emptyState(
        'No cache was read or written. lru-cache, bentocache and the client-side cache of redis are captured as they are; hand over a Map with observe(), and report caches of your own with beginCacheAccess().',
      )
    }
    const { entries, dropped } = data
    const budget = new PageBudget(listBytes)
    return html`${keptMark(entries.length, dropped, 'accesses')} ${figures(entries)} ${byCache(entries, budget)}
      <h3>In the order they began</h3>
      ${sequence(entries, budget, editor)}`
  },
}

interface Tally {
  readonly reads: number
  readonly hits: number
  readonly misses: number
  readonly writes: number
  /** `null` if no access was timed. */
  readonly totalMs: number | null
}

/** A stale value counts as a hit. */
function tallyOf(entries: readonly Access[]): Tally {
  const misses = entries.filter(({ outcome }) => outcome === 'miss').length
  const reads = entries.filter(({ outcome }) => outcome !== null).length
  const times = entries.flatMap(({ durationMs }) => durationMs ?? [])
  const totalMs = times.length === 0 ? null : times.reduce((sum, ms) => sum + ms, 0)
  return { reads, misses, hits: reads - misses, writes: entries.length - reads, totalMs }
}

function ratio({ hits, reads }: Tally): string {
  return reads === 0 ? '–' : `${Math.floor((hits / reads) * 100)} %`
}

function time({ totalMs }: Tally): string {
  return totalMs === null ? '–' : formatDuration(totalMs)
}

function figures(entries: readonly Access[]): SafeHtml {
  const tally = tallyOf(entries)
  return figureRow([
    [ratio(tally), 'Hit ratio'],
    [String(tally.hits), 'Hits'],
    [String(tally.misses), 'Misses'],
    [String(tally.writes), 'Writes and others'],
    [time(tally), 'Total time'],
  ])
}

/** Only if there are several. */
function byCache(entries: readonly Access[], budget: PageBudget): SafeHtml | null {
  const caches = [...Map.groupBy(entries, nameOf)]
  if (caches.length < 2) return null
  const row = ([name, own]: (typeof caches)[number]): SafeHtml => {
    const tally = tallyOf(own)
    return budget.spend(
      html`<tr>
        <th scope="row">${name}</th>
        <td class="number">${ratio(tally)}</td>
        <td class="number">${tally.hits}</td>
        <td class="number">${tally.misses}</td>
        <td class="number">${tally.writes}</td>
        <td class="number">${time(tally)}</td>
      </tr> `,
    )
  }
  const heads = ['Hit ratio', 'Hits', 'Misses', 'Others', 'Time'].map((title) => columnHead(title, 'number'))
  return html`<h3>Caches</h3>
    <div class="table-scroll" tabindex="0" role="region" aria-label="Caches">
      ${dataTable('caches', 'Caches', ['Cache', ...heads], budget.list(caches, row, { rest: (count) => restRow(count, 'cache') }))}
    </div>`
}

/** `prices`, `users (bentocache)`, `lru-cache 2`. */
function nameOf({ library, cache }: Access): string {
  if (library === null) return cache ?? 'without a name'
  if (cache === null) return library
  return library === 'lru-cache' ? `${library} ${cache}` : `${cache} (${library})`
}

/** Equal accesses in a row share a line. */
function sequence(entries: readonly Access[], budget: PageBudget, editor: EditorLink | undefined): SafeHtml {
  const runs: [Access, ...Access[]][] = []
  for (const entry of entries) {
    const last = runs.at(-1)
    if (last !== undefined && isSame(last[0], entry)) last.push(entry)
    else runs.push([entry])
  }
  const row = (run: (typeof runs)[number]): SafeHtml => {
    const [first] = run
    return budget.spend(
      html`<tr>
        <td class="number">${formatDuration(first.startMs)}</td>
        <td class="number">${time(tallyOf(run))}</td>
        <td>${first.outcome === null ? null : badge(first.outcome, tones[first.outcome])}</td>
        <td>
          ${run.length === 1 ? null : html`<b>${run.length} ×</b> `}${first.operation}
          ${first.key === null ? null : html`<code class="url">${first.key}</code>`}
          <span class="muted small"
            >${nameOf(first)}${first.callSite === null ? null : html` · ${placeLink(first.callSite, editor)}`}</span
          >
          ${first.error === null ? null : html`<p class="note tone-error">${first.error}</p>`}
        </td>
      </tr> `,
    )
  }
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="Accesses">
    ${dataTable(
      'accesses',
      'Accesses in the order they began',
      [columnHead('Start', 'number'), columnHead('Time', 'number'), 'Result', 'Access'],
      budget.list(runs, row, { rest: (count) => restRow(count, 'row') }),
    )}
  </div>`
}

const tones = { hit: 'success', stale: 'info', miss: 'warning' } as const

function isSame(one: Access, other: Access): boolean {
  return (['library', 'cache', 'operation', 'key', 'outcome', 'callSite', 'error'] as const).every(
    (name) => one[name] === other[name],
  )
}

function restRow(missing: number, what: string): SafeHtml {
  return html`<tr>
    <td colspan="6">${countOf(missing, `more ${what}`)} not shown.</td>
  </tr>`
}

export const cacheStyles: SafeHtml = styleSheet(`
.caches th { white-space: nowrap }
.accesses td:last-child { width: 99% }
@media (max-width: 40rem) { .accesses :is(td, th):first-child { display: none } }
`)
