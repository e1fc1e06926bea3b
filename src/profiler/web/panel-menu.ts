// The menu of panels, with the counts that matter; panels without data are said to be empty, not hidden. Those that cannot
// have any, because a command is no request, are left out.

import { html, type SafeHtml } from '../../framework/html/html.ts'
import { commandMethod } from '../collectors/command.ts'
import type { Profile } from '../profile.ts'
import { dataOf, panelMark } from './panel-content.ts'
import type { Panel } from './panel.ts'

/** What the menu leads through. */
export interface PanelMenuView {
  readonly panels: readonly Panel[]
  /** Name of the open panel; `null` where none is. */
  readonly current: string | null
  readonly profile: Profile
  readonly linkTo: (token: string, panel: string) => string
}

/** One link for each panel. */
export function panelMenu({ panels, current, profile, linkTo }: PanelMenuView): SafeHtml {
  const kind = profile.method === commandMethod ? 'commands' : 'requests'
  const shown = panels
    .filter(({ name, of = kind }) => of === kind || name === current)
    .toSorted((one, other) => Number(other.of === 'commands') - Number(one.of === 'commands'))
  return html`<nav class="menu screen-only" aria-label="Panels">
    <ul>
      ${shown.map(
        (panel) =>
          html`<li>
            <a
              class="${dataOf(profile, panel) === undefined ? 'is-empty' : ''}"
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
