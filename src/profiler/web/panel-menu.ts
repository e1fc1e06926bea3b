// The menu of panels with their counts.

import { html, type SafeHtml } from '../../framework/html/html.ts'
import { browserMethod, runTypeOf, type Profile } from '../profile.ts'
import { dataOf, panelMark } from './panel-content.ts'
import type { Panel } from './panel.ts'
import { scriptBlock } from '../../framework/html/style-sheet.ts'

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

export function panelMenu({ panels, current, profile, linkTo }: PanelMenuView): SafeHtml {
  const shown = panels
    .filter((panel) => panel.name === current || (isFor(panel, profile) && !isHidden(panel, profile)))
    .toSorted((one, other) => Number(isOfRuns(other)) - Number(isOfRuns(one)))
  return html`<nav class="menu screen-only" aria-label="Panels">
    <ul>
      ${shown.map(
        (panel) =>
          html`<li>
            <a
              class="${dataOf(profile, panel) === undefined && panel.showsWithout?.(profile) !== true ? 'is-empty' : ''}"
              href="${linkTo(profile.token, panel.name)}"
              aria-current="${panel.name === current ? 'page' : 'false'}"
            >
              <span>${panel.title}</span>${panelMark(panel, profile)}
            </a>
          </li> `,
      )}
    </ul>
  </nav>`
}

/** Runs when the body is there; moves the menus only, never the page. */
export const menuScript: SafeHtml = scriptBlock(`
for (const menu of document.querySelectorAll('.menu, .pages')) {
  const open = menu.querySelector('[aria-current=page], [aria-current=true]');
  if (open && menu.scrollWidth > menu.clientWidth) menu.scrollLeft = open.offsetLeft - (menu.clientWidth - open.offsetWidth) / 2;
}
`)
