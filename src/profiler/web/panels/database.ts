// Draws what was asked of databases and caches: first what is asked too often, then the statements of one shape together,
// each run on the scale of the request.

import type { StatementData } from '../../capture/statement.ts'
import type { DatabaseData, StatementGroup } from '../../capture/statements.ts'
import { badge, emptyState, formatDuration } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import type { EditorLink } from '../../../errors/page/frame-item.ts'
import { countOf, cutMark, cutText, PageBudget } from '../../../errors/page/page-budget.ts'
import { keptMark } from '../kept-mark.ts'
import type { Panel } from '../panel.ts'
import { callBar } from './call-bar.ts'
import { placeLink } from '../../../errors/page/place-link.ts'
import { findingCount, findingMarks, groupAnchor, statementFindings } from './statement-findings.ts'

const listBytes = 700_000
/** Groups of up to so many statements are unfolded from the start. */
const openCount = 5

/** Findings, then statements by their shape. `editor` makes links from own code; default: none. */
export const createDatabasePanel = (editor?: EditorLink): Panel<DatabaseData> => ({
  name: 'database',
  title: 'Database',
  badge: ({ statements, findings, dropped }) => {
    const all = statements.length + dropped
    const failed = statements.filter(({ error }) => error !== null).length
    const hint = countOf(all, 'statement')
    if (failed > 0) return { count: failed, tone: 'error', hint: `${failed} failed of ${hint}` }
    if (findings.length === 0) return { count: all, tone: 'neutral', hint }
    const count = findingCount(findings)
    return { count, tone: 'warning', hint: `${countOf(count, 'finding')}, ${hint}` }
  },
  render: (data) => {
    if (data === undefined) return emptyState('No statement to a database or a cache was captured during this request.')
    const { statements, groups, dropped } = data
    const budget = new PageBudget(listBytes)
    const rest = (missing: number): SafeHtml => cutMark(`${countOf(missing, 'more group')} left out: the page is full.`)
    return html`${keptMark(statements.length, dropped, 'statements')} ${figures(data)}
      ${statementFindings(data, budget, editor)}
      <h3>Statements</h3>
      ${budget.list(groups, (group, index) => groupCard(group, index, data, { budget, editor }), { rest })}`
  },
})

/** The same without links to an editor. */
export const databasePanel: Panel<DatabaseData> = createDatabasePanel()

function figures({ statements, groups, dropped }: DatabaseData): SafeHtml {
  const totalMs = statements.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0)
  return html`<div class="figures">
    ${figure(String(statements.length + dropped), 'Sent in all')}
    ${figure(String(groups.length), 'Different statements')} ${figure(formatDuration(totalMs), 'Sum of their times')}
  </div>`
}

function figure(value: string, label: string): SafeHtml {
  return html`<div class="card figure"><b>${value}</b><span>${label}</span></div> `
}

interface CardPlace {
  readonly budget: PageBudget
  readonly editor: EditorLink | undefined
}

function groupCard(group: StatementGroup, index: number, data: DatabaseData, { budget, editor }: CardPlace): SafeHtml {
  const { durationMs } = data
  const members = data.statements.filter((statement) => statement.group === index)
  const failed = members.filter(({ error }) => error !== null).length
  const { system, library, namespace, text, count, totalMs } = group
  const rest = (missing: number): SafeHtml => html`<li>${countOf(missing, 'more run')} left out: the page is full.</li>`
  const list = html`<summary>${countOf(members.length, 'run')}</summary>
    <ul class="runs">
      ${budget.list(members, (member) => budget.spend(runItem(member, durationMs, editor)), { rest })}
    </ul>`
  const runs =
    count <= openCount
      ? html`<details class="fold" open>${list}</details>`
      : html`<details class="fold">${list}</details>`
  budget.spend(html`${text}`)
  return html`<article class="card outgoing-call" id="${groupAnchor(index)}">
    <h4 class="outgoing-head">
      ${failed === 0 ? null : badge(`${failed} failed`, 'error')}
      ${findingMarks(data.findings, index).map((mark) => badge(mark, 'warning'))}
      <code class="statement">${cutText(text, 4200)}</code>
      <span class="outgoing-time">${count === 1 ? null : html`${badge(`${count} ×`)} `}${formatDuration(totalMs)}</span>
    </h4>
    <p class="muted small">${system}${namespace === null ? null : `, ${namespace}`} · ${library}</p>
    ${runs}
  </article> `
}

function runItem(statement: StatementData, totalMs: number, editor: EditorLink | undefined): SafeHtml {
  const { startMs, durationMs, rows, error, callSite } = statement
  return html`<li>
    ${callBar(statement, totalMs)}
    <p class="small muted">
      from ${formatDuration(startMs)},
      ${durationMs === null ? 'end not known' : `for ${formatDuration(durationMs)}`}${rows === null ? null : `, ${countOf(rows, 'row')}`}${callSite === null ? null : html`, at ${placeLink(callSite, editor)}`}
    </p>
    ${error === null ? null : html`<p class="note tone-error">${error}</p>`}
  </li> `
}
