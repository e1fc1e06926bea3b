// Draws who the user of the request was, and what was decided about access.

import { badge, dataTable, emptyState, fold, keyValueTable } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { countOf, PageBudget } from '../../../errors/page/page-budget.ts'
import { placeLink, type EditorLink } from '../../../errors/page/editor-link.ts'
import type { RecordedUser } from '../../client/user.ts'
import type { AccessData } from '../../collectors/access.ts'
import { keptMark } from '../notes.ts'
import type { Panel } from '../panel.ts'

const listBytes = 300_000

type Decision = AccessData['entries'][number]

export const accessPanel: Panel<AccessData> = {
  name: 'access',
  title: 'Access',
  of: 'requests',
  hidesWhenEmpty: true,
  badge: ({ entries, dropped }) => {
    const denied = entries.filter(({ outcome }) => outcome === 'denied').length
    const hint = countOf(entries.length + dropped, 'decision')
    if (denied > 0) return { count: denied, tone: 'warning', hint: `${denied} denied of ${hint}` }
    return entries.length === 0 ? undefined : { count: entries.length + dropped, tone: 'neutral', hint }
  },
  render: (data, { editor }) => {
    if (data === undefined) {
      return emptyState(
        'No user is known, and nothing was decided. A user is shown where a framework keeps it (request.user), or as the value of exchangeKey("user"); decisions come from accessRules() and from guards of Nest.',
      )
    }
    const { user, entries, dropped } = data
    return html`<h3>User</h3>
      ${user === null ? emptyState('No user.') : userView(user)}
      <h3>Decisions</h3>
      ${keptMark(entries.length, dropped, 'decisions')}
      ${entries.length === 0 ? emptyState('Nothing was decided.') : decisionTable(entries, editor)}`
  },
}

function userView({ id, name, roles }: RecordedUser): SafeHtml {
  return keyValueTable(
    [
      ['Name', name ?? 'unknown'],
      ['Id', id ?? 'unknown'],
      ['Roles', roles.length === 0 ? 'none are known' : roles.map((role) => html`${badge(role)} `)],
    ],
    { caption: 'User' },
  )
}

function decisionTable(entries: readonly Decision[], editor: EditorLink | undefined): SafeHtml {
  const budget = new PageBudget(listBytes)
  const row = (decision: Decision): SafeHtml => budget.spend(decisionRow(decision, editor))
  const rest = (missing: number): SafeHtml =>
    html`<tr>
      <td colspan="3">${countOf(missing, 'more decision')} not shown.</td>
    </tr>`
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="Decisions">
    ${dataTable('decisions', 'Decisions about access', ['Result', 'What', 'Why'], budget.list(entries, row, { rest }))}
  </div>`
}

function decisionRow(decision: Decision, editor: EditorLink | undefined): SafeHtml {
  const { user, action, subject, outcome, callSite, error, votes } = decision
  const place = callSite === null ? null : html` · ${placeLink(callSite, editor)}`
  return html`<tr>
    <td>${badge(outcome, outcome === 'granted' ? 'success' : 'warning')}</td>
    <td>
      <code>${action}</code>${subject === null ? null : html` of ${subject}`}
      <span class="muted small">${user === null ? 'by nobody who is known' : `by ${user}`}${place}</span>
    </td>
    <td>
      ${error === null ? why(decision) : html`<p class="note tone-error">${error}</p>`}
      ${votes.length < 2 ? null : fold(countOf(votes.length, 'vote'), voteList(votes))}
    </td>
  </tr> `
}

function why({ by, reason }: Decision): SafeHtml {
  if (by === null) return html`All rules abstained.`
  return html`<code>${by}</code>${reason === null ? null : `: ${reason}`}`
}

function voteList(votes: Decision['votes']): SafeHtml {
  return html`<ul>
    ${votes.map(
      ({ rule, vote, reason }) =>
        html`<li>
          <code>${rule}</code> ${vote}${reason === null ? null : html`<span class="muted">: ${reason}</span>`}
        </li> `,
    )}
  </ul>`
}
