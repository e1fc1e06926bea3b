// Draws the log of the request in order of time. What Node or a library warned of has its own section.

import { emptyState, formatCount } from '../../base/html/components.ts'
import { html, type SafeHtml } from '../../base/html/html.ts'
import { logFilter, logTable } from '../../errors/page/log.ts'
import { warningChannels } from '../../base/log/lines.ts'
import { isProblem, type LogRecord } from '../../base/log/logger.ts'
import { lineAnchor, loggerName as name, type LoggerData } from '../../observe/collectors/logger.ts'
import { countOf, cutMark } from '../../base/html/page-budget.ts'
import type { Panel } from '../panel.ts'

/** More than the lines of nearly every profile. */
const maxBytes = 700_000

export const loggerPanel: Panel<LoggerData> = {
  name,
  title: 'Logs',
  badge: ({ records, dropped }) => {
    const problems = records.filter(({ level }) => isProblem(level))
    const hasErrors = problems.some(({ level }) => level !== 'warn')
    const count = records.length + dropped
    const hint = countOf(count, 'line')
    if (problems.length === 0) return { count, tone: 'neutral', hint }
    const what = hasErrors
      ? countOf(problems.length, 'error', 'errors and warnings')
      : countOf(problems.length, 'warning')
    return { count: problems.length, tone: hasErrors ? 'error' : 'warning', hint: `${what}, ${hint}` }
  },
  render: (data, { values, profile, linkTo }) => {
    if (data === undefined) return emptyState('Nothing was logged during this request.')
    const ids = new Map(data.records.map((record, index) => [record, lineAnchor(index)]))
    const drawn = (records: readonly LogRecord[]): SafeHtml =>
      logTable(records, { maxBytes, idOf: (record) => ids.get(record) })
    const warnings = data.records.filter(({ channel }) => warningChannels.has(channel))
    const records = data.records.filter(({ channel }) => !warningChannels.has(channel))
    // A file has neither scripts nor other panels.
    const head =
      values === undefined
        ? null
        : html`<div class="row log-head">
            ${logFilter(records)}
            <a class="button screen-only" href="${linkTo(profile.token, 'time')}&kind=log#timeline">In the timeline</a>
          </div>`
    const lines =
      records.length === 0 && data.dropped === 0
        ? emptyState('The application logged nothing during this request.')
        : html`${head}${drawn(records)}${cutAtEnd(data)}`
    return html`<section>${keptLine(data)}${lines}</section>
      ${
        warnings.length === 0
          ? null
          : html`<section>
              <h3>Deprecations and warnings</h3>
              <p class="muted small">From Node and libraries. Node reports each deprecation once per process.</p>
              ${drawn(warnings)}
            </section>`
      }`
  },
}

function keptLine({ records, dropped }: LoggerData): SafeHtml | null {
  if (dropped === 0) return null
  const all = records.length + dropped
  return html`<p class="small log-kept">
    ${formatCount(records.length)} of ${formatCount(all)} lines recorded: the first, the last, and warnings and errors.
  </p>`
}

/** Lines that are missing below the last one. */
function cutAtEnd({ records, dropped }: LoggerData): SafeHtml | null {
  const missing = dropped - records.reduce((sum, { leftOutBefore = 0 }) => sum + leftOutBefore, 0)
  return missing > 0 ? cutMark(`${countOf(missing, 'more line')} cut.`) : null
}
