// The filters above the list of profiles: the usual ones and those that are set in one line, the others folded away. On narrow
// windows all are folded away until one is set: the list comes first. The search box is the one in the bar of the page.

import { findings } from '../profile.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import { filters, type FilterName } from '../query/filters.ts'
import type { ListQuery } from './list-query.ts'
import { narrowFold, textField } from './form-parts.ts'
import { fold } from '../../framework/html/components.ts'

/** The page that the filters are for. */
export interface FormTarget {
  /** Below the profiler's path. */
  readonly path: string
  /** Other parameters of its address. */
  readonly parts: readonly (readonly [name: string, value: string])[]
}

const theList: FormTarget = { path: '', parts: [] }

/** The id of the form, for a search box outside it. */
export const listFormId = 'list-filters'

/** A form that works without a script: the address carries the filters. */
export function listForm(query: ListQuery, profilerPath: string, target: FormTarget = theList): SafeHtml {
  const field = (name: FilterName, hint: string, className?: string): SafeHtml =>
    textField({ name, label: filters[name].label, value: query.value(name), hint, className })
  const rare: readonly (readonly [FilterName, SafeHtml])[] = [
    ['url', field('url', '/products', 'wide')],
    ['error', choice(query, 'error', { yes: 'thrown', no: 'none' })],
    ['redirect', choice(query, 'redirect', { yes: 'only redirects', no: 'no redirects' })],
    [
      'type',
      choice(
        query,
        'type',
        { request: 'requests', command: 'commands', job: 'jobs', task: 'tasks', all: 'all' },
        query.isFiltered ? 'any' : 'requests',
      ),
    ],
    ['family', field('family', 'TypeError in src/prices.ts', 'wide')],
    ['route', field('route', 'product')],
    ['matched', choice(query, 'matched', { yes: 'matched', no: 'not matched' })],
    ['ip', field('ip', '127.0.0.1')],
    ['since', field('since', '2026-11-21T08:00')],
    ['until', field('until', '2026-11-21T09:00')],
    ['version', field('version', '2.1.0')],
    ['service', field('service', 'shop')],
    ['tag', field('tag', 'checkout')],
    ['trace', field('trace', '0af7651916cd43dd8448eb211c80319c', 'wide')],
    ['parent', field('parent', 'token')],
    ['token', field('token', '4f7k2m9qx0ab')],
  ]
  const labels = Object.fromEntries(Object.entries(findings).map(([name, [label]]) => [name, label]))
  const set = rare.filter(([name]) => query.value(name) !== '')
  const unset = rare.filter(([name]) => query.value(name) === '')
  const kept = [...target.parts, ...query.kept]
  const rest = new URLSearchParams(kept.map(([...pair]) => pair)).toString()
  const clear = `${profilerPath}/${target.path}${rest === '' ? '' : `?${rest}`}`
  const isOpen = query.isFiltered || query.problems.length > 0
  const fields = html`${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <div class="filter-line">
      ${short('status', query, 'Status: 404, 4xx')} ${short('method', query, 'Method')}
      ${short('duration', query, 'Min. ms')} ${choice(query, 'finding', labels, 'any finding')} ${fieldsOf(set)}
      <button class="button">Filter</button>
      ${query.isFiltered ? html`<a class="button" href="${clear}">Clear</a>` : null}
      ${fold('More filters', fieldsOf(unset), { className: 'rare-filters' })}
    </div>`
  return html`<form class="list-filters screen-only" id="${listFormId}" action="${profilerPath}/${target.path}">
    ${narrowFold('Filters', isOpen, fields)}
  </form>`
}

function fieldsOf(given: readonly (readonly [FilterName, SafeHtml])[]): SafeHtml | null {
  if (given.length === 0) return null
  return html`<div class="filters">${given.map(([, field]) => html`${field} `)}</div>`
}

/** A field whose hint says what its label says, which is for screen readers only. */
function short(name: FilterName, query: ListQuery, hint: string): SafeHtml {
  const { label } = filters[name]
  return html`<input
    class="field"
    name="${name}"
    value="${query.value(name)}"
    placeholder="${hint}"
    aria-label="${label}"
  /> `
}

function choice(query: ListQuery, name: FilterName, labels: Readonly<Record<string, string>>, any?: string): SafeHtml {
  const chosen = query.value(name)
  const { label } = filters[name]
  const options = Object.entries({ '': any ?? 'any', ...labels }).map(
    ([value, text]) => html`<option value="${value !== text && value}" selected="${value === chosen}">${text}</option>`,
  )
  if (any !== undefined)
    return html`<select class="field" name="${name}" aria-label="${label}">
      ${options}
    </select> `
  return html`<label
    >${label}<select class="field" name="${name}">
      ${options}
    </select></label
  > `
}
