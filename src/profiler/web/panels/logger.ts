// Draws the log of the request: errors first. What Node or a library warned of stands apart.

import { emptyState } from '../../../framework/html/components.ts'
import { html } from '../../../framework/html/html.ts'
import { logFilter, isProblem, logTable } from '../../../errors/page/log-table.ts'
import { warningChannels } from '../../../framework/log/lines.ts'
import type { LoggerData } from '../../collectors/logger.ts'
import { keptMark } from '../notes.ts'
import { countOf } from '../../../errors/page/page-budget.ts'
import type { Panel } from '../panel.ts'

export const loggerPanel: Panel<LoggerData> = {
  name: 'logger',
  title: 'Logs',
  badge: ({ records }) => {
    const problems = records.filter(({ level }) => isProblem(level))
    const hasErrors = problems.some(({ level }) => level !== 'warn')
    const hint = countOf(records.length, 'line')
    if (problems.length === 0) return { count: records.length, tone: 'neutral', hint }
    const what = hasErrors
      ? countOf(problems.length, 'error', 'errors and warnings')
      : countOf(problems.length, 'warning')
    return { count: problems.length, tone: hasErrors ? 'error' : 'warning', hint: `${what}, ${hint}` }
  },
  render: (data) => {
    if (data === undefined) return emptyState('Nothing was logged during this request.')
    const { dropped } = data
    const warnings = data.records.filter(({ channel }) => warningChannels.has(channel))
    const records = data.records.filter(({ channel }) => !warningChannels.has(channel))
    const lines =
      records.length === 0 && dropped === 0
        ? emptyState('The application logged nothing during this request.')
        : html`${keptMark(records.length, dropped, 'lines')} ${logFilter(records)}${logTable(records)}`
    return html`<section>${lines}</section>
      ${
        warnings.length === 0
          ? null
          : html`<section>
              <h3>Deprecations and warnings</h3>
              <p class="muted small">From Node and libraries. Node reports each deprecation once per process.</p>
              ${logTable(warnings)}
            </section>`
      }`
  },
}
