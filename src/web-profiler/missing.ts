// What the profiler says when there is nothing to show.

import { codeSpan } from '../errors/markdown-text.ts'
import { html, type SafeHtml } from '../html/html.ts'
import type { Panel } from './panel.ts'
import { quoted } from './query-values.ts'

/** For a token without a profile. Says nothing of the token: every such page is the same (SPEC 5.3). */
export function missingProfileNote(profilerPath: string): SafeHtml {
  return html`<h2>There is no such profile</h2>
    <p>It was never recorded, or it was old enough to make room for newer ones.</p>
    <p><a href="${profilerPath}/">All profiles</a> · <a href="${profilerPath}/latest">The newest one</a></p>`
}

/** The same as JSON. */
export const missingProfile = { error: 'There is no such profile.' } as const

/** The same as Markdown. */
export const missingProfileMarkdown: string = `${missingProfile.error}\n`

/** What an address asks of a profile. */
export interface AskedPart {
  /** Name of a panel; `undefined` where none is named. */
  readonly panel: string | undefined
  readonly type: string
}

/** For a panel or type that does not exist. `linkTo` gives the address of a panel. */
export function missingPanelNote(
  panels: readonly Panel[],
  asked: AskedPart,
  linkTo: (panel: string) => string,
): SafeHtml {
  return html`<h2>${hasKnownType(asked) ? 'There is no such panel' : 'There is no such type'}</h2>
    <p class="note tone-warning">${missingPart(asked)}</p>
    <p>This profile is of the type <code>request</code> and has these panels:</p>
    <ul class="panel-names">
      ${panels.map((panel) => html`<li><a href="${linkTo(panel.name)}">${panel.title}</a> <code>panel=${panel.name}</code></li> `)}
    </ul>`
}

/** The same as JSON. */
export function missingPanel(panels: readonly Panel[], asked: AskedPart): object {
  return { error: missingPart(asked), type: 'request', panels: panels.map(({ name }) => name) }
}

/** The same as Markdown. */
export function missingPanelMarkdown(panels: readonly Panel[], asked: AskedPart): string {
  return `${codeSpan(missingPart(asked))} There are: ${panels.map(({ name }) => codeSpan(name)).join(', ')}\n`
}

function missingPart(asked: AskedPart): string {
  return hasKnownType(asked)
    ? `There is no ${named('panel', asked.panel ?? '')}.`
    : `There is no ${named('type', asked.type)}; allowed: request.`
}

/** Only what could be a name is said again. */
function named(what: string, name: string): string {
  return /^[\w-]{1,40}$/.test(name) ? `${what} ${quoted(name)}` : `such ${what}`
}

function hasKnownType({ type }: AskedPart): boolean {
  return type === profileType
}

/** The one type of profile that there is (SPEC 5.1). */
export const profileType = 'request'
