// What the profiler says when there is nothing to show.

import { codeSpan } from '../../errors/markdown-text.ts'
import { nearestName } from '../../framework/config/nearest-name.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import type { Panel } from './panel.ts'
import { profileType, type AskedPart } from './asked-part.ts'
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

/** Status of the answer to what asks for a part that is not there, or that cannot be meant. */
export function missingStatus({ problem }: AskedPart): number {
  return problem === null ? 404 : 400
}

/** For a panel or type that does not exist, or an address that cannot be meant. `linkTo` gives the address of a panel. */
export function missingPanelNote(
  panels: readonly Panel[],
  asked: AskedPart,
  linkTo: (panel: string) => string,
): SafeHtml {
  return html`<h2>${missingTitle(asked)}</h2>
    <p class="note tone-warning">${missingPart(panels, asked)}</p>
    <p>This profile is of the type <code>request</code> and has these panels:</p>
    <ul class="panel-names">
      ${panels.map((panel) => html`<li><a href="${linkTo(panel.name)}">${panel.title}</a> <code>panel=${panel.name}</code></li> `)}
    </ul>`
}

/** The same as JSON. */
export function missingPanel(panels: readonly Panel[], asked: AskedPart): object {
  return { error: missingPart(panels, asked), type: 'request', panels: panels.map(({ name }) => name) }
}

/** The same as Markdown. */
export function missingPanelMarkdown(panels: readonly Panel[], asked: AskedPart): string {
  return `${codeSpan(missingPart(panels, asked))} There are: ${panels.map(({ name }) => codeSpan(name)).join(', ')}\n`
}

function missingTitle(asked: AskedPart): string {
  if (asked.problem !== null) return 'This address cannot be used'
  return hasKnownType(asked) ? 'There is no such panel' : 'There is no such type'
}

function missingPart(panels: readonly Panel[], asked: AskedPart): string {
  if (asked.problem !== null) return asked.problem
  return hasKnownType(asked)
    ? `There is no ${named('panel', asked.panel ?? '')}.${meantPanel(panels, asked.panel ?? '')}`
    : `There is no ${named('type', asked.type)}; allowed: request.`
}

/** By its name or its title: ` Did you mean "http-client"?`; nothing where no panel is near. */
function meantPanel(panels: readonly Panel[], asked: string): string {
  const wanted = asked.toLowerCase().replaceAll('_', '-')
  const nearest =
    nearestName(
      wanted,
      panels.map(({ name }) => name),
    ) ?? titled(panels, wanted)
  return nearest === null ? '' : ` Did you mean ${quoted(nearest)}?`
}

function titled(panels: readonly Panel[], asked: string): string | null {
  return panels.find(({ title }) => title.toLowerCase() === asked)?.name ?? null
}

/** Only what could be a name is said again. */
function named(what: string, name: string): string {
  return /^[\w-]{1,40}$/.test(name) ? `${what} ${quoted(name)}` : `such ${what}`
}

function hasKnownType({ type }: AskedPart): boolean {
  return type === profileType
}
