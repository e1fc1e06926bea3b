// The filters above the list of profiles: the usual ones and those that are set in one line, the others folded away. On narrow
// windows all are folded away until one is set: the list comes first. The search box is the one in the bar of the page.

import { html, type SafeHtml, styleSheet } from '../base/html/html.ts'
import { filterNames, filters, type FilterName } from '../profiles/query/filters.ts'
import type { ListQuery } from './list-query.ts'
import { textField, type TextField } from './form-parts.ts'
import { fold } from '../base/html/components.ts'

export interface FormTarget {
  /** Below the profiler's path. */
  readonly path: string
  /** Other parameters of its address. */
  readonly parts: readonly (readonly [name: string, value: string])[]
  /** Fields of its own, beside the filters. Default: none. */
  readonly fields?: readonly TextField[]
  /** Whether all is folded away until one is set, whatever the window. Default: on narrow ones only. */
  readonly isFolded?: boolean | undefined
}

const theList: FormTarget = { path: '', parts: [] }

/** The id of the form, for a search box outside it. */
export const listFormId = 'list-filters'

/** A form that works without a script: the address carries the filters. */
export function listForm(query: ListQuery, profilerPath: string, target: FormTarget = theList): SafeHtml {
  const fieldsOf = (names: readonly FilterName[]): readonly SafeHtml[] => names.map((name) => field(query, name))
  const folded = filterNames.filter((name) => name !== 'search' && filters[name].isUsual !== true)
  const set = folded.filter((name) => query.value(name) !== '')
  const unset = folded.filter((name) => query.value(name) === '')
  const kept = [...target.parts, ...query.kept]
  const rest = new URLSearchParams(kept.map(([...pair]) => pair)).toString()
  const clear = `${profilerPath}/${target.path}${rest === '' ? '' : `?${rest}`}`
  const isOpen = query.isFiltered || query.problems.length > 0
  const [ownSet = [], ownUnset = []] = [true, false].map((isSet) =>
    target.fields?.filter(({ value }) => (value !== '') === isSet).map(textField),
  )
  const rare = unset.filter((name) => filters[name].isRare)
  const more = html`<div class="filters">${ownUnset} ${fieldsOf(unset.filter((name) => !rare.includes(name)))}</div>
    ${fold('Rarely used', html`<div class="filters">${fieldsOf(rare)}</div>`, { className: 'rare-filters' })}`
  const fields = html`${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <div class="filter-line">
      ${fieldsOf(filterNames.filter((name) => filters[name].isUsual))}
      ${set.length + ownSet.length === 0 ? null : html`<div class="filters">${fieldsOf(set)} ${ownSet}</div>`}
      <button class="button">Filter</button>
      ${query.isFiltered ? html`<a class="button" href="${clear}">Clear</a>` : null}
      ${fold('More filters', more, { className: 'more-filters' })}
    </div>`
  return html`<form class="list-filters screen-only" id="${listFormId}" action="${profilerPath}/${target.path}">
    ${fold('Filters', fields, { isOpen, className: target.isFolded ? 'all-filters' : 'narrow-fold' })}
  </form>`
}

/** Characters of a hint that a narrow field has room for. */
const narrowHint = 24

/** The label of a usual one is for screen readers only: its hint says the same. */
function field(query: ListQuery, name: FilterName): SafeHtml {
  const { label, hint = '', choices, isUsual, unset = 'any' } = filters[name]
  const value = query.value(name)
  if (choices === undefined && isUsual !== true)
    return textField({ name, label, value, hint, className: hint.length > narrowHint ? 'wide' : undefined })
  const shownLabel = isUsual ? label : null
  if (choices === undefined)
    return html`<input
      class="field"
      name="${name}"
      value="${value || null}"
      placeholder="${hint}"
      aria-label="${label}"
    /> `
  const blank = isUsual ? `any ${label.toLowerCase()}` : query.isFiltered ? 'any' : unset
  const options = Object.entries({ '': blank, ...choices }).map(
    ([one, text]) => html`<option value="${one !== text && one}" selected="${one === value}">${text}</option>`,
  )
  const select = html`<select class="field" name="${name}" aria-label="${shownLabel}">
    ${options}
  </select>`
  return isUsual ? html`${select} ` : html`<label>${label}${select}</label> `
}

/** For the list of profiles and what has its filters. */
export const filterStyles: SafeHtml = styleSheet(`
.page-head:has(> .visually-hidden:only-child) { padding-top: 0 }
.list-head { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-4); align-items: center; justify-content: space-between; margin: var(--space-2) 0 }
.list-filters { min-width: 0 }
.list-head.is-new:has(~ .empty, ~ [data-renewed] > .empty) { display: block; height: var(--space-2); overflow: hidden; visibility: hidden }
main > .list-filters { margin: var(--space-3) 0 }
.list-filters:has(.more-filters[open]) { flex: 1 0 100% }
.filter-line { display: flex; flex-wrap: wrap; gap: var(--space-2); align-items: end }
.filter-line > input.field { width: 10rem }
.filter-line > input:is([name=method], [name=duration]) { width: 6.5rem }
:is(.all-filters, .more-filters, .rare-filters) > summary { color: var(--muted); font-size: var(--size-small); line-height: 2rem }
.more-filters[open] { flex: 1 0 100% }
.list-tools { gap: var(--space-2) var(--space-3); min-height: 2rem; margin-left: auto }
.list-tools > .row { gap: var(--space-2) }
.list-tools .button { min-height: 1.75rem }
.filter-line > select.field { max-width: 9rem }
.choices { gap: var(--space-2); margin-bottom: var(--space-3) }
.choices [aria-current=page] { font-weight: 600; box-shadow: inset 0 -2px var(--link) }
@media (max-width: 64rem) {
  .filter-line > input.field { width: 7rem }
  .filter-line > input:is([name=method], [name=duration]) { width: 6rem }
}
@media (max-width: 40rem) {
  .list-filters, .list-tools { flex: 1 0 100%; justify-content: space-between }
  .filter-line > .field, .filter-line > input.field { flex: 1 1 40%; min-width: 0 }
}
`)

export const listStyles: SafeHtml = styleSheet(`
.list-head ~ [data-renewed] { margin: 0 }
.profiles { table-layout: fixed; font-size: var(--size-small) }
.profiles :is(th, td) { padding: 0 var(--space-2); height: 1.875rem; white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
.profiles th { height: 1.75rem }
.profiles th a { color: inherit; text-decoration: none }
.profiles th:is([aria-sort], :hover) a { text-decoration: underline }
.profiles tbody tr { position: relative }
.profiles tbody td { vertical-align: middle }
.profiles tbody tr:hover { background: var(--raised) }
.profiles tbody tr:target { background: var(--mark) }
.profiles tbody tr:has(.open:focus-visible) { outline: 2px solid var(--focus); outline-offset: -2px }
.profiles th:nth-child(1) { width: 2.5rem }
.profiles th:nth-child(2) { width: 4.25rem }
.profiles:has(.words) th:nth-child(2) { width: 7.25rem }
.profiles th:nth-child(3) { width: 4.5rem }
.profiles th:nth-child(5) { width: 9rem }
.profiles th:nth-child(6) { width: 4.75rem }
.profiles th:nth-child(7) { width: 6rem }
.profiles th:nth-child(8) { width: 7.5rem }
.profiles th:nth-child(9) { width: 5.5rem }
.profiles th:is(.version, .service) { width: 5.5rem }
.profiles :is(.queries, .logs, .duration, .when) { text-align: right }
.profiles :is(th, td):first-child { padding-right: 0; text-overflow: clip }
.profiles input { position: relative; z-index: 1; width: 1rem; height: 1rem; margin: 0; vertical-align: middle }
.profiles .url > div { display: flex; gap: var(--space-2); align-items: center; min-width: 0 }
.profiles .open { flex: 0 1 auto; min-width: 5rem; overflow: hidden; text-overflow: ellipsis; color: var(--text); font: .92em var(--mono); text-decoration: none }
.profiles tr:hover .open { text-decoration: underline }
.profiles .open:focus-visible { outline: 0 }
.profiles .open::after { content: ''; position: absolute; inset: 0 }
.profiles .said { flex: 1 1 0; min-width: 25%; overflow: hidden; text-overflow: ellipsis; color: var(--tone-ink) }
.profiles .said b { font-weight: 600 }
.profiles .hit { color: var(--text) }
.profiles mark { color: inherit; background: var(--mark) }
.profiles .findings { flex: 0 2 auto; min-width: 0; overflow: hidden }
.profiles .tags { flex: 0 999 auto; min-width: 0; overflow: hidden; text-overflow: ellipsis }
.profiles :is(.page-errors, .tags a) { position: relative; z-index: 1; flex: none; text-decoration: none }
.profiles .parts { position: relative; z-index: 1; flex: none; padding: 0 .25em; color: var(--muted); text-decoration: none; font-size: var(--size-tiny); border: 1px solid var(--line-strong); border-radius: 99px; line-height: 1.3 }
.profiles .parts:hover { color: var(--link); text-decoration: underline }
.profiles .method { font: .92em var(--mono) }
.scale { float: left; width: 3rem; height: .5rem; margin-top: .4rem; fill: light-dark(#8793a6, #6d7a90) }
.scale path:last-child { fill: light-dark(#23834f, #41b375) }
.profiles .when { color: var(--muted); white-space: normal }
.profiles:not(:has(.version.is-known)) .version, .profiles:not(:has(.service.is-other)) .service { display: none }
.profiles td.version.is-known { font-family: var(--mono); font-size: .86em }
@media (forced-colors: active) {
  .scale { forced-color-adjust: none; fill: GrayText }
  .scale path:last-child { fill: CanvasText }
  .profiles mark { forced-color-adjust: none; background: Highlight; color: HighlightText }
}
@media print { .profiles input { display: none } }
@media (max-width: 64rem) {
  .profiles :is(.route, .version, .service, th:nth-child(5)) { display: none }
  .profiles th:nth-child(7) { width: 5.75rem }
  .profiles th:nth-child(8) { width: 5.25rem }
  .profiles th:nth-child(9) { width: 4.75rem }
  .scale { display: none }
  .profiles .url > div { flex-wrap: wrap; gap: 0 var(--space-2); padding: .15rem 0 }
  .profiles .open { max-width: calc(100% - 5rem); line-height: 1.5rem }
  .profiles .tags a { line-height: 1.5rem }
  .profiles .said { flex: 1 0 100% }
}
@media (max-width: 44rem) {
  .profiles thead, .profiles :is(.queries, .logs) { display: none }
  .profiles, .profiles tbody { display: block }
  .profiles tr { display: grid; grid-template: "pick status url duration" minmax(1.4rem, auto) "pick method url when" minmax(1.4rem, auto) / 2rem minmax(3.25rem, auto) minmax(0, 1fr) auto;
    align-items: center; padding: var(--space-1) var(--space-2) var(--space-1) 0; border-top: 1px solid var(--line) }
  .profiles tbody tr:first-child { border-top: 0 }
  .profiles tr > td { height: auto; padding: 0 var(--space-1); border: 0 !important; box-shadow: none !important }
  .profiles tr[class*=tone-] { box-shadow: inset 3px 0 var(--tone-edge) }
  .profiles tr > td:first-child { grid-area: pick; padding-left: var(--space-3) }
  .profiles input { width: 1.25rem; height: 1.25rem }
  .profiles tr > td:nth-child(2) { grid-area: status }
  .profiles .method { grid-area: method }
  .profiles tr > .url { grid-area: url; align-self: stretch; align-content: center }
  .profiles .url > div { padding: 0; line-height: 1.4rem }
  .profiles .open { flex: 1 0 100%; max-width: 100% }
  .profiles .said { flex: 1 1 0 }
  .profiles tr > .duration { grid-area: duration }
  .profiles tr > .when { grid-area: when }
}
`)
