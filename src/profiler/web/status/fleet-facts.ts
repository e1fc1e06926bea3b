// What the status says of a store that several machines share: what waits or was lost, and who takes part.

import { countOf } from '../../../errors/page/page-budget.ts'
import { codeSpan } from '../../../errors/markdown-text.ts'
import {
  columnHead,
  dataTable,
  formatAge,
  formatBytes,
  formatCount,
  formatRate,
  formatTime,
} from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import type { FleetMember } from '../../fleet-stats.ts'
import type { ProfileStoreStats } from '../../profile-store.ts'
import { missingSentence } from '../../query/missing-parts.ts'
import type { FleetPaceState } from '../../sampling/fleet-pace.ts'
import type { RecorderStatus } from '../../sampling/recorder-status.ts'

type Row = readonly [name: string, value: string]

/** Title of the section, and of the table of processes. */
export const fleetTitle = 'Store on many machines'
export const membersTitle = 'Processes that share the store'

/** Processes that are listed at most; the others are counted. */
const maxMembers = 100

/** What is wrong now or went wrong, a sentence each. */
export function fleetProblems({ missing, fleet }: ProfileStoreStats): readonly string[] {
  const outage = fleet?.outage ?? null
  const lost = fleet?.dropped ?? 0
  return [
    ...(missing === undefined ? [] : [missingSentence(missing)]),
    ...(outage === null ? [] : [`Out of reach since ${formatTime(outage.since)} UTC: ${outage.reason}`]),
    ...(lost === 0 ? [] : [`${countOf(lost, 'profile')} lost: their part of the store was out of reach for too long.`]),
  ]
}

/** Rows of the section; none for a store that belongs to one machine. `now` is in milliseconds since 1970. */
export function fleetRows({ missing, fleet }: ProfileStoreStats, now: number): readonly Row[] {
  if (fleet === undefined) return []
  const { held, heldBytes, maxHeld, maxHeldBytes, late, dropped, unconfirmed, outage, members, currenciesTime } = fleet
  return [
    [
      'Parts out of reach',
      missing === undefined ? 'none' : `${formatCount(missing.parts)} of ${formatCount(missing.of)}`,
    ],
    ...(outage === null ? [] : [['Out of reach for', formatAge(Math.max(0, now - outage.since))] as const]),
    ['Held until their part is back', `${formatCount(held)} of at most ${formatCount(maxHeld)}`],
    ['Size of these', `${formatBytes(heldBytes)} of at most ${formatBytes(maxHeldBytes)}`],
    ['Held and stored later', formatCount(late)],
    ['Held and dropped', formatCount(dropped)],
    ['Stored, but confirmed by no replica', formatCount(unconfirmed)],
    ...(currenciesTime === undefined ? [] : [['Currencies', ageText(currenciesTime, now)] as const]),
    ...(members === undefined ? [] : [['Processes', membersText(members)] as const]),
  ]
}

/** Rows about this process's part of what the store takes. */
export function paceRows({ budget, perSecond, demand, processes }: FleetPaceState): readonly Row[] {
  return [
    ['All processes keep at most', aSecond(budget)],
    ['Processes', processes === null ? 'not known yet' : formatCount(processes)],
    ['This process may keep', aSecond(perSecond)],
    ['It would keep', aSecond(demand)],
  ]
}

/** What is wrong with that part; `null` while the store names it, and where no store is shared. */
export function paceProblem(pace: FleetPaceState | null): string | null {
  if (pace === null || pace.failure === null) return null
  const { since, reason } = pace.failure
  return `The store has not said since ${formatTime(since)} UTC how much this process may keep, so the last share counts, ${aSecond(pace.perSecond)}: ${reason}`
}

function aSecond(profiles: number): string {
  return `${formatRate(profiles)} profiles a second`
}

function ageText(time: number | null, now: number): string {
  return time === null ? 'not read yet' : `read ${formatAge(Math.max(0, now - time))} ago`
}

/** `12 on 3 machines` */
function membersText(members: readonly FleetMember[]): string {
  const machines = new Set(members.map(({ host }) => host)).size
  return `${formatCount(members.length)} on ${countOf(machines, 'machine')}`
}

/** The process that draws the page. */
export type OwnProcess = Pick<RecorderStatus, 'host' | 'processId'>

/** Every process that takes part; nothing where none is known. */
export function memberTable({ fleet }: ProfileStoreStats, own: OwnProcess): SafeHtml | null {
  const members = fleet?.members ?? []
  if (members.length === 0) return null
  const rest = members.length - maxMembers
  return html`<section aria-labelledby="members">
    <h2 id="members">${membersTitle}</h2>
    ${dataTable(
      'members',
      membersTitle,
      ['Machine', 'Process', 'Version', 'Since (UTC)', 'Last heard (UTC)', ...['Held', 'Dropped'].map(numberHead)],
      members.slice(0, maxMembers).map((member) => memberRow(member, own)),
    )}
    <p class="muted small">
      ${rest > 0 ? `${formatCount(rest)} more are not shown. ` : null}Times are of the store’s clock; a process that is
      silent for long is no longer listed.
    </p>
  </section>`
}

function numberHead(title: string): SafeHtml {
  return columnHead(title, 'number')
}

function memberRow({ host, pid, version, since, time, held, dropped }: FleetMember, own: OwnProcess): SafeHtml {
  const isOwn = host === own.host && pid === own.processId
  return html`<tr>
    <th scope="row">${cutText(host, 100)}</th>
    <td data-label="process">${pid}${isOwn ? html` <span class="muted">this one</span>` : null}</td>
    <td data-label="version">${version === null ? html`<span class="muted">none</span>` : cutText(version, 64)}</td>
    <td data-label="since">${clock(since)}</td>
    <td data-label="last heard">${clock(time).slice(11)}</td>
    <td class="number" data-label="held">${formatCount(held)}</td>
    <td class="number" data-label="dropped">${formatCount(dropped)}</td>
  </tr> `
}

/** The same in Markdown, a line each. */
export function memberLines({ fleet }: ProfileStoreStats): readonly string[] {
  const members = fleet?.members ?? []
  const lines = members.slice(0, maxMembers).map(({ host, pid, version, since, time, held, dropped }) => {
    const named = version === null ? '' : `, version ${codeSpan(version)}`
    return `- ${codeSpan(`${host} ${pid}`)}${named}: since ${clock(since)}, last heard ${clock(time).slice(11)}, held ${held}, dropped ${dropped}`
  })
  return members.length > maxMembers ? [...lines, `- and ${members.length - maxMembers} more`] : lines
}

/** To the second. */
function clock(time: number): string {
  return formatTime(time).slice(0, 19)
}

export const fleetStyles: SafeHtml = styleSheet(`
.members :is(th, td) { font-size: var(--size-small); overflow-wrap: anywhere }
.members tbody th { font-weight: 400; font-family: var(--mono) }
@media (max-width: 48rem) {
  .members thead { display: none }
  .members, .members tbody { display: block }
  .members tr { display: block; padding: var(--space-2) var(--space-3); border-top: 1px solid var(--line) }
  .members tbody tr:first-child { border-top: 0 }
  .members tr > * { display: inline-block; border: 0 !important; padding: 0 var(--space-3) 0 0; box-shadow: none !important }
  .members th { display: block }
  .members td[data-label]::before { content: attr(data-label) ' '; color: var(--muted) }
}
`)
