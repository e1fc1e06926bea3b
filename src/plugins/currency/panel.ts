// Draws the one read of a currency record.

import type { CurrencyRead } from './currency-read.ts'
import { badge, emptyState, formatDuration, keyValueTable, type Tone } from '../../framework/html/components.ts'
import { html } from '../../framework/html/html.ts'
import type { Panel } from '../../profiler/web/panel.ts'

const outcomeTones: Readonly<Record<CurrencyRead['outcome'], Tone>> = {
  hit: 'success',
  miss: 'warning',
  timeout: 'error',
  error: 'error',
}

/** Store, collection, filter, outcome, time, record. */
export const currencyPanel: Panel<CurrencyRead> = {
  name: 'currency',
  title: 'Currency',
  of: 'requests',
  badge: (read) =>
    read.outcome === 'hit'
      ? undefined
      : { count: 1, tone: read.outcome === 'miss' ? 'warning' : 'error', hint: `the read: ${read.outcome}` },
  toolbar: ({ filter, outcome }) => ({
    text: `${filter.code} ${outcome}`,
    tone: outcome === 'hit' ? 'neutral' : outcome === 'miss' ? 'warning' : 'error',
  }),
  render: (read) => {
    if (read === undefined) return emptyState('This request read no currency record.')
    return html`${keyValueTable(
        [
          ['Outcome', badge(read.outcome, outcomeTones[read.outcome])],
          ['Store', read.store],
          ['Collection', read.collection],
          ['Filter', JSON.stringify(read.filter)],
          ['Code from', read.source],
          ['Duration', formatDuration(read.durationMs)],
          ['Read from', read.cached ? 'the cache' : 'the store'],
          ...(read.error === null ? [] : [['Failure', read.error] as const]),
        ],
        { caption: 'Read' },
      )}
      <h3>Record</h3>
      ${
        read.currency === null
          ? emptyState('There is no record with this code; the page was served without one.')
          : keyValueTable(
              Object.entries(read.currency).map(([name, value]) => [name, String(value)] as const),
              { caption: 'Record' },
            )
      }`
  },
}
