// The performance panel: shares of time, hold-ups, timeline, memory.

import { emptyState, formatDuration, formatBytes, keyValueTable } from '../../../framework/html/components.ts'
import { html, type SafeHtml, type HtmlValue } from '../../../framework/html/html.ts'
import { keptMark } from '../notes.ts'
import { countOf } from '../../../errors/page/page-budget.ts'
import type { Panel, PanelView } from '../panel.ts'
import { hindrances, othersInTheWay, sharesExplained, timeShares, type ShownTime } from './time-shares.ts'
import { timeline } from './timeline.ts'

/** Performance. */
export const timePanel: Panel<ShownTime> = {
  name: 'time',
  title: 'Performance',
  badge: (data) => {
    const others = new Set([...othersInTheWay(data), ...(data.blocked ?? [])].map(({ token }) => token)).size
    return others === 0
      ? undefined
      : { count: others, tone: 'warning', hint: `blocked loop: ${countOf(others, 'other request')}` }
  },
  render: (data, view) => {
    if (data === undefined) return emptyState('No time was measured.')
    const { spans, droppedSpans, ownCpuMs = null } = data
    return html`${timeShares(data)} ${ownCpuMs === null ? notShared(view) : sharesExplained} ${hindrances(data, view)}
      <h3>Time line</h3>
      ${keptMark(spans.length, droppedSpans, 'spans')}
      ${spans.length === 0 ? emptyState('No span was measured inside this request.') : timeline(data, view)}
      ${subRequests(data, view)} ${processSection(data)}`
  },
}

function notShared({ profile, linkTo }: PanelView): SafeHtml {
  const { parentToken } = profile
  return parentToken === null
    ? html`<p class="muted small">How this time divides was not measured.</p>`
    : html`<p class="muted small">
        This is a sub-request: what ran for it counts with <a href="${linkTo(parentToken, 'time')}">its parent</a>.
      </p>`
}

function subRequests({ subRequests: list }: ShownTime, { linkTo }: PanelView): SafeHtml | null {
  if (list.length === 0) return null
  return html`<h3>Sub-requests</h3>
    <ul>
      ${list.map(
        (sub) =>
          html`<li>
            ${sub.handler} <a class="mono" href="${linkTo(sub.token, 'time')}">${sub.token}</a>
            <span class="muted">from ${formatDuration(sub.startMs)}, for ${formatDuration(sub.durationMs)}</span>
          </li> `,
      )}
    </ul>`
}

type Row = readonly [name: string, value: HtmlValue]

/** Two tables; nothing where nothing was measured. */
function processSection(data: ShownTime): SafeHtml {
  const { memory = null, profilerMs = null } = data
  return html`${
    memory === null
      ? null
      : html`<h3>Memory</h3>
          ${keyValueTable(memoryRows(data, memory), { caption: 'Memory of the process' })}
          <p class="muted small">
            Memory belongs to the whole process: other requests of the same time are in these figures. The heap is read
            every 5 ms at most, resident memory once a second.
          </p>`
  }
  ${
    profilerMs === null
      ? null
      : html`<h3>Cost of the profiler</h3>
          ${keyValueTable(costRows(data, profilerMs), { caption: 'What recording took of this request' })}`
  }`
}

function memoryRows(data: ShownTime, memory: NonNullable<ShownTime['memory']>): readonly Row[] {
  const { heapBefore, heapAfter, heapLimit, resident } = memory
  const change = heapAfter - heapBefore
  const pauses = data.garbagePauses ?? []
  const pausedMs = pauses.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const kinds = [...new Set(pauses.map(({ kind }) => kind))].join(', ')
  return [
    ['Heap before', formatBytes(heapBefore)],
    ['Heap after', `${formatBytes(heapAfter)} (${change < 0 ? '−' : '+'}${formatBytes(Math.abs(change))})`],
    ['Limit of the heap', formatBytes(heapLimit)],
    ['Resident memory', formatBytes(resident)],
    [
      'Pauses for garbage',
      pauses.length === 0
        ? 'none in this request'
        : `${countOf(pauses.length, 'pause')} (${kinds}), ${formatDuration(pausedMs)} in all`,
    ],
  ]
}

function costRows({ instrumentationMs }: ShownTime, profilerMs: number): readonly Row[] {
  return [
    ['To begin the recording', formatDuration(profilerMs)],
    ...(instrumentationMs === undefined
      ? []
      : [['Its listeners while the request ran', formatDuration(instrumentationMs)] as const]),
    ['To collect and to store', 'after the answer has left; the sums are on the status page'],
  ]
}
