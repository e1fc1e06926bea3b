// The filters above the list of profiles: the usual ones at hand, the others folded away until one of them is set. On narrow
// windows all are folded away until then: the list comes first.

import { fold } from '../../framework/html/components.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import { findingLabels } from './profile-headline.ts'
import { filterNames, filters, type FilterName } from '../query/filters.ts'
import type { ListQuery } from './list-query.ts'
import { narrowFold, textField } from './form-parts.ts'

const usual: ReadonlySet<FilterName> = new Set(['url', 'status', 'method', 'duration', 'finding'])
const rareFilters = filterNames.filter((name) => !usual.has(name))

/** The page that the filters are for. */
export interface FormTarget {
  /** Below the profiler's path. */
  readonly path: string
  /** Other parameters of its address. */
  readonly parts: readonly (readonly [name: string, value: string])[]
}

const theList: FormTarget = { path: '', parts: [] }

/** A form that works without a script: the address carries the filters. */
export function listForm(query: ListQuery, profilerPath: string, target: FormTarget = theList): SafeHtml {
  const field = (name: FilterName, hint: string, className?: string): SafeHtml =>
    textField({ name, label: filters[name].label, value: query.value(name), hint, className })
  const rare = html`<div class="filters">
    ${choice(query, 'error', { yes: 'thrown', no: 'none' })}
    ${choice(query, 'redirect', { yes: 'only redirects', no: 'no redirects' })}
    ${choice(query, 'type', { request: 'requests', command: 'commands' })}
    ${field('family', 'TypeError in src/prices.ts', 'wide')} ${field('route', 'product')}
    ${choice(query, 'matched', { yes: 'matched', no: 'not matched' })} ${field('ip', '127.0.0.1')}
    ${field('since', '2026-11-21T08:00')} ${field('until', '2026-11-21T09:00')} ${field('version', '2.1.0')}
    ${field('trace', '0af7651916cd43dd8448eb211c80319c', 'wide')} ${field('parent', 'token')}
    ${field('token', '4f7k2m9qx0ab')}
  </div>`
  const kept = query.isLive ? [...target.parts, ['live', '1'] as const] : target.parts
  const rest = new URLSearchParams(kept.map(([...pair]) => pair)).toString()
  const clear = `${profilerPath}/${target.path}${rest === '' ? '' : `?${rest}`}`
  const isOpen = query.isFiltered || query.problems.length > 0
  const fields = html`${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <div class="filters usual">
      ${field('url', '/products', 'wide')} ${field('status', '404 or 4xx')} ${field('method', 'GET')}
      ${field('duration', '100')} ${choice(query, 'finding', findingLabels)}
      <div class="row filter-buttons">
        <button class="button">Filter</button>
        ${query.isFiltered ? html`<a class="button" href="${clear}">Clear</a>` : null}
      </div>
    </div>
    ${fold('More filters', rare, { isOpen: rareFilters.some((name) => query.value(name) !== '') })}`
  return html`<form class="filter-form screen-only" action="${profilerPath}/${target.path}">
    ${narrowFold('Filters', isOpen, fields)}
  </form>`
}

function choice(query: ListQuery, name: FilterName, labels: Readonly<Record<string, string>>): SafeHtml {
  const chosen = query.value(name)
  return html`<label
    >${filters[name].label}<select class="field" name="${name}">
      ${Object.entries({ '': 'any', ...labels }).map(([value, label]) =>
        value === chosen
          ? html`<option value="${value}" selected>${label}</option> `
          : html`<option value="${value}">${label}</option> `,
      )}
    </select></label
  >`
}
