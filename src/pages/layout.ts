// The frame of every profiler page: bar, headline, panel menu, content.

import { copyScript, copyStyles } from '../errors/page/buttons.ts'
import { brandMark } from '../base/html/arc.ts'
import { fold, type Tone } from '../base/html/components.ts'
import { renderDocument } from '../base/html/document.ts'
import { html, type SafeHtml, styleSheet, scriptBlock } from '../base/html/html.ts'
import { themeScript, themeStyles } from '../base/html/theme.ts'
import { narrowFoldStyles } from './form-parts.ts'
import { browserMethod, runTypeOf, type Profile } from '../observe/profile.ts'
import { dataOf, panelMark } from './panel-content.ts'
import type { Panel } from './panel.ts'

export interface FrameLink {
  readonly label: string
  readonly href: string
  /** `page`: it leads to the page it is on; `true`: to the page above that. */
  readonly current: 'page' | 'true' | 'false'
}

export interface Frame {
  readonly title: string
  readonly nonce: string
  readonly profilerPath: string
  /** The pages that the bar names, beside the search box. */
  readonly links: readonly FrameLink[]
  /** Those under *More*. Default: none. */
  readonly more?: readonly FrameLink[]
  /** Beside the search box: pauses recording. Default: it cannot be paused. */
  readonly recording?: SafeHtml | null
  /** Colour of the edge above the bar, of the mark and of the icon in the tab. */
  readonly tone: Tone
  /** Below the bar, above menu and content. */
  readonly headline: SafeHtml
  /** The menu; `null` if there is none. */
  readonly menu: SafeHtml | null
  readonly content: SafeHtml
  readonly styles?: readonly SafeHtml[]
  /** Scripts of the content; the page is complete without them. */
  readonly scripts?: readonly SafeHtml[]
  /** Whether it names places in the source, which can be copied. Default: yes. */
  readonly hasPlaces?: boolean
  /**
   * What the search box holds. `form`: the id of the form that it is a part of; default: a separate form. `hint`: what it looks at; default:
   * URL, error, log text and token.
   */
  readonly search?: { readonly text: string; readonly form?: string; readonly hint?: string | undefined }
}

export function renderFrame(frame: Frame): SafeHtml {
  const { profilerPath, hasPlaces = true } = frame
  const searchHint = frame.search?.hint ?? 'URL, error, log text or token'
  return renderDocument({
    title: `${frame.title} · Fanlight`,
    tone: frame.tone,
    nonce: frame.nonce,
    styles: [
      themeStyles,
      ...(hasPlaces ? [copyStyles] : []),
      ...(frame.styles ?? []),
      narrowFoldStyles,
      layoutStyles,
      ...(frame.menu === null ? [] : [menuStyles]),
    ],
    headScript: themeScript,
    script: [menuScript, ...(hasPlaces ? [copyScript] : []), ...(frame.scripts ?? [])],
    bodyClass: 'profiler',
    body: html`<a class="skip-link" href="#content">Skip to content</a>
      <header class="tone-${frame.tone}">
        <div class="topbar">
          <div class="page">
            <a class="brand" href="${profilerPath}/"
              >${brandMark}<span>Fanlight <span class="brand-part">profiler</span></span></a
            >
            <nav class="pages screen-only" aria-label="Profiler">
              ${frame.links.map(frameLink)} ${moreLinks(frame.more ?? [])}
            </nav>
            <form class="search screen-only" id="search-form" action="${profilerPath}/" role="search">
              <label class="visually-hidden" for="search">Search: ${searchHint}</label>
              <input
                class="field"
                id="search"
                name="search"
                form="${frame.search?.form ?? 'search-form'}"
                type="search"
                placeholder="${searchHint}"
                aria-keyshortcuts="/"
                value="${frame.search?.text ?? ''}"
              />
              <button class="button visually-hidden" form="${frame.search?.form ?? 'search-form'}">Search</button>
            </form>
            ${frame.recording}
            <button class="button theme-switch" type="button" data-theme-switch hidden>Dark</button>
          </div>
        </div>
        <div class="page page-head">${frame.headline}</div>
      </header>
      <div class="page ${frame.menu === null ? '' : 'with-menu'}">
        ${frame.menu}
        <main id="content" tabindex="-1">${frame.content}</main>
      </div>`,
  })
}

function frameLink({ label, href, current }: FrameLink): SafeHtml {
  return html`<a aria-current="${current}" href="${href}">${label}</a> `
}

function moreLinks(links: readonly FrameLink[]): SafeHtml | null {
  if (links.length === 0) return null
  return html`<details class="fold more">
    <summary aria-current="${links.some(({ current }) => current === 'page') ? 'true' : 'false'}">More</summary>
    <div class="card">${links.map(frameLink)}</div>
  </details>`
}

export const layoutStyles: SafeHtml = styleSheet(`
.pages { display: flex; align-self: stretch }
.pages :is(a, summary) { display: flex; align-items: center; padding: 0 .45rem; min-height: 2rem; color: var(--muted); font-size: var(--size-small);
  text-decoration: none; white-space: nowrap; border: solid transparent; border-width: 2px 0 }
.pages :is(a, summary):hover { color: var(--text) }
.pages :is(a, summary):focus-visible { outline-offset: -3px }
.pages :is([aria-current=page], [aria-current=true]) { color: var(--text); border-bottom-color: var(--link) }
.more { position: relative; display: flex }
.more > summary { height: 100% }
.more > div { position: absolute; z-index: 5; top: 100%; left: 0; min-width: 10rem; padding: var(--space-1) 0; box-shadow: 0 .5rem 1.5rem rgb(0 0 0 / 20%) }
.more a { padding: 0 var(--space-4); border-width: 0 0 0 2px }
.more a:hover { background: var(--raised) }
.more a[aria-current=page] { border-color: var(--link) }
.recording > button { gap: .5em }
.recording > button::before { content: ""; width: .55rem; height: .55rem; border-radius: 50%; background: var(--tone-edge) }
.recording > .tone-warning::before { border-radius: 0 }
.brand-part { color: var(--muted); font-weight: 400 }
.search { position: relative; flex: 0 99 14rem; min-width: 6rem; margin-left: auto }
.search .field { width: 100% }
.search .visually-hidden { right: 0 }
.field::placeholder { color: var(--muted); opacity: 1 }
.profiler .page { max-width: 100rem }
.page-title { font-size: var(--size-title); letter-spacing: -.01em }
.request-line { font-size: var(--size-large); font-weight: 600; line-height: 1.4; overflow-wrap: anywhere }
.request-line .badge { font: 600 var(--size-small)/1.5 var(--font); vertical-align: .1em }
.headline-facts { margin-top: var(--space-1); gap: 0 var(--space-4); color: var(--muted); font-size: var(--size-small); line-height: 1.7 }
.page-head { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 var(--space-4); padding-top: var(--space-4) }
.headline-links { flex-wrap: nowrap; gap: var(--space-2); margin-left: auto }
.headline-links .button { min-height: 1.75rem }
.neighbours { flex-wrap: nowrap; gap: var(--space-1) }
.headline-more { order: 1; flex: 1 0 100% }
.found a { display: inline-block; min-height: 1.5rem }
.headline-facts b { color: var(--text); font-weight: 600 }
.headline-facts .time-glyph { margin-right: .25em; vertical-align: -.15em }
main > :is(h2, .section-head, .notes, .note, .empty, p):first-child, main > section { margin-top: var(--space-6) }
main { padding-bottom: var(--space-6) }
main h2 { margin-bottom: var(--space-3) }
main p + :is(.table, .table-scroll, .card, .block, .note, .empty, .ran), main > .ran + p, main :is(.table, .table-scroll, .empty, .legend) + :is(p, .fold), main p + .fold { margin-top: var(--space-2) }
main h3 { margin: var(--space-6) 0 var(--space-2) }
main .card h3 { margin-top: 0 }
.figures { display: flex; flex-wrap: wrap; gap: var(--space-3); margin-bottom: var(--space-6) }
.figure { min-width: 8rem; padding: var(--space-3) var(--space-4) }
.figure b { display: block; font-size: 1.375rem; font-weight: 600; line-height: 1.3 }
.figure span { color: var(--muted); font-size: var(--size-small) }
.filters { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-3); align-items: end }
.filters label { display: grid; gap: 2px; width: 9rem; font-size: var(--size-small); color: var(--muted) }
.filters label.wide { width: 20rem }
.filters .field { width: 100%; min-width: 0 }
.table :is(th, td) { vertical-align: baseline }
.pager { margin: var(--space-4) 0 var(--space-8) }
.duration-bar { display: block; width: 100%; min-width: 4rem; height: 3px; margin-top: 3px; background: var(--raised) }
.duration-bar rect { fill: var(--tone-edge) }
.notes { display: grid; gap: var(--space-2); margin-bottom: var(--space-4) }
.two-sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr)); gap: var(--space-6); align-items: start }
.two-sides > :empty { display: none }
.two-sides .block + * { margin-top: var(--space-2) }
.two-sides > div > h3:first-child { margin-top: 0 }
main > .note:not(:last-child), main section > .note { margin-bottom: var(--space-3) }
.panel-links { margin-top: var(--space-4) }
@media (forced-colors: active) {
  .pages :is(a, summary):not([aria-current=page], [aria-current=true]) { border-color: Canvas }
}
@media (max-width: 64rem) {
  .recording > button { font-size: 0 }
}
@media (max-width: 56rem) {
  .topbar > .page { flex-wrap: wrap; padding-top: .3rem }
  .pages { order: 1; flex: 1 0 100%; margin: 0 -.45rem }
  .more > div { left: auto; right: 0 }
  .search { flex: 1 1 6rem }
  .brand-part { display: none }
}
@media (max-width: 40rem) {
  .topbar > .page { column-gap: var(--space-2) }
  .pages :is(a, summary) { padding: 0 .35rem }
  .request-line { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; word-break: break-all }
  .page-head { padding-top: var(--space-3) }
  .headline-links { flex: 1 0 100%; flex-wrap: wrap; gap: var(--space-1) }
  .headline-links .button { padding: 0 var(--space-2) }
  .headline-links > .neighbours { order: -1 }
  .filters { display: grid; grid-template-columns: 1fr 1fr }
  .filters label, .filters label.wide { width: auto; min-width: 0 }
  .filters label.wide { grid-column: 1 / -1 }
}
@media (max-width: 22rem) { .pages :is(a, summary) { padding: 0 .15rem } }
`)

const menuStyles: SafeHtml = styleSheet(`
.with-menu { display: grid; grid-template-columns: 11.5rem minmax(0, 1fr); gap: var(--space-8); align-items: start }
.menu { position: sticky; top: var(--space-4); margin-top: var(--space-6) }
.menu a { position: relative; display: flex; justify-content: space-between; align-items: center; gap: var(--space-2); min-height: 2rem; padding: 0 var(--space-3);
  color: var(--text); text-decoration: none; border: solid transparent; border-width: 0 0 0 2px }
.menu a:hover { background: var(--raised) }
.menu a[aria-current=page] { background: var(--raised); border-color: var(--link) }
.menu summary { padding: var(--space-1) var(--space-3); color: var(--muted) }
.menu details a { color: var(--muted) }
@media (forced-colors: active) {
  .menu a:not([aria-current=page]) { border-color: Canvas }
}
@media print {
  .with-menu { display: block }
}
@media (max-width: 60rem) {
  .with-menu { display: block }
  .menu { position: static; margin: 0 calc(-1 * var(--space-3)); overflow-x: auto; border-bottom: 1px solid var(--line) }
  .menu, .menu :is(ul, details) { display: flex }
  .menu summary { padding-block: .4rem; white-space: nowrap }
  .menu a { white-space: nowrap; border-width: 0 0 2px }
  .menu a[aria-current=page] { background: none }
}
`)

/** The headline of a page that is not about one profile. */
export function heading(text: string): SafeHtml {
  return html`<h1 class="page-title" dir="auto">${text}</h1>`
}

interface PanelMenuView {
  readonly panels: readonly Panel[]
  readonly current: string | null
  readonly profile: Profile
  readonly linkTo: (token: string, panel: string) => string
}

/** Whether a panel is about profiles of this kind. What a page reported has few of them. */
export function isFor(
  { name, of }: Pick<Panel, 'name' | 'of'>,
  { method, data }: Pick<Profile, 'method' | 'data'>,
): boolean {
  if (method === browserMethod) return Object.hasOwn(data, name)
  return of === undefined || of === `${runTypeOf(method) ?? 'request'}s`
}

function isOfRuns({ of = 'requests' }: Panel): boolean {
  return of !== 'requests'
}

function isHidden(panel: Panel, profile: Profile): boolean {
  return panel.hidesWhenEmpty === true && dataOf(profile, panel) === undefined
}

/** Panels that have nothing are folded at the end. */
export function panelMenu({ panels, current, profile, linkTo }: PanelMenuView): SafeHtml {
  const shown = panels
    .filter((panel) => panel.name === current || (isFor(panel, profile) && !isHidden(panel, profile)))
    .toSorted((one, other) => Number(isOfRuns(other)) - Number(isOfRuns(one)))
  const isEmpty = (panel: Panel): boolean =>
    panel.name !== current && dataOf(profile, panel) === undefined && panel.showsWithout?.(profile) !== true
  const links = (some: readonly Panel[]): SafeHtml =>
    html`<ul>
      ${some.map(
        (panel) =>
          html`<li>
            <a href="${linkTo(profile.token, panel.name)}" aria-current="${panel.name === current ? 'page' : 'false'}">
              <span>${panel.title}</span>${panelMark(panel, profile)}
            </a>
          </li> `,
      )}
    </ul>`
  const empty = shown.filter(isEmpty)
  return html`<nav class="menu screen-only" aria-label="Panels">
    ${links(shown.filter((panel) => !isEmpty(panel)))}
    ${empty.length === 0 ? null : fold(`${empty.length} empty`, links(empty))}
  </nav>`
}

/**
 * Runs when the body is there; moves the menu only, never the page. What is under More closes as a menu does; the button that pauses
 * recording leads back.
 */
const menuScript: SafeHtml = scriptBlock(`
for (const menu of document.querySelectorAll('.menu')) {
  const open = menu.querySelector('[aria-current=page]');
  if (open && menu.scrollWidth > menu.clientWidth) menu.scrollLeft = open.offsetLeft - (menu.clientWidth - open.offsetWidth) / 2;
}
{
  const more = document.querySelector('.more');
  const leave = ({ type, target, key }) => {
    if (!more?.open || (type === 'keydown' ? key !== 'Escape' : more.contains(target))) return;
    more.open = false;
    if (key) more.firstElementChild.focus();
  };
  for (const type of ['click', 'focusin', 'keydown']) document.addEventListener(type, leave);
  document.querySelector('.recording')?.addEventListener('submit', ({ target }) => (target.back.value = location.pathname + location.search));
}
`)
