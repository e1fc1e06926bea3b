// The panel *Currency*: store, collection, filter, outcome, time and record of the one read.

import { html } from '../../src/index.ts'
import { badge, emptyState, formatDuration, keyValueTable, type Panel } from '../../src/profiler.ts'
import type { CurrencyRead } from './read.ts'

export const currencyPanel: Panel<CurrencyRead> = {
  name: 'currency',
  title: 'Currency',
  of: 'requests',
  badge: ({ outcome }) =>
    outcome === 'hit' ? undefined : { count: 1, tone: toneOf(outcome), hint: `the read: ${outcome}` },
  toolbar: ({ filter, outcome }) => ({
    text: `${filter.code} ${outcome}`,
    tone: outcome === 'hit' ? 'neutral' : toneOf(outcome),
  }),
  render: (read) => {
    if (read === undefined) return emptyState('This request read no currency record.')
    return html`${keyValueTable(
        [
          ['Outcome', badge(read.outcome, read.outcome === 'hit' ? 'success' : toneOf(read.outcome))],
          ['Store', read.store],
          ['Collection', read.collection],
          ['Filter', JSON.stringify(read.filter)],
          ['Code from', read.source],
          ['Duration', formatDuration(read.durationMs)],
          ['Read from', read.cached ? 'memory, which follows the store' : 'the store'],
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

function toneOf(outcome: Exclude<CurrencyRead['outcome'], 'hit'>): 'warning' | 'error' {
  return outcome === 'miss' ? 'warning' : 'error'
}
