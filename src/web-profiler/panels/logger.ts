// Draws the log of the request: errors first.

import { emptyState } from '../../html/components.ts'
import { html } from '../../html/html.ts'
import { logFilter } from '../../pages/log-filter.ts'
import { isProblem, logTable } from '../../pages/log-table.ts'
import type { LoggerData } from '../../profiler/collectors/logger.ts'
import { keptMark } from '../kept-mark.ts'
import type { Panel } from '../panel.ts'

/** The lines, and how many were not kept. */
export const loggerPanel: Panel<LoggerData> = {
  name: 'logger',
  title: 'Logs',
  badge: ({ records }) => {
    const problems = records.filter(({ level }) => isProblem(level))
    const hasErrors = problems.some(({ level }) => level !== 'warn')
    if (problems.length > 0) return { count: problems.length, tone: hasErrors ? 'error' : 'warning' }
    return { count: records.length, tone: 'neutral' }
  },
  render: (data) => {
    if (data === undefined) return emptyState('Nothing was logged during this request.')
    const { records, dropped } = data
    return html`<section>
      ${keptMark(records.length, dropped, 'lines')} ${logFilter(records)}${logTable(records)}
    </section>`
  },
}
