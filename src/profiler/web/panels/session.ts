// Draws the session with what changed in it, flash messages, and the cookies of request and response.

import { badge, columnHead, dataTable, emptyState, formatAge, formatBytes } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import type { DumpedValue } from '../../../framework/redact/redactor.ts'
import { countOf, cutMark, PageBudget } from '../../../errors/page/page-budget.ts'
import type { RecordedSession, SessionEntry } from '../../client/client-state.ts'
import type { CookieFacts, FlashMessage, SessionData } from '../../collectors/session.ts'
import type { Panel, PanelBadge } from '../panel.ts'
import { plainTree, valueView } from './value-view.ts'

const listBytes = 300_000

export const sessionPanel: Panel<SessionData> = {
  name: 'session',
  title: 'Session',
  of: 'requests',
  hidesWhenEmpty: true,
  badge: badgeOf,
  render: (data) => {
    if (data === undefined) {
      return emptyState(
        'No session, no cookies. A session is shown where a framework keeps it (request.session), or as the value of exchangeKey("session").',
      )
    }
    const budget = new PageBudget(listBytes)
    return html`<h3>Session</h3>
      ${data.session === null ? emptyState('The application kept no session for this request.') : sessionView(data.session, budget)}
      ${data.flash.length === 0 ? null : flashTable(data.flash)}
      <h3>Cookies</h3>
      ${cookieTable(data)}`
  },
}

function badgeOf({ session, cookies }: SessionData): PanelBadge | undefined {
  const wrong = cookies.filter(({ signature, set }) => signature === 'invalid' || (set?.problem ?? null) !== null)
  if (wrong.length > 0) return { count: wrong.length, tone: 'warning', hint: countOf(wrong.length, 'wrong cookie') }
  const changes = session?.entries.filter(({ change }) => change !== 'none').length ?? 0
  return changes === 0 ? undefined : { count: changes, tone: 'neutral', hint: countOf(changes, 'change') }
}

const states: Readonly<Record<RecordedSession['state'], string>> = {
  kept: 'The session existed before this request.',
  created: 'The session began with this request.',
  renewed: 'The session got a new id in this request.',
  destroyed: 'This request ended the session.',
}

function sessionView(session: RecordedSession, budget: PageBudget): SafeHtml {
  const { state, hasBefore, lifetimeMs, entries, dropped } = session
  const lifetime = lifetimeMs === null ? '' : ` It lives ${formatAge(lifetimeMs)} without a request.`
  const unseen = hasBefore ? '' : ' It was first seen at the end of the request, so changes are not known.'
  const changed = entries.toSorted((one, other) => Number(one.change === 'none') - Number(other.change === 'none'))
  const rest = (missing: number): SafeHtml =>
    html`<tr>
      <td colspan="4">${countOf(missing, 'more entry', 'more entries')} not shown.</td>
    </tr>`
  return html`<p>${states[state]}${lifetime}${unseen}</p>
    ${
      entries.length === 0
        ? emptyState('It is empty.')
        : html`<div class="table-scroll" tabindex="0" role="region" aria-label="Entries of the session">
            ${dataTable(
              'session-entries',
              'Entries of the session, changed ones first',
              ['Key', 'Change', 'Before', 'After'],
              budget.list(changed, (entry) => budget.spend(entryRow(entry, hasBefore)), { rest }),
            )}
          </div>`
    }
    ${dropped === 0 ? null : cutMark(`${countOf(dropped, 'more entry', 'more entries')} not kept.`)}`
}

const tones = { none: 'neutral', added: 'success', changed: 'info', removed: 'warning' } as const

function entryRow({ name, change, before, after }: SessionEntry, hasBefore: boolean): SafeHtml {
  return html`<tr>
    <th scope="row" class="mono">${name}</th>
    <td>${!hasBefore ? 'unknown' : change === 'none' ? '' : badge(change, tones[change])}</td>
    <td>${valueCell(before)}</td>
    <td>${valueCell(after)}</td>
  </tr> `
}

function valueCell(value: DumpedValue | null): SafeHtml | null {
  return value && html`<div class="value">${valueView(value.tree ?? plainTree(value.value))}</div>`
}

function flashTable(messages: readonly FlashMessage[]): SafeHtml {
  return html`<h3>Flash messages</h3>
    <div class="table-scroll" tabindex="0" role="region" aria-label="Flash messages">
      ${dataTable(
        'flash-messages',
        'Flash messages',
        ['Kind', 'Message', 'State'],
        messages.map(
          ({ kind, text, state }) =>
            html`<tr>
              <th scope="row">${kind}</th>
              <td>${text}</td>
              <td>${state === 'read' ? 'read by this request' : 'left for a later request'}</td>
            </tr> `,
        ),
      )}
    </div>`
}

function cookieTable({ cookies, droppedCookies }: SessionData): SafeHtml {
  if (cookies.length === 0) return emptyState('No cookie came, and the response sets none.')
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="Cookies">
      ${dataTable(
        'cookies',
        'Cookies of request and response; values are never kept',
        ['Cookie', columnHead('Received', 'number'), 'Signature', 'The response'],
        cookies.map(cookieRow),
      )}
    </div>
    ${droppedCookies === 0 ? null : cutMark(`${countOf(droppedCookies, 'more cookie')} not kept.`)}`
}

function cookieRow({ name, receivedBytes, signature, set }: CookieFacts): SafeHtml {
  return html`<tr>
    <th scope="row" class="mono">${name}</th>
    <td class="number">${receivedBytes === null ? '' : formatBytes(receivedBytes)}</td>
    <td>
      ${signature === null ? '' : signature === 'valid' ? badge('valid', 'success') : badge('does not fit', 'warning')}
    </td>
    <td>${set === null ? 'leaves it' : setView(set)}</td>
  </tr> `
}

const changes = {
  new: 'sets it',
  changed: 'changes it',
  same: 'sets it again, to the same value',
  deleted: 'deletes it',
} as const

function setView({ change, bytes, lifetimeSeconds, attributes, problem }: NonNullable<CookieFacts['set']>): SafeHtml {
  const lifetime =
    change === 'deleted'
      ? ''
      : lifetimeSeconds === null
        ? ', until the browser closes'
        : `, for ${formatAge(lifetimeSeconds * 1000)}`
  return html`${changes[change]} (${formatBytes(bytes)}${lifetime})
  ${attributes === '' ? null : html`<br /><span class="mono small muted">${attributes}</span>`}
  ${problem === null ? null : html`<p class="note tone-warning">${problem}</p>`}`
}

/** A narrow window scrolls the tables, so that words stay whole. */
export const sessionStyles: SafeHtml = styleSheet(`
.session-entries tbody th { min-width: 7rem }
.session-entries .value { min-width: 9rem }
.cookies td:last-child { min-width: 13rem }
`)
