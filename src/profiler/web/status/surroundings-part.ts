// Draws packages and names of environment variables: on the status page, and beside the configuration of a profile, with which
// they are not kept. A profile of another process than this one gets a sentence and a way to the status page.

import { performance } from 'node:perf_hooks'
import { keyValueTable } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { countOf, cutText } from '../../../errors/page/page-budget.ts'
import type { Profile } from '../../profile.ts'
import { readSurroundings, type Surroundings } from './surroundings.ts'

/** Those of the process that made the profile, where that is this one; else `null`. */
export async function surroundingsOf(
  { data }: Pick<Profile, 'data'>,
  projectRoot: string | undefined,
): Promise<Surroundings | null> {
  if (projectRoot === undefined || !isOfThisProcess(data['config'])) return null
  return readSurroundings(projectRoot, process.env)
}

/** What stands below the facts of a profile's configuration. */
export function surroundingsSection(surroundings: Surroundings | null, profilerPath: string): SafeHtml {
  const status = html`<a href="${profilerPath}/status">status page</a>`
  if (surroundings === null) {
    return html`<h3>Packages and environment variables</h3>
      <p>
        They are not kept with each profile, and this one was made by another process than the one that shows it. Those
        of the process that runs now are on the ${status}.
      </p>`
  }
  return html`<h3>Packages</h3>
    ${packageTable(surroundings)}
    <h3>Environment variables</h3>
    ${environmentNameList(surroundings)}
    <p class="muted small">
      Not kept with the profile: both are of the process that made it, as it is now. Every limit in force is on the
      ${status}.
    </p>`
}

/** A row for each package, and what they are. */
export function packageTable({ packages }: Surroundings): SafeHtml {
  const rows = packages.map(({ name, version }) => [cutText(name, 200), version ?? 'not installed'] as const)
  return html`${keyValueTable(rows, { caption: 'Packages', empty: 'The application depends on no package.' })}
    <p class="muted small">What the package.json of the application depends on, as it is installed now.</p>`
}

/** The names, folded away: there are many. */
export function environmentNameList({ environmentNames, omitted }: Surroundings): SafeHtml {
  return html`<details class="fold">
    <summary>${countOf(environmentNames.length, 'name')}; values are not shown</summary>
    <p class="mono small environment-names">${environmentNames.join(' ')}</p>
    ${omitted === 0 ? null : html`<p class="muted small">${countOf(omitted, 'more name')}, of packages and variables, left out.</p>`}
  </details>`
}

// Of a store that many processes write, and of a process number that was given twice, only its start tells them apart.
function isOfThisProcess(config: unknown): boolean {
  if (typeof config !== 'object' || config === null) return false
  const { processId, startedAt } = config as { readonly processId?: unknown; readonly startedAt?: unknown }
  return processId === process.pid && startedAt === Math.round(performance.timeOrigin)
}

/** Comes after the theme. */
export const surroundingsStyles: SafeHtml = styleSheet(`
.environment-names { margin-top: var(--space-2); overflow-wrap: anywhere; word-spacing: .5em }
`)
