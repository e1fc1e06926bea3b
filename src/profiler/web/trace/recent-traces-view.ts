// The newest traces of several requests, and the form that asks for one.

import { badge, emptyState, formatClock, formatCount } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { shortened, untrustedSpans } from '../../query/profile-facts.ts'
import type { RecentTrace, RecentTraces } from '../../traces/recent-traces.ts'
import { columnLines, columnStyles, columnTable, type Column } from '../columns.ts'
import { textField } from '../form-parts.ts'

const maxText = 160
const noTraces = 'No traces with several requests'

function scopeOf({ searchedNewest }: RecentTraces): string | null {
  return searchedNewest === undefined ? null : `Only the newest ${formatCount(searchedNewest)} requests were looked at.`
}

function emptyText(recent: RecentTraces): string {
  const scope = scopeOf(recent)
  return scope === null ? `${noTraces} yet.` : `${noTraces}. ${scope}`
}

export function traceForm(id: string, profilerPath: string): SafeHtml {
  return html`<form class="row trace-form screen-only" action="${profilerPath}/trace">
    ${textField({ name: 'id', label: 'Trace ID, or token of a profile', value: id, hint: '4bf92f3577b34da6a3ce929d0e0e4736', className: 'wide' })}
    <button class="button">Show</button>
  </form>`
}

function traceColumns(profilerPath: string): readonly Column<RecentTrace>[] {
  return [
    {
      title: 'Root',
      text: ({ subject, hasError }) => `${subject}${hasError ? ', error' : ''}`,
      cell: ({ subject, traceId, hasError }) =>
        html`<a href="${profilerPath}/trace?id=${traceId}">${shortened(subject, maxText) || traceId}</a
          >${hasError ? html` ${badge('error', 'error')}` : null}`,
    },
    { title: 'Services', text: ({ services }) => shortened(services.join(', '), maxText) },
    { title: 'Requests', text: ({ count }) => formatCount(count), className: 'number' },
    { title: 'Time (UTC)', text: ({ time }) => formatClock(time) },
  ]
}

export function recentTraces(recent: RecentTraces, profilerPath: string): SafeHtml {
  const { traces } = recent
  const scope = scopeOf(recent)
  const help = ' fetch and node:http pass the header traceparent on.'
  const table = columnTable(traceColumns(profilerPath), traces, {
    className: 'recent-traces',
    caption: 'Traces, newest first',
    tone: ({ hasError }) => (hasError ? 'error' : 'neutral'),
  })
  return html`${traceForm('', profilerPath)} ${traces.length === 0 ? emptyState(`${emptyText(recent)}${help}`) : table}
  ${traces.length === 0 || scope === null ? null : html`<p class="muted small">${scope}</p>`}`
}

export function recentTracesMarkdown(recent: RecentTraces, profilerPath: string): string {
  const { traces } = recent
  const scope = scopeOf(recent)
  if (traces.length === 0) return `# Traces\n\n${emptyText(recent)}\n`
  const address: Column<RecentTrace> = {
    title: 'Address',
    text: ({ traceId }) => `${profilerPath}/trace.md?id=${traceId}`,
  }
  const lines = columnLines([...traceColumns(profilerPath), address], traces)
  return `# Traces\n\n${untrustedSpans}\n\n${lines.join('\n')}\n${scope === null ? '' : `\n${scope}\n`}`
}

export const recentTracesStyles: SafeHtml = columnStyles('recent-traces', '40rem')
