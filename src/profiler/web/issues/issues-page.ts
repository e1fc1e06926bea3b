// `/_profiler/issues`: errors over the versions of the application, with a way to their profiles.

import { codeSpan } from '../../../errors/markdown-text.ts'
import { badge, dataTable, emptyState, formatCount, formatTime, type Tone } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { parseQuery } from '../../../framework/http/query.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import { browserMethod } from '../../profile.ts'
import { isOfBrowsers, issueMarkdown, issuesScope, placeText, stateReason } from '../../issues/issue-lines.ts'
import { issueStates, readIssues, type Issue, type Issues, type IssueState } from '../../issues/issues.ts'
import { noneReachable } from '../../query/missing-parts.ts'
import { untrustedSpans } from '../../query/profile-facts.ts'
import { listForm, listFormId } from '../list-form.ts'
import { ListQuery } from '../list-query.ts'
import { filterStyles } from '../list-styles.ts'
import type { AskedJson, ProfilerPage } from '../profiler-page.ts'
import { quoted, readValues } from '../query-values.ts'
import { fromStore } from '../unreadable-store.ts'

export interface IssuesJson extends Issues, AskedJson {}

/** Issues of the newest 10,000 profiles that the filters leave. 400 for a filter or a `state` that cannot be used. */
export const issuesPage: ProfilerPage<IssuesJson> = async ({ request }, { options }) => {
  const query = new ListQuery(request.rawQuery, ['state'])
  const problems = [...query.problems]
  const state = readState(request.rawQuery, problems)
  const found =
    problems.length === 0
      ? await fromStore(async () => readIssues(options.profiles, { filter: query.filter, state }))
      : none
  const view: IssuesView = { found, state, query, problems, profilerPath: options.profilerPath }
  return {
    status: problems.length === 0 ? 200 : 400,
    ignored: query.ignored,
    missing: found.missing,
    html: () => ({
      title: 'Issues',
      content: content(view),
      styles: [filterStyles, issuesStyles],
      search: { text: query.value('search'), form: listFormId },
    }),
    json: () => ({ ...found, problems, ignored: query.ignored }),
    markdown: () => asMarkdown(view),
  }
}

interface IssuesView {
  readonly found: Issues
  /** `undefined`: every state. */
  readonly state: IssueState | undefined
  readonly query: ListQuery
  /** What cannot be used, one sentence each. */
  readonly problems: readonly string[]
  readonly profilerPath: string
}

const none: Issues = { issues: [], omitted: 0, count: 0, isCut: false }

function readState(rawQuery: string, problems: string[]): IssueState | undefined {
  const named = readValues(parseQuery(rawQuery), { state: 'State' }, problems).get('state') ?? ''
  const state = issueStates.find((one) => one === named)
  if (named !== '' && state === undefined) {
    problems.push(`State: ${quoted(named)} is not valid. Use ${issueStates.join(', ')}.`)
  }
  return state
}

function asMarkdown(view: IssuesView): string {
  const { found, problems } = view
  if (problems.length > 0) return `# Issues\n\n${problems.map(codeSpan).join('\n')}\n`
  if (found.issues.length === 0) return `# Issues\n\n${emptySentence(view)}\n`
  return `# Issues\n\n${issuesScope(found)}\n\n${untrustedSpans}\n\n${found.issues.map((issue) => issueMarkdown(issue)).join('\n')}\n`
}

function content(view: IssuesView): SafeHtml {
  const { state, query, problems, profilerPath } = view
  return html`${listForm(query, profilerPath, { path: 'issues', parts: state === undefined ? [] : [['state', state]] })}
    <nav class="row issue-states screen-only" aria-label="State">
      ${[undefined, ...issueStates].map((one) => choice(one, view))}
      <a href="${profilerPath}/groups?${query.with({ by: 'error' })}">Durations by error</a>
    </nav>
    ${problems.length > 0 ? problems.map((problem) => html`<p class="note tone-warning">${problem}</p>`) : list(view)}`
}

function choice(one: IssueState | undefined, { state, query, profilerPath }: IssuesView): SafeHtml {
  const href = `${profilerPath}/issues?${query.with({ state: one ?? '' })}`
  const label = one === undefined ? 'All' : labels[one]
  return html`<a class="button" href="${href}" aria-current="${one === state && 'page'}">${label}</a> `
}

const labels: Readonly<Record<IssueState, string>> = { regressed: 'Regressed', open: 'Open', fixed: 'Fixed' }
const tones: Readonly<Record<IssueState, Tone>> = { regressed: 'error', open: 'warning', fixed: 'success' }

function list(view: IssuesView): SafeHtml {
  const { found } = view
  if (found.issues.length === 0) return emptyState(emptySentence(view))
  const isOneService = new Set(found.issues.map(({ service }) => service)).size === 1
  const hasVersions = found.issues.some(({ lastVersion }) => lastVersion !== null)
  return html`<p class="muted small">
      ${issuesScope(found)}
      ${hasVersions ? null : html`No profile names a version: set <code>APP_VERSION</code> to see what is fixed.`}
    </p>
    ${dataTable(
      'issues',
      'Issues, the newest of each state first',
      ['State', 'Error', 'Count', 'First seen (UTC)', 'Last seen (UTC)'],
      found.issues.map((issue) => row(issue, view, isOneService ? null : issue.service)),
    )}`
}

/** `service`: shown where it is not `null`. */
function row(issue: Issue, { query, profilerPath }: IssuesView, service: string | null): SafeHtml {
  const { name, state, count, lastMessage, places, families } = issue
  const reason = stateReason(issue)
  const [family = '', ...others] = families
  const method: Readonly<Record<string, string>> = isOfBrowsers(places) ? { method: browserMethod } : {}
  const link = (one: string): string => `${profilerPath}/?${query.with({ family: one, ...method })}`
  return html`<tr class="tone-${tones[state]}">
    <td>${badge(labels[state], tones[state])}</td>
    <th scope="row" class="name">
      <a href="${link(family)}">${cutText(name, 300)}</a>
      ${lastMessage === null || lastMessage === '' ? null : html`<div class="message">${cutText(lastMessage, 300)}</div>`}
      <div class="sub">
        ${service === null ? null : html`<span>service ${service}</span> `}
        ${places.map((place) => html`<span>${cutText(placeText(place), 200)}</span> `)}
        ${others.map((other) => html`<a href="${link(other)}">${cutText(other, 200)}</a> `)}
      </div>
      ${reason === null ? null : html`<div class="reason">${reason}</div>`}
    </th>
    <td class="number" data-label="times">${formatCount(count)}</td>
    <td class="nowrap" data-label="first">${formatTime(issue.firstTime).slice(0, 19)}${version(issue.firstVersion)}</td>
    <td class="nowrap" data-label="last">
      <a href="${profilerPath}/${issue.lastToken}">${formatTime(issue.lastTime).slice(0, 19)}</a
      >${version(issue.lastVersion)}
    </td>
  </tr> `
}

function version(named: string | null): SafeHtml | null {
  return named === null ? null : html`<div class="version">${named}</div>`
}

function emptySentence({ found: { missing }, state, query: { isFiltered } }: IssuesView): string {
  if (missing !== undefined) return noneReachable
  return isFiltered || state !== undefined ? 'No issue matches.' : 'No errors recorded.'
}

const issuesStyles: SafeHtml = styleSheet(`
.issue-states { gap: var(--space-2); margin-bottom: var(--space-3) }
.issue-states [aria-current=page] { font-weight: 600; box-shadow: inset 0 -2px var(--link) }
.issues .name { text-align: left; font-weight: 400; font-family: var(--mono); font-size: .86em; overflow-wrap: anywhere }
.issues :is(.message, .sub, .reason, .version) { color: var(--muted); font: var(--size-small)/1.5 var(--font) }
.issues .sub > :not(:last-child)::after { content: ' · ' }
.issues .reason { color: var(--text) }
body:has(.issues) .page { max-width: 100rem }
@media (max-width: 56rem) {
  .issues, .issues :is(tbody, tr) { display: block }
  .issues thead { display: none }
  .issues tr { padding: var(--space-2); border-top: 1px solid var(--line) }
  .issues tr > * { display: inline-block; border: 0 !important; padding: 0 var(--space-2) 0 0; font-size: var(--size-small); box-shadow: none !important }
  .issues .name { display: block }
  .issues td[data-label]::before { content: attr(data-label) ' '; color: var(--muted) }
  .issues .nowrap { white-space: normal; overflow-wrap: anywhere }
  .issues .version { display: inline; margin-left: var(--space-1) }
}
`)
