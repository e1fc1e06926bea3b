// What the status says of a store that several machines share: what waits or was lost, and who takes part.

import { countOf } from '../../../errors/page/page-budget.ts'
import {
  formatAge,
  formatBytes,
  formatClock,
  formatCount,
  formatTime,
  section,
} from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import type { FleetMember } from '../../fleet-stats.ts'
import type { ProfileStoreStats } from '../../profile-store.ts'
import { missingSentence } from '../../query/missing-parts.ts'
import type { RecorderStatus } from '../../sampling/recorder-status.ts'
import { columnLines, columnStyles, columnTable, type Column } from '../columns.ts'

type Row = readonly [name: string, value: string]

export const fleetTitle = 'Store on many machines'
export const membersTitle = 'Processes that share the store'

/** Processes that are listed at most; the others are counted. */
const maxMembers = 100

/** What is wrong now or went wrong, a sentence each. */
export function fleetProblems({ missing, fleet }: ProfileStoreStats): readonly string[] {
  const outage = fleet?.outage ?? null
  const { dropped: lost = 0, displaced = 0 } = fleet ?? {}
  return [
    ...(missing === undefined ? [] : [missingSentence(missing)]),
    ...(outage === null ? [] : [`Out of reach since ${formatTime(outage.since)} UTC: ${outage.reason}`]),
    ...(lost === 0 ? [] : [`${countOf(lost, 'profile')} lost: their part of the store was out of reach for too long.`]),
    ...(displaced === 0
      ? []
      : [`${countOf(displaced, 'stored profile')} removed: the memory of their server was full.`]),
  ]
}

/** Rows of the section; none for a store that belongs to one machine. `now` is in milliseconds since 1970. */
export function fleetRows({ missing, fleet }: ProfileStoreStats, now: number): readonly Row[] {
  if (fleet === undefined) return []
  const { held, heldBytes, maxHeld, maxHeldBytes, late, dropped, unconfirmed, outage, members } = fleet
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
    ...(members === undefined ? [] : [['Processes', membersText(members)] as const]),
  ]
}

/** `12 on 3 machines` */
function membersText(members: readonly FleetMember[]): string {
  const machines = new Set(members.map(({ host }) => host)).size
  return `${formatCount(members.length)} on ${countOf(machines, 'machine')}`
}

/** Every process that takes part; nothing where none is known. `own` is the process that draws the page. */
export function memberTable(
  { fleet }: ProfileStoreStats,
  own: Pick<RecorderStatus, 'host' | 'processId'>,
): SafeHtml | null {
  const members = fleet?.members ?? []
  if (members.length === 0) return null
  const rest = members.length - maxMembers
  const table = columnTable(memberColumns(own), members.slice(0, maxMembers), {
    className: 'members',
    caption: membersTitle,
  })
  return section(
    'members',
    membersTitle,
    html`${table}
      <p class="muted small">
        ${rest > 0 ? `${formatCount(rest)} more are not shown. ` : null}Times are of the store’s clock; a process that
        is silent for long is no longer listed.
      </p>`,
  )
}

/** The same in Markdown, a line each. */
export function memberLines(
  { fleet }: ProfileStoreStats,
  own: Pick<RecorderStatus, 'host' | 'processId'>,
): readonly string[] {
  const members = fleet?.members ?? []
  const rest = members.length - maxMembers
  const lines = columnLines(memberColumns(own), members.slice(0, maxMembers))
  return rest > 0 ? [...lines, `- and ${formatCount(rest)} more`] : lines
}

function memberColumns(own: Pick<RecorderStatus, 'host' | 'processId'>): readonly Column<FleetMember>[] {
  return [
    { title: 'Machine', text: ({ host }) => host, className: 'mono' },
    {
      title: 'Process',
      text: ({ host, pid }) => `${pid}${host === own.host && pid === own.processId ? ', this one' : ''}`,
    },
    { title: 'Version', text: ({ version }) => version },
    { title: 'Since (UTC)', text: ({ since }) => formatClock(since) },
    { title: 'Last heard (UTC)', text: ({ time }) => formatClock(time).slice(11) },
    { title: 'Held', text: ({ held }) => formatCount(held), className: 'number' },
    { title: 'Dropped', text: ({ dropped }) => formatCount(dropped), className: 'number' },
  ]
}

export const fleetStyles: SafeHtml = columnStyles('members', '48rem')
