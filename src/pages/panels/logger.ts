// Draws the log of the request in order of time. What Node or a library warned of has its own section.

import { emptyState, formatCount } from '../../base/html/components.ts'
import { html, type SafeHtml } from '../../base/html/html.ts'
import { logFilter } from '../../errors/page/log-filter.ts'
import { logTable } from '../../errors/page/log-table.ts'
import { warningChannels } from '../../base/log/lines.ts'
import { isProblem } from '../../base/log/logger.ts'
import type { LogRecord } from '../../base/log/record-logger.ts'
import { isOfLevel, lineAnchor, lineHas, loggerName as name, type LoggerData } from '../../observe/collectors/logger.ts'
import { countOf, cutMark } from '../../base/html/page-budget.ts'
import type { Panel, PanelView } from '../panel.ts'

/** Lines of a page. */
const pageLines = 600
/** Bytes if no other page can have the rest. */
const staticBytes = 700_000
const parameters = ['level', 'find', 'order', 'from'] as const

export const loggerPanel: Panel<LoggerData> = {
  name,
  title: 'Logs',
  parameters,
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
  render: (data, view) => {
    if (data === undefined) return emptyState('Nothing was logged during this request.')
    const warnings = data.records.filter(({ channel }) => warningChannels.has(channel))
    const records = data.records.filter(({ channel }) => !warningChannels.has(channel))
    const ids = new Map(data.records.map((record, index) => [record, lineAnchor(index)]))
    const idOf = (record: LogRecord): string | undefined => ids.get(record)
    const lines =
      records.length === 0 && data.dropped === 0
        ? emptyState('The application logged nothing during this request.')
        : html`${view.values === undefined ? logTable(records, { maxBytes: staticBytes }) : logPage(records, view, view.values, idOf)}
          ${cutAtEnd(data)}`
    return html`<section>${keptLine(data)}${lines}</section>
      ${
        warnings.length === 0
          ? null
          : html`<section>
              <h3>Deprecations and warnings</h3>
              <p class="muted small">From Node and libraries. Node reports each deprecation once per process.</p>
              ${logTable(warnings, { idOf })}
            </section>`
      }`
  },
}

/** The lines that the address asks for. A page that holds all of them filters without asking again. */
function logPage(
  all: readonly LogRecord[],
  { profile, linkTo }: PanelView,
  values: ReadonlyMap<string, string>,
  idOf: (record: LogRecord) => string | undefined,
): SafeHtml {
  const [level = '', find = '', order = '', from = ''] = parameters.map((parameter) => values.get(parameter)?.trim())
  const linkWith = (changed: Readonly<Record<string, string>>): string => {
    const kept = Object.entries({ level, find, order, ...changed }).filter(([, value]) => value !== '')
    return [linkTo(profile.token, name), ...kept.map(([key, value]) => `${key}=${encodeURIComponent(value)}`)].join('&')
  }
  const matching = all.filter((record) => isOfLevel(record, level) && lineHas(record, find))
  const whole = wholeTable(all, order, find, idOf)
  const lines = whole ?? tableFrom(order === 'problems' ? problemsFirst(matching) : matching, Number(from), linkWith)
  const isNarrowed = find !== '' || level !== ''
  return html`<div class="row log-head">
      ${logFilter(all, {
        action: linkTo(profile.token),
        fields: { panel: name, type: 'request', order },
        level,
        text: find,
        status: isNarrowed ? `${matching.length} of ${countOf(all.length, 'line')}` : '',
        linkTo: whole === undefined ? (one) => linkWith({ level: one }) : undefined,
      })}
      ${order === 'problems' ? buttonLink('In order of time', linkWith({ order: '' })) : buttonLink('Problems first', linkWith({ order: 'problems' }))}
      ${buttonLink('In the timeline', `${linkTo(profile.token, 'time')}&kind=log#timeline`)}
    </div>
    ${lines}`
}

/** All lines; those without the text are hidden. `undefined` if they do not fit in one page. */
function wholeTable(
  all: readonly LogRecord[],
  order: string,
  find: string,
  idOf: (record: LogRecord) => string | undefined,
): SafeHtml | undefined {
  if (all.length > pageLines) return undefined
  let isWhole = true
  const table = logTable(all, {
    order: order === 'problems' ? 'errors-first' : 'as-written',
    idOf,
    isHidden: (record) => !lineHas(record, find),
    rest: () => {
      isWhole = false
      return html``
    },
  })
  return isWhole ? table : undefined
}

/** One page of the lines; `from` counts from 1. */
function tableFrom(
  lines: readonly LogRecord[],
  from: number,
  linkWith: (changed: Readonly<Record<string, string>>) => string,
): SafeHtml {
  if (lines.length === 0) return emptyState('No line matches.')
  const first = Number.isInteger(from) && from > 1 && from <= lines.length ? from : 1
  let last = lines.length
  const table = logTable(lines.slice(first - 1), {
    maxLines: pageLines,
    rest: (missing) => {
      last = lines.length - missing
      return html``
    },
  })
  const pages: readonly (SafeHtml | null)[] = [
    first === 1 ? null : html`<a href="${linkWith({})}">First lines</a> `,
    first === 1 ? null : html`<a href="${linkWith({ from: String(Math.max(1, first - pageLines)) })}">Previous</a> `,
    last === lines.length ? null : html`<a href="${linkWith({ from: String(last + 1) })}">Next</a> `,
    last === lines.length
      ? null
      : html`<a href="${linkWith({ from: String(Math.max(1, lines.length - pageLines + 1)) })}">Last lines</a>`,
  ]
  const pager = html`<p class="row small log-pages">
    <span class="muted">Lines ${formatCount(first)}–${formatCount(last)} of ${formatCount(lines.length)}</span>
    ${pages}
  </p>`
  return html`${pager}${table}${pager}`
}

function keptLine({ records, dropped }: LoggerData): SafeHtml | null {
  if (dropped === 0) return null
  const all = records.length + dropped
  return html`<p class="small log-kept">
    ${formatCount(records.length)} of ${formatCount(all)} lines recorded: the first, the last, and warnings and errors.
  </p>`
}

function buttonLink(label: string, href: string): SafeHtml {
  return html`<a class="button screen-only" href="${href}">${label}</a>`
}

function problemsFirst(records: readonly LogRecord[]): readonly LogRecord[] {
  return records.toSorted((one, other) => Number(isProblem(other.level)) - Number(isProblem(one.level)))
}

/** Lines that are missing below the last one. */
function cutAtEnd({ records, dropped }: LoggerData): SafeHtml | null {
  const missing = dropped - records.reduce((sum, { leftOutBefore = 0 }) => sum + leftOutBefore, 0)
  return missing > 0 ? cutMark(`${countOf(missing, 'more line')} cut.`) : null
}
