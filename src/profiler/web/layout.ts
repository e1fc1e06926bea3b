// The frame of every profiler page: coloured header, panel menu, content.

import type { Tone } from '../../framework/html/components.ts'
import { renderDocument } from '../../framework/html/document.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import { themeScript, themeStyles } from '../../framework/html/theme.ts'
import { styleSheet } from '../../framework/html/style-sheet.ts'

export interface FrameLink {
  readonly label: string
  readonly href: string
  /** Whether it leads to the page that it stands on. Default: no. */
  readonly isCurrent?: boolean
}

export interface Frame {
  readonly title: string
  readonly nonce: string
  readonly profilerPath: string
  /** The other pages of the profiler, beside the search box. */
  readonly links: readonly FrameLink[]
  readonly tone: Tone
  /** What stands in the band under the search box. */
  readonly headline: SafeHtml
  /** The menu; `null` where there is none. */
  readonly menu: SafeHtml | null
  readonly content: SafeHtml
  readonly styles?: readonly SafeHtml[]
  /** Scripts of the content; the page is complete without them. */
  readonly scripts?: readonly SafeHtml[]
  readonly search?: string
}

export function renderFrame(frame: Frame): SafeHtml {
  const { profilerPath } = frame
  return renderDocument({
    title: frame.title,
    nonce: frame.nonce,
    styles: [themeStyles, ...(frame.styles ?? []), layoutStyles],
    headScript: themeScript,
    script: frame.scripts ?? [],
    bodyClass: 'profiler',
    body: html`<a class="skip-link" href="#content">Skip to content</a>
      <header class="band tone-${frame.tone}">
        <div class="page">
          <div class="row topbar">
            <a class="brand" href="${profilerPath}/">Fanlight profiler</a>
            <nav class="row pages screen-only" aria-label="Profiler">${frame.links.map(frameLink)}</nav>
            <form class="row search screen-only" action="${profilerPath}/" role="search">
              <label class="visually-hidden" for="search">Search profiles by part of the URL, or a token</label>
              <input
                class="field"
                id="search"
                name="url"
                type="search"
                placeholder="Part of a URL, or a token"
                value="${frame.search ?? ''}"
              />
              <button class="button">Search</button>
              <button class="button theme-switch" type="button" data-theme-switch hidden>Dark</button>
            </form>
          </div>
          ${frame.headline}
        </div>
      </header>
      <div class="page ${frame.menu === null ? '' : 'with-menu'}">
        ${frame.menu}
        <main id="content" tabindex="-1">${frame.content}</main>
      </div>`,
  })
}

function frameLink({ label, href, isCurrent }: FrameLink): SafeHtml {
  return html`<a aria-current="${isCurrent === true ? 'page' : 'false'}" href="${href}">${label}</a> `
}

export const layoutStyles: SafeHtml = styleSheet(`
.profiler .band { background: light-dark(#434c5c, #232934); box-shadow: inset 0 -4px var(--tone-edge); padding-bottom: calc(var(--space-3) + 4px) }
.topbar { margin-bottom: var(--space-3); gap: var(--space-2) var(--space-4) }
.pages { gap: 0 var(--space-1) }
.pages a { padding: .3rem .6rem; border-radius: var(--radius); font-size: var(--size-small); text-decoration: none; white-space: nowrap }
.pages a:hover { background: rgb(0 0 0 / 15%) }
.pages a[aria-current=page] { background: rgb(0 0 0 / 25%); font-weight: 600 }
.brand { font-weight: 650; text-decoration: none }
.search { gap: var(--space-2); margin-left: auto }
.search .field { width: 14rem }
.field::placeholder { color: var(--muted); opacity: 1 }
.request-line { font-size: 1.125rem; font-weight: 600; line-height: 1.4; overflow-wrap: anywhere }
.headline-facts { margin-top: var(--space-2); gap: var(--space-1) var(--space-6); font-size: var(--size-small) }
.headline-facts.found { gap: var(--space-1) var(--space-3) }
.with-menu { display: grid; grid-template-columns: 12.5rem minmax(0, 1fr); gap: var(--space-8); align-items: start }
.menu { position: sticky; top: var(--space-4); margin-top: var(--space-6) }
.menu a { position: relative; display: flex; justify-content: space-between; align-items: center; gap: var(--space-2); padding: .4rem var(--space-3);
  color: var(--text); text-decoration: none; border-radius: var(--radius) }
.menu a:hover { background: var(--raised) }
.menu a[aria-current=page] { background: var(--surface); font-weight: 600; box-shadow: inset 3px 0 var(--link) }
.menu a.is-empty { color: var(--muted) }
main > h2:first-child, main > .section-head:first-child { margin-top: var(--space-6) }
main { padding-bottom: var(--space-6) }
main h2 { margin-bottom: var(--space-3) }
main p + :is(.table, .table-scroll, .card, .block, .note, .empty), main :is(.table, .table-scroll, .empty, .legend) + p { margin-top: var(--space-2) }
main h3 { margin: var(--space-6) 0 var(--space-2) }
main .card h3 { margin-top: 0 }
.figures { display: flex; flex-wrap: wrap; gap: var(--space-3); margin-bottom: var(--space-6) }
.figure { min-width: 8rem; padding: var(--space-3) var(--space-4) }
.figure b { display: block; font-size: 1.375rem; font-weight: 600; line-height: 1.3 }
.figure span { color: var(--muted); font-size: var(--size-small) }
.filter-form { margin: var(--space-6) 0 var(--space-4) }
.filters { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-3); align-items: end }
.filters label { display: grid; gap: 2px; width: 9rem; font-size: var(--size-small); color: var(--muted) }
.filters label.wide { width: 20rem }
.filters .field { width: 100%; min-width: 0 }
.filter-form .fold { margin-top: var(--space-2) }
.filter-form > .note { margin-top: var(--space-3) }
.filter-form summary { color: var(--muted); font-size: var(--size-small) }
.filter-form .fold .filters { margin-top: var(--space-2) }
.table :is(th, td) { vertical-align: baseline }
.profiles :is(th, td) { padding-inline: var(--space-2) }
.profiles :is(th, td):first-child { padding-left: var(--space-3) }
.profiles td { padding-top: .4rem; padding-bottom: .4rem }
.profiles th:nth-child(3) { width: 34% }
.profiles .url { font-family: var(--mono); font-size: .86em; overflow-wrap: anywhere }
.findings { font-family: var(--font); white-space: nowrap; margin-left: var(--space-1) }
.profiles td.mono { white-space: nowrap }
.profiles td.route { min-width: 7.5rem }
.profiles .version { max-width: 10rem; overflow-wrap: anywhere }
.profiles:not(:has(.version.is-known)) .version { display: none }
.profiles td.version.is-known { font-family: var(--mono); font-size: .86em }
.profiles td.time { font-size: var(--size-small); line-height: 1.85 }
.list-tools { margin-bottom: var(--space-3) }
.profiles .sub { color: var(--muted); font-size: var(--size-small) }
.pager { margin: var(--space-4) 0 var(--space-8) }
.duration-bar { display: block; width: 100%; min-width: 4rem; height: 3px; margin-top: 3px }
.duration-bar rect { fill: var(--tone-edge) }
.duration-bar .lane { fill: var(--raised) }
.headline-message { margin: var(--space-1) 0 var(--space-6); font-weight: 600; line-height: 1.3; letter-spacing: -.01em; text-wrap: pretty }
.headline-message.short { font-size: var(--size-message) }
.headline-message.long { font-size: 1.0625rem; line-height: 1.5 }
.notes { display: grid; gap: var(--space-2); margin-bottom: var(--space-4) }
main > :is(.notes, .note, .empty):first-child { margin-top: var(--space-6) }
.overview { display: flex; flex-wrap: wrap; gap: var(--space-3) var(--space-8);
  padding: var(--space-3) var(--space-4) }
.overview dt { color: var(--muted); font-size: var(--size-small) }
.overview dd { font-weight: 600 }
.overview .muted { font-weight: 400 }
.dump { padding: var(--space-3) var(--space-4); margin-bottom: var(--space-3) }
.dump h3 { margin: 0 }
.output { max-height: 40lh; overflow: auto }
.output + .note { margin: var(--space-2) 0 }
.dump .block { margin-top: var(--space-2); max-height: 30lh; overflow: auto }
main > .note:not(:last-child), main section > .note { margin-bottom: var(--space-3) }
.events .mono { white-space: nowrap }
.panel-links { margin-top: var(--space-4) }
.panel-names { margin-top: var(--space-2) }
@media print {
  .with-menu { display: block }
}
@media (max-width: 60rem) {
  .with-menu { display: block }
  .menu { position: static; margin: 0 calc(-1 * var(--space-3)); overflow-x: auto; border-bottom: 1px solid var(--line) }
  .menu ul { display: flex }
  .menu a { white-space: nowrap; border-radius: 0 }
  .menu a[aria-current=page] { box-shadow: inset 0 -3px var(--link) }
}
@media (max-width: 64rem) {
  .profiles thead { display: none }
  .profiles, .profiles tbody { display: block }
  .profiles tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 var(--space-4); padding: var(--space-2) var(--space-3); border-top: 1px solid var(--line) }
  .profiles tbody tr:first-child { border-top: 0 }
  .profiles td { border: 0 !important; padding: 0; box-shadow: none !important }
  .profiles tr > td:first-child { padding-left: 0 }
  .profiles td.url { flex: 1 0 calc(100% - 9rem); max-width: 100% }
  .profiles td.route { min-width: 0; overflow-wrap: anywhere }
  .profiles td.route:has(.muted) { display: none }
  .profiles td.version:not(.is-known) { display: none }
  .profiles td.version::before { content: 'Version '; color: var(--muted); font-family: var(--font) }
  .profiles .duration-bar { display: none }
  .profiles td, .profiles td .mono { font-size: var(--size-small) }
}
@media (max-width: 40rem) {
  .events .total { display: none }
  .events td { overflow-wrap: break-word }
  .topbar { position: relative }
  .request-line { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 5; overflow: hidden }
  .brand { padding-right: 5rem; line-height: 2rem }
  .pages { width: calc(100% + 1.2rem); margin: 0 -.6rem }
  .search { width: 100%; margin: 0; flex-wrap: nowrap }
  .search .field { flex: 1; min-width: 0 }
  .search .theme-switch { position: absolute; top: 0; right: 0 }
  .filters { display: grid; grid-template-columns: 1fr 1fr }
  .filters label, .filters label.wide { width: auto; min-width: 0 }
  .filters label.wide { grid-column: 1 / -1 }
  .filters.usual { grid-template-columns: repeat(3, minmax(0, 1fr)) }
  .filters.usual > .filter-buttons { grid-column: 2 / -1; flex-wrap: nowrap }
  .profiles tr { display: block }
  .profiles td { display: inline-block; padding: 0 var(--space-2) 0 0 }
  .profiles td.url { display: block }
}
`)

/** The line in the band of a page that is not about one profile. */
export function heading(text: string): SafeHtml {
  return html`<h1 class="request-line">${text}</h1>`
}
