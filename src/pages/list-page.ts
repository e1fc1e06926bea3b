// `/_profiler/`: the list as HTML, JSON and Markdown; 400 for an invalid filter.

import { codeSpan } from '../base/markdown-text.ts'
import { countOf } from '../base/html/page-budget.ts'
import {
  note,
  badge,
  columnHead,
  dataTable,
  emptyState,
  formatDuration,
  formatTime,
  formatCount,
  sortHead,
  isoTime,
} from '../base/html/components.ts'
import { type SafeHtml, html, scriptBlock } from '../base/html/html.ts'
import { countPageErrors } from '../profiles/later-data.ts'
import { type ProfilePage, type ProfileStoreStats, NotedReads, noneReachable } from '../profiles/profile-store.ts'
import type { MissingParts, ProfileOrder } from '../profiles/profile-store.ts'
import { type ProfileSummary, tokenPattern, runTypeOf } from '../observe/profile.ts'
import { readSearchHits } from '../profiles/query/search-text.ts'
import {
  listedFacts,
  matchedText,
  maxMatched,
  reopenedSentence,
  searchSentence,
  untrustedSpans,
  profileTone,
  statusMark,
  subjectOf,
  shortened,
} from '../profiles/profile-facts.ts'
import type { Losses, StatusSource } from '../profiles/sampling/recorder-status.ts'
import { listFormId, filterStyles, listStyles, listForm } from './list-form.ts'
import { ListQuery } from './list-query.ts'
import { fromStore, type PageTools, type ProfilerPage } from './profiler-page.ts'
import { profilerRedirect } from './profiler-reply.ts'
import { renewedStyles, renewScript, newsOf, renewedBar, renewedPart } from './renewed.ts'
import { lossNotice } from './notes.ts'
import type { HttpRequest } from '../base/http/request.ts'
import { cutText } from '../base/redact/cut-text.ts'
import { findingBadges, tagMarks } from './profile-headline.ts'
import { recordingFormId } from './pause-page.ts'

/** The newest profiles that the filters leave. */
export const listPage: ProfilerPage = async ({ request }, tools) => {
  const query = new ListQuery(request.rawQuery)
  const pasted = await pastedToken(query, tools)
  if (pasted !== null) return profilerRedirect(tools.linkTo(pasted))
  const { problems } = query
  const reads = new NotedReads(tools.options.profiles)
  const { page, stats } = await find(query, reads)
  const [pageErrors, hits] = await fromStore(async () =>
    Promise.all([countPageErrors(reads, page.items), readSearchHits(reads, page.items, query.filter.text)]),
  )
  const { missing } = reads
  const { profilerPath, storeProblem, status, recording, service = null } = tools.options
  const isPaused = (recording?.pause ?? null) !== null
  const reopened = reopenedSentence(stats.reopened)
  const view = {
    query,
    page,
    stats,
    missing,
    isPaused,
    storeProblem,
    profilerPath,
    service,
    linkTo: tools.linkTo,
    origin: originOf(request),
    list: query.address,
    now: Date.now(),
    pageErrors,
    hits,
    words: query.filter.text,
  }
  return {
    problems,
    ignored: query.ignored,
    missing,
    html: () => ({
      title: titleOf(query),
      headline: html`<h1 class="visually-hidden">${titleOf(query)}</h1>`,
      content: html`${reopened === null ? null : note(reopened)}${lossNotice(lossesOf(status, stats), profilerPath)}${profileList(view)}`,
      search: { text: query.value('search'), form: listFormId },
      hasPlaces: false,
      styles: [filterStyles, listStyles, renewedStyles],
      scripts: [listScript, renewScript],
    }),
    json: () => ({ ...page, stats, missing, problems, ignored: query.ignored }),
    markdown: () => listMarkdown(view),
  }
}

function titleOf({ listed }: ListQuery): string {
  return listed.type === 'request' ? 'Requests' : 'Profiles'
}

/** The token of a profile that was pasted into the search box, alone or as its address; a word that looks like one does not count. */
async function pastedToken(
  query: ListQuery,
  { options: { profiles, profilerPath } }: PageTools,
): Promise<string | null> {
  const text = query.value('search') || query.value('url')
  const address = `${profilerPath}/`
  const at = text.lastIndexOf(address)
  const token = /^[^?#.]*/.exec(at < 0 ? text : text.slice(at + address.length))?.[0] ?? ''
  if (!tokenPattern.test(token)) return null
  const { items } = await fromStore(async () => profiles.find({ token }, { limit: 1 }))
  return items[0]?.token ?? null
}

async function find(
  { after, limit, listed, problems, order }: ListQuery,
  profiles: NotedReads,
): Promise<Pick<ProfileListView, 'page' | 'stats'>> {
  return fromStore(async () => {
    const isUsable = problems.length === 0
    const asked = { limit, order, ...(after !== undefined && { after }), countUpTo: maxMatched }
    // Side by side: each waits for parts of the store that do not respond.
    const [page, stats] = await Promise.all([isUsable ? profiles.find(listed, asked) : noPage, profiles.stats()])
    return { page, stats }
  })
}

/** A store that several machines share drops profiles, too: those that waited too long. */
function lossesOf(status: StatusSource | undefined, { fleet }: ProfileStoreStats): Losses | undefined {
  const losses = status?.losses()
  return losses === undefined ? undefined : { ...losses, dropped: losses.dropped + (fleet?.dropped ?? 0) }
}

const noPage: ProfilePage = { items: [], next: null, newest: '' }

interface MarkdownView extends ProfileListView {
  readonly linkTo: PageTools['linkTo']
}

/** One line for each profile, newest first, and the address of the next page. */
function listMarkdown(view: MarkdownView): string {
  const { page, query, stats, profilerPath } = view
  const title = `# ${titleOf(query)}\n`
  if (query.problems.length > 0) return title
  const lines = page.items.map((profile) => line(profile, view))
  const order = query.order === 'newest' ? 'Older' : 'Next'
  const address = codeSpan(`${profilerPath}/index.md?${query.withCursor(page.next)}`)
  const next = page.next === null ? [] : ['', `${order}: ${address}`]
  const cut = page.searchedNewest === undefined ? [] : ['', searchSentence(page.searchedNewest, query.order)]
  const others = query.isFiltered ? '' : ': requests only (`type=all` adds commands, jobs and tasks)'
  const matched = [`${matchedText(page)}${others}`, '', untrustedSpans, '', ...lines, ...next]
  const body = [...(lines.length === 0 ? ['No profiles match.'] : matched), ...cut]
  const reopened = reopenedSentence(stats.reopened)
  return `${title}\n${reopened === null ? '' : `${reopened}\n\n`}${body.join('\n')}\n`
}

function line(profile: ProfileSummary, { linkTo, service, pageErrors, hits }: MarkdownView): string {
  const { token } = profile
  const [hit, errors] = [hits?.get(token), pageErrors?.get(token)]
  const facts = [
    ...listedFacts(profile, codeSpan, service),
    ...(hit === undefined ? [] : [`found ${codeSpan(hit)}`]),
    ...(errors === undefined ? [] : [countOf(errors, 'browser error')]),
    codeSpan(`${linkTo(token)}.md`),
  ]
  return `- ${facts.join(' · ')}`
}

/** `j` and `k` move from row to row, `x` or Space selects, `c` compares, Enter opens, `/` searches. The list is complete without it. */
const listScript: SafeHtml = scriptBlock(`
{
  const find = () => ({ table: document.querySelector('.profiles'), compare: document.querySelector('[form=compare-chosen]') });
  const units = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
  const ago = (seconds) => {
    const [size, unit] = units.find(([size]) => seconds >= size) ?? [1, 's'];
    return seconds < 1 ? 'now' : Math.floor(seconds / size) + ' ' + unit;
  };
  const tell = () => {
    for (const time of document.querySelectorAll('.profiles time')) {
      const at = new Date(time.dateTime), text = ago((Date.now() - at) / 1000);
      if (time.textContent === text || isNaN(at)) continue;
      time.textContent = text;
      time.title = at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
    }
  };
  const count = () => {
    const { table, compare } = find();
    if (compare) compare.disabled = table.querySelectorAll('[name=with]:checked').length !== 2;
  };
  const begin = () => {
    const head = document.querySelector('.profiles th:nth-child(9) a');
    if (head) head.textContent = 'Age';
    tell();
    count();
  };
  begin();
  setInterval(() => { if (!document.hidden) tell(); }, 1000);
  document.addEventListener('renewed', begin);
  document.addEventListener('change', count);
  addEventListener('pageshow', count);
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.('input:not([type=checkbox]), select, textarea, dialog')) return;
    const { table, compare } = find();
    if (!table) return;
    const { key } = event, active = document.activeElement, row = active.closest('tr'), box = active.matches('.open') && row.querySelector('[name=with]');
    if (key === 'c') return compare?.click();
    if (box && (key === 'x' || key === ' ')) box.click();
    else if (key === 'j' || key === 'k') {
      const rows = [...table.querySelectorAll('.open')], at = rows.indexOf(row?.querySelector('.open'));
      rows[Math.max(0, Math.min(rows.length - 1, at + (key === 'j' ? 1 : -1)))]?.focus();
    } else return;
    event.preventDefault();
  });
}
`)

interface ProfileListView extends RowView {
  readonly page: ProfilePage
  readonly stats: ProfileStoreStats
  readonly query: ListQuery
  /** Parts of the store that did not respond. */
  readonly missing: MissingParts | undefined
  readonly isPaused: boolean
  /** Why profiles are kept in memory only; `null` when all is well. */
  readonly storeProblem: string | null
}

/** What a row needs beside its profile. */
interface RowView {
  readonly profilerPath: string
  /** Name of this application: rows of others show the column of the services. `null`: not known. */
  readonly service: string | null
  /** `http://127.0.0.1:8000`: of addresses of this origin the path is shown. */
  readonly origin: string
  /** What the list is narrowed and sorted by, as in its address. The pages of its profiles lead back to it. */
  readonly list: string
  /** Milliseconds since 1970. */
  readonly now: number
  /** How many different errors the pages of a request reported, by its token. Default: nobody asked. */
  readonly pageErrors?: ReadonlyMap<string, number>
  /** The words of the search, and where a profile has them beside address and error, by its token. Default: there is no search. */
  readonly words?: string | undefined
  readonly hits?: ReadonlyMap<string, string>
}

/** Characters of an address that a row shows at most, and those of its title. */
const maxUrlLength = 140
const maxTitleLength = 1000
/** Characters of the name of a route that a row shows at most. */
const maxRouteLength = 60
/** Characters of a version or a service that a row shows at most: enough to know a commit by. */
const maxNameLength = 16
/** Characters of an error that a row shows at most. */
const maxErrorLength = 160

function profileList(view: ProfileListView): SafeHtml {
  const { page, query, profilerPath, storeProblem } = view
  const isFirst = query.after === undefined
  const empty = query.problems.length > 0 ? null : emptyPart(view)
  return html`${storeProblem === null ? null : html`<p class="note tone-warning">Storage is off: ${storeProblem} Profiles are kept in memory until the process ends.</p>`}
    <div class="${isEmpty(view) ? 'list-head is-new' : 'list-head'}">
      ${listForm(query, profilerPath)} ${tools(view)}
    </div>
    ${renewedPart(
      html`${page.items.length === 0 ? empty : table(page.items, view)}
        ${page.searchedNewest === undefined ? null : html`<p class="note tone-warning">${searchSentence(page.searchedNewest, query.order)}</p>`}
        <div class="row pager screen-only">
          ${isFirst ? null : html`<a class="button" href="${profilerPath}/?${query.withCursor(null)}">First page</a>`}
          ${page.next === null ? null : html`<a class="button" rel="next" href="${profilerPath}/?${query.withCursor(page.next)}">${query.order === 'newest' ? 'Older' : 'Next page'}</a>`}
        </div>`,
    )}`
}

/** How many there are, whether the list is live, and the button that compares. */
function tools(view: ProfileListView): SafeHtml | null {
  const { page, query, profilerPath } = view
  if (query.problems.length > 0) return null
  const kinds = html` · <a href="${profilerPath}/?${query.with({ type: 'all' })}">with commands, jobs and tasks</a>`
  return html`<div class="row list-tools">
    ${renewedPart(html`${matchedText(page)}${query.isFiltered ? null : kinds}`, 'muted small')} ${liveBar(view)}
    ${renewedPart(page.items.length === 0 ? null : compareButton, 'screen-only')}
  </div>`
}

/** Nothing new is to be expected while recording is paused. */
function liveBar({ page, query, profilerPath, isPaused }: ProfileListView): SafeHtml | null {
  if (!query.isLive) return null
  const address = `${profilerPath}/?${query.address}`
  if (!isPaused) return renewedBar({ address, news: newsOf(profilerPath), seen: page.newest })
  return html`<span class="row screen-only live-bar"
    ><span class="live-dot" aria-hidden="true"></span> <span role="status">Paused</span>
    <a class="button" href="${address}">Refresh</a>
    <button class="button" form="${recordingFormId}" name="paused" value="no">Resume</button></span
  >`
}

function emptyPart(view: ProfileListView): SafeHtml {
  const { query, stats, missing } = view
  if (query.isFiltered) return emptyState('No profiles match these filters.')
  if (stats.count === 0) return missing === undefined ? firstSteps(view) : emptyState(noneReachable)
  const isFirst = query.after === undefined
  return emptyState(isFirst ? 'No requests are recorded, other profiles are.' : 'There are no older profiles.')
}

/** Nothing to filter yet; the head comes with the first row. */
function isEmpty({ query, stats }: ProfileListView): boolean {
  return !query.isFiltered && stats.count === 0
}

function firstSteps({ stats, origin }: ProfileListView): SafeHtml {
  const since = (stats.reopened ?? null) === null ? 'yet' : 'since then'
  return html`<div class="empty">
    <p>
      No request has been profiled ${since}: open a page of the application.
      <a href="${`${origin}/`}">${`${origin}/`}</a>
    </p>
    <p class="muted small">Other processes, commands and jobs are listed here if they use the same store.</p>
  </div>`
}

function table(items: readonly ProfileSummary[], view: ProfileListView): SafeHtml {
  const { query, profilerPath } = view
  const head = (order: ProfileOrder, title: string): SafeHtml =>
    sortHead(title, `${profilerPath}/?${query.with({ sort: order === 'newest' ? '' : order })}`, {
      isCurrent: order === query.order,
    })
  const rows = dataTable(
    'profiles',
    `Profiles, ${query.order} first`,
    [
      html`<th scope="col"><span class="visually-hidden">Select</span></th> `,
      'Status',
      'Method',
      'Path and error',
      'Route',
      head('queries', 'Queries'),
      head('logs', 'Log'),
      head('slowest', 'Duration'),
      head('newest', 'Time (UTC)'),
      columnHead('Service', 'service'),
      columnHead('Version', 'version'),
    ],
    items.map((profile) => profileRow(profile, view)),
  )
  return html`<form id="compare-chosen" action="${profilerPath}/compare">${rows}</form>`
}

/** A row of the table. The link of the address covers the row, but for the box and the link to the sub-requests. */
export function profileRow(profile: ProfileSummary, view: RowView): SafeHtml {
  const { profilerPath, origin, list, now } = view
  const { token, method, durationMs, findings, queryCount, logCount, logErrorCount } = profile
  const address = `${profilerPath}/${token}${list === '' ? '' : `?list=${encodeURIComponent(list)}`}`
  const path = subject(profile, origin)
  const isRepeated = findings.includes('n_plus_one')
  const mark = statusMark(profile)
  return html`<tr class="tone-${profileTone(profile)}" id="${token}">
    <td>${compareBox(profile, path)}</td>
    <td class="${mark.length > 6 && 'words'}"><span class="badge">${mark}</span></td>
    <td class="method">${cutText(method, 20)}</td>
    <td class="url">
      <div>
        ${openLink(profile, address, path)}${parts(profile, profilerPath)}${replayMark(profile)}${findingBadges(profile)}${tagMarks(profile, profilerPath)}${pageErrorsOf(profile, view)}${hitText(profile, view)}
      </div>
    </td>
    ${routeCell(profile.route)}
    <td class="queries">
      ${isRepeated && queryCount !== null ? badge(formatCount(queryCount), 'warning') : queryCount || null}
    </td>
    <td class="logs">
      ${logCount === 0 ? null : formatCount(logCount)}${logErrorCount > 0 ? html` ${badge(`${formatCount(logErrorCount)} ✗`, 'error')}` : null}
    </td>
    <td class="duration">${barOf(profile)}${formatDuration(durationMs)}</td>
    <td class="when">${timeOf(profile.time, now)}</td>
    ${lastCells(profile, view.service)}
  </tr> `
}

/** The whole address is the title if the text is not. */
function openLink({ url, method }: ProfileSummary, address: string, path: string): SafeHtml {
  const shown = shortened(path, maxUrlLength)
  return shown === path || runTypeOf(method) !== undefined
    ? html`<a class="open" href="${address}">${shown}</a>`
    : html`<a class="open" href="${address}" title="${cutText(url, maxTitleLength)}">${shown}</a>`
}

/** What the search found, else the error. */
function hitText(profile: ProfileSummary, { hits, words }: RowView): SafeHtml | null {
  const hit = hits?.get(profile.token)
  return hit === undefined
    ? errorText(profile, words)
    : html`<span class="said hit"><bdi>${marked(hit, words)}</bdi></span>`
}

function marked(text: string, words = ''): SafeHtml {
  const at = words === '' ? -1 : text.toLowerCase().indexOf(words.toLowerCase())
  if (at < 0) return html`${text}`
  const end = at + words.length
  return html`${text.slice(0, at)}<mark>${text.slice(at, end)}</mark>${text.slice(end)}`
}

function errorText(profile: ProfileSummary, words: string | undefined): SafeHtml | null {
  const { errorClass, errorMessage, route, status } = profile
  if (errorClass === null) return null
  const tone = status > 0 && status < 400 ? 'error' : profileTone(profile)
  // Of a request without a route the message says its method and path again.
  const isMiss = route === null && status === 404
  const said = isMiss ? '' : shortened((errorMessage ?? '').replaceAll('\n', ' '), maxErrorLength)
  return html`<span class="said tone-${tone}"
    ><b>${cutText(errorClass, 100)}</b>${said === '' ? null : html`: <bdi>${marked(said, words)}</bdi>`}</span
  >`
}

function pageErrorsOf({ token }: ProfileSummary, { profilerPath, pageErrors }: RowView): SafeHtml | null {
  const count = pageErrors?.get(token)
  if (count === undefined) return null
  const address = `${profilerPath}/${token}?panel=browser`
  return html`<a class="page-errors badge tone-error" href="${address}" tabindex="-1"
    >${countOf(count, 'browser error')}</a
  >`
}

/** The link stays out of the order of the tab key: the profile has it, too. */
function parts({ childTokens, errorClass, method, token }: ProfileSummary, profilerPath: string): SafeHtml | null {
  const { length } = childTokens
  // One is the error page.
  if (length === 0 || (length === 1 && errorClass !== null)) return null
  const isRun = runTypeOf(method) !== undefined
  const text = isRun ? countOf(length, 'process', 'processes') : countOf(length, 'sub-request')
  return html`<a class="parts" href="${profilerPath}/?parent=${token}" tabindex="-1" title="${text}">+${length}</a>`
}

function replayMark({ replayOf }: ProfileSummary): SafeHtml | null {
  return replayOf === null ? null : html`<span class="badge tone-neutral" title="Replay of ${replayOf}">replay</span> `
}

/** Its length is the duration, 1 ms to 10 s by powers of ten, the same in every list; the front part is the share of own code. */
function barOf({ ownCpuMs, durationMs }: ProfileSummary): SafeHtml | null {
  if (ownCpuMs === null || !(durationMs > 0)) return null
  const length = Math.min(100, Math.max(3, Math.log10(durationMs) * 25))
  const share = Math.min(1, ownCpuMs / durationMs)
  return html`<svg
    class="scale"
    viewBox="0 0 100 9"
    preserveAspectRatio="none"
    role="img"
    aria-label="Own code ${Math.round(share * 100)} %"
  >
    <path d="M0 0h${length.toFixed()}v9H0" />
    <path d="M0 0h${(length * share).toFixed()}v9H0" />
  </svg>`
}

/** In UTC, of today without the day; a script says how long ago it was, and when in local time. */
function timeOf(time: number, now: number): SafeHtml {
  const [day = '', clock = ''] = formatTime(time).split(' ')
  const isToday = formatTime(now).startsWith(`${day} `)
  const shown = isToday ? clock.slice(0, 8) : `${day.slice(5)} ${clock.slice(0, 5)}`
  return html`<time datetime="${isoTime(time)}">${shown}</time>`
}

function routeCell(route: string | null): SafeHtml {
  // A short name is shown whole.
  const title = route !== null && route.length > 12 && cutText(route, maxTitleLength)
  return html`<td class="route" title="${title}">${route && shortened(route, maxRouteLength)}</td> `
}

/** Service and version: the style shows a column if one profile of the page is of another application, or has a version. */
function lastCells({ service, version }: ProfileSummary, own: string | null): SafeHtml | null {
  const isOther = service !== null && service !== own
  if (!isOther && version === null) return null
  return html`${isOther ? html`<td class="service is-other" title="${service}">${shortened(service, maxNameLength)}</td> ` : html`<td class="service"></td> `}${version === null ? null : html`<td class="version is-known" title="${version}">${shortened(version, maxNameLength)}</td>`}`
}

function originOf({ scheme, authority }: Pick<HttpRequest, 'scheme' | 'authority'>): string {
  return `${scheme}://${authority}`
}

/** Its address, of the list's own origin only the path; a command has a name instead. */
function subject(profile: ProfileSummary, origin: string): string {
  const text = subjectOf(profile)
  return text.startsWith(`${origin}/`) ? text.slice(origin.length) : text
}

/** A box in a row of the list; two of them and the button of `compareButton` make a comparison. */
function compareBox({ token, method }: ProfileSummary, path: string): SafeHtml {
  const name = `Compare ${cutText(method, 20)} ${shortened(path, 60)}`
  return html`<input type="checkbox" name="with" value="${token}" aria-label="${name}" />`
}

/** Sends the first two boxes that are ticked: the newer one is A. The form is around the table. */
const compareButton = html`<button class="button" form="compare-chosen" title="Select two rows">
  Compare selected
</button>`
