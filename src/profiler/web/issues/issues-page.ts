// `/_profiler/issues`: errors over the versions of the application, with a way to their profiles.

import type { SettingPrefix } from '../../../framework/config/variable.ts'
import { badge, emptyState, formatClock, formatCount, type Tone } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { parseQuery } from '../../../framework/http/query.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import { browserMethod } from '../../profile.ts'
import type { Issue, Issues, IssueState } from '../../issues/issues.ts'
import {
  isOfBrowsers,
  issueMarkdown,
  issuesScope,
  placeText,
  stateReason,
  issueStates,
  readIssues,
} from '../../issues/issues.ts'
import { noneReachable } from '../../query/missing-parts.ts'
import { untrustedSpans } from '../../query/profile-facts.ts'
import { columnStyles, columnTable, type Column } from '../columns.ts'
import { listForm, listFormId, filterStyles } from '../list-form.ts'
import { ListQuery } from '../list-query.ts'
import { fromStore, type ProfilerPage } from '../profiler-page.ts'
import { quoted, readValues } from '../query-values.ts'

/** Issues of the newest 10,000 profiles that the filters leave. 400 for a filter or a `state` that cannot be used. */
export const issuesPage: ProfilerPage = async ({ request }, { options }) => {
  const query = new ListQuery(request.rawQuery, ['state'])
  const problems = [...query.problems]
  const state = readState(request.rawQuery, problems)
  const found =
    problems.length === 0
      ? await fromStore(async () => readIssues(options.profiles, { filter: query.filter, state }))
      : none
  const { profilerPath, settingPrefix = 'APP_' } = options
  const view: IssuesView = { found, state, query, problems, profilerPath, settingPrefix }
  return {
    problems,
    ignored: query.ignored,
    missing: found.missing,
    html: () => ({
      title: 'Issues',
      content: content(view),
      styles: issuesStyles,
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
  readonly settingPrefix: SettingPrefix
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
  if (problems.length > 0) return '# Issues\n'
  if (found.issues.length === 0) return `# Issues\n\n${emptySentence(view)}\n`
  return `# Issues\n\n${issuesScope(found)}\n\n${untrustedSpans}\n\n${found.issues.map((issue) => issueMarkdown(issue)).join('\n')}\n`
}

function content(view: IssuesView): SafeHtml {
  const { state, query, problems, profilerPath } = view
  return html`${listForm(query, profilerPath, { path: 'issues', parts: state === undefined ? [] : [['state', state]] })}
    <nav class="row choices screen-only" aria-label="State">
      ${[undefined, ...issueStates].map((one) => choice(one, view))}
      <a href="${profilerPath}/groups?${query.with({ by: 'error' })}">Durations by error</a>
    </nav>
    ${problems.length > 0 ? null : list(view)}`
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
      ${hasVersions ? null : html`Set <code>${view.settingPrefix}VERSION</code> to see which are fixed.`}
    </p>
    ${columnTable(issueColumns(view, isOneService), found.issues, {
      className: 'issues',
      caption: 'Issues, the newest of each state first',
      tone: ({ state }) => tones[state],
    })}`
}

function issueColumns({ query, profilerPath }: IssuesView, isOneService: boolean): readonly Column<Issue>[] {
  return [
    {
      title: 'Error',
      text: ({ name }) => name,
      cell: (issue) => nameCell(issue, query, profilerPath, isOneService ? null : issue.service),
      className: 'mono',
    },
    { title: 'State', text: ({ state }) => state, cell: ({ state }) => badge(labels[state], tones[state]) },
    { title: 'Count', text: ({ count }) => formatCount(count), className: 'number' },
    {
      title: 'First seen (UTC)',
      text: ({ firstTime }) => formatClock(firstTime),
      cell: ({ firstTime, firstVersion }) => html`${formatClock(firstTime)}${version(firstVersion)}`,
      className: 'nowrap',
    },
    {
      title: 'Last seen (UTC)',
      text: ({ lastTime }) => formatClock(lastTime),
      cell: ({ lastTime, lastToken, lastVersion }) =>
        html`<a href="${profilerPath}/${lastToken}">${formatClock(lastTime)}</a>${version(lastVersion)}`,
      className: 'nowrap',
    },
  ]
}

/** `service`: shown if it is not `null`. */
function nameCell(issue: Issue, query: ListQuery, profilerPath: string, service: string | null): SafeHtml {
  const { name, lastMessage, places, families } = issue
  const reason = stateReason(issue)
  const [family = '', ...others] = families
  const counted = {
    ...(isOfBrowsers(places) && { method: browserMethod }),
    ...(issue.service !== null && { service: issue.service }),
  }
  const link = (one: string): string => `${profilerPath}/?${query.with({ family: one, ...counted })}`
  return html`<a href="${link(family)}">${cutText(name, 300)}</a>
    ${lastMessage === null || lastMessage === '' || name.endsWith(`: ${lastMessage}`) ? null : html`<div class="message" dir="auto">${cutText(lastMessage, 300)}</div>`}
    <div class="sub">
      ${service === null ? null : html`<span>service ${service}</span> `}
      ${places.map((place) => html`<span>${cutText(placeText(place), 200)}</span> `)}
      ${others.map((other) => html`<a href="${link(other)}">${cutText(other, 200)}</a> `)}
    </div>
    ${reason === null ? null : html`<div class="reason">${reason}</div>`}`
}

function version(named: string | null): SafeHtml | null {
  return named === null ? null : html`<div class="version">${named}</div>`
}

function emptySentence({ found: { missing }, state, query: { isFiltered } }: IssuesView): string {
  if (missing !== undefined) return noneReachable
  return isFiltered || state !== undefined ? 'No issue matches.' : 'No errors recorded.'
}

const issuesStyles: readonly SafeHtml[] = [
  filterStyles,
  columnStyles('issues', '56rem'),
  styleSheet(`
.issues :is(.message, .sub, .reason, .version) { color: var(--muted); font: var(--size-small)/1.5 var(--font) }
.issues .sub > :not(:last-child)::after { content: ' · ' }
.issues .reason { color: var(--text) }
body:has(.issues) .page { max-width: 100rem }
@media (max-width: 56rem) { .issues .version { display: inline; margin-left: var(--space-1) } }
`),
]
