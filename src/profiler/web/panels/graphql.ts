// Draws the GraphQL operations of the request, and how long their resolvers ran.

import {
  badge,
  columnHead,
  dataTable,
  emptyState,
  fold,
  formatDuration,
  formatCount,
} from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { countOf, cutMark, PageBudget } from '../../../errors/page/page-budget.ts'
import type { GraphqlData, GraphqlOperation } from '../../collectors/graphql.ts'
import { keptMark } from '../notes.ts'
import { readPart } from '../../stored-data.ts'
import type { Panel, PanelView } from '../panel.ts'
import { plainTree, valueView } from './value-view.ts'

const listBytes = 500_000
const maxFindings = 10

export const graphqlPanel: Panel<GraphqlData> = {
  name: 'graphql',
  title: 'GraphQL',
  badge: ({ operations, dropped }) => {
    const failed = operations.filter(({ errorCount }) => errorCount > 0).length
    const hint = countOf(operations.length + dropped, 'operation')
    if (failed > 0) return { count: failed, tone: 'error', hint: `${failed} with errors of ${hint}` }
    return { count: operations.length + dropped, tone: 'neutral', hint }
  },
  render: (data, { profile, linkTo }) => {
    if (data === undefined)
      return emptyState(
        'No GraphQL operations. Captured with graphql 17 or newer; older versions need fanlight/register.',
      )
    const { operations, dropped } = data
    const budget = new PageBudget(listBytes)
    const rest = (missing: number): SafeHtml => cutMark(`${countOf(missing, 'more operation')} not shown.`)
    const card = (operation: GraphqlOperation, index: number): SafeHtml =>
      budget.spend(operationCard(operation, resolverMs(data, index)))
    return html`${keptMark(operations.length, dropped, 'operations')}
      ${resolverFindings(profile, linkTo(profile.token, 'database'))} ${budget.list(operations, card, { rest })}
      <h3>Resolvers</h3>
      ${resolverTable(data, budget)}`
  },
}

/** The time of all resolvers that an operation called, together; `null` if it called none. */
function resolverMs({ resolvers }: GraphqlData, index: number): number | null {
  const own = resolvers.filter(({ operation }) => operation === index)
  return own.length === 0 ? null : own.reduce((sum, { totalMs }) => sum + totalMs, 0)
}

/** Queries that a resolver sent again and again. */
function resolverFindings(profile: PanelView['profile'], link: string): readonly SafeHtml[] {
  const part = readPart(profile, 'database')
  const findings = part.state === 'there' ? part.data.findings : []
  return findings
    .filter(({ kind, field }) => kind === 'n+1' && field !== undefined)
    .slice(0, maxFindings)
    .map(
      ({ field, count, totalMs }) =>
        html`<p class="note tone-warning">
          <b>N+1:</b> the resolver <code>${field}</code> sent <a href="${link}">one query ${count} times</a> with
          different values (${formatDuration(totalMs)} total). Gather the keys of all its calls, with
          <code>dataloader</code> for example, and load them with one query.
        </p> `,
    )
}

function operationCard(operation: GraphqlOperation, resolversMs: number | null): SafeHtml {
  const { kind, name, document, isCut, variables, errors, errorCount } = operation
  const more = errorCount - errors.length
  return html`<article class="card outgoing-call">
    <h3 class="outgoing-head">
      ${errorCount === 0 ? null : badge(countOf(errorCount, 'error'), 'error')}
      <span class="mono">${kind ?? 'operation'}</span> <span class="mono url">${name ?? 'without a name'}</span>
      <span class="outgoing-time">${total(operation)}</span>
    </h3>
    <p class="muted small">${steps(operation, resolversMs)}</p>
    ${[...Map.groupBy(errors, (message) => message)].map(([message, same]) => html`<p class="note tone-error">${same.length === 1 ? null : html`<b>${same.length} ×</b> `}${message}</p>`)}
    ${more > 0 ? cutMark(`${countOf(more, 'more error')} not kept.`) : null}
    ${
      document === null
        ? html`<p class="muted small">The text of the document is not known.</p>`
        : html`<pre class="statement">${document}</pre>
            ${isCut ? cutMark('The rest of the document was not kept.') : null}`
    }
    ${
      variables === null
        ? null
        : fold(
            'Variables',
            html`<div class="value" tabindex="0" role="group" aria-label="Variables">
              ${valueView(variables.tree ?? plainTree(variables.value))}
            </div>`,
            { isOpen: true },
          )
    }
  </article> `
}

function total({ parseMs, validateMs, executeMs }: GraphqlOperation): string {
  const known = [parseMs, validateMs, executeMs].filter((ms) => ms !== null)
  return known.length === 0 ? 'not ended' : formatDuration(known.reduce((sum, ms) => sum + ms, 0))
}

function steps({ startMs, parseMs, validateMs, executeMs }: GraphqlOperation, resolversMs: number | null): string {
  const step = (what: string, ms: number | null): string | null =>
    ms === null ? null : `${what} ${formatDuration(ms)}`
  const known = [step('parsed in', parseMs), step('validated in', validateMs), step('executed in', executeMs)]
  known.push(step('its resolvers ran', resolversMs))
  return [`+${formatDuration(startMs)}`, ...known].filter((text) => text !== null).join(' · ')
}

function resolverTable({ operations, resolvers, droppedCalls }: GraphqlData, budget: PageBudget): SafeHtml {
  if (resolvers.length === 0) return emptyState('No resolver ran, or each of them only read a property.')
  const numbers = ['Calls', 'Total', 'Slowest', 'Failed'].map((title) => columnHead(title, 'number'))
  const hasSeveral = operations.length > 1
  const row = ({ name, operation, count, totalMs, slowestMs, failed }: GraphqlData['resolvers'][number]): SafeHtml =>
    budget.spend(
      html`<tr>
        <th scope="row" class="mono">${name}</th>
        ${hasSeveral ? html`<td>${operationName(operations, operation)}</td>` : null}
        <td class="number">${formatCount(count)}</td>
        <td class="number">${formatDuration(totalMs)}</td>
        <td class="number">${formatDuration(slowestMs)}</td>
        <td class="number">${failed === 0 ? '' : badge(failed, 'error')}</td>
      </tr> `,
    )
  const rest = (missing: number): SafeHtml =>
    html`<tr>
      <td colspan="6">${countOf(missing, 'more field')} not shown.</td>
    </tr>`
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="Resolvers">
      ${dataTable('resolvers', 'Resolvers by total time', ['Field', ...(hasSeveral ? ['Operation'] : []), ...numbers], budget.list(resolvers, row, { rest }))}
    </div>
    ${droppedCalls === 0 ? null : cutMark(`${countOf(droppedCalls, 'more call')} of other fields not kept.`)}`
}

/** With its number, for operations may share a name. */
function operationName(operations: GraphqlData['operations'], index: number | null | undefined): string {
  const operation = operations[index ?? -1]
  return operation === undefined ? 'unknown' : `${(index ?? 0) + 1}. ${operation.name ?? operation.kind ?? 'operation'}`
}
