// What the profiler says when there is nothing to show.

import { html, type SafeHtml } from '../html/html.ts'
import type { Panel } from './panel.ts'

/** For a token without a profile. Says nothing of the token: every such page is the same (SPEC 5.3). */
export function missingProfileNote(profilerPath: string): SafeHtml {
  return html`<h2>There is no such profile</h2>
    <p>It was never recorded, or it was old enough to make room for newer ones.</p>
    <p><a href="${profilerPath}/">All profiles</a> · <a href="${profilerPath}/latest">The newest one</a></p>`
}

/** The same as JSON. */
export const missingProfile = { error: 'There is no such profile.' } as const

/** For a panel or type that does not exist. */
export function missingPanelNote(
  panels: readonly Panel[],
  token: string,
  linkTo: (token: string, panel: string) => string,
): SafeHtml {
  return html`<h2>There is no such panel</h2>
    <p>This profile is of the type <code>request</code> and has these panels:</p>
    <ul class="panel-names">
      ${panels.map((panel) => html`<li><a href="${linkTo(token, panel.name)}">${panel.title}</a> <code>panel=${panel.name}</code></li> `)}
    </ul>`
}

/** The same as JSON. */
export function missingPanel(panels: readonly Panel[]): object {
  return { error: 'There is no such panel.', type: 'request', panels: panels.map(({ name }) => name) }
}
