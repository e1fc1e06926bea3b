// `/_profiler/`: the list as HTML, JSON and Markdown; 400 for an invalid filter.

import { codeSpan } from '../base/markdown-text.ts'
import { countOf } from '../base/html/page-budget.ts'
import { note } from '../base/html/components.ts'
import { type SafeHtml, html, scriptBlock } from '../base/html/html.ts'
import { countPageErrors } from '../profiles/later-data.ts'
import type { ProfilePage, ProfileStoreStats } from '../profiles/profile-store.ts'
import { type ProfileSummary, tokenPattern } from '../observe/profile.ts'
import { readSearchHits } from '../profiles/query/search-text.ts'
import { NotedReads } from '../profiles/query/missing-parts.ts'
import { listedFacts, matchedText, maxMatched } from '../profiles/profile-facts.ts'
import { reopenedSentence, searchSentence, untrustedSpans } from '../profiles/profile-facts.ts'
import type { Losses, StatusSource } from '../profiles/sampling/recorder-status.ts'
import { listFormId, filterStyles, listStyles } from './list-form.ts'
import { ListQuery } from './list-query.ts'
import { type ProfileListView, originOf, profileList } from './profile-list.ts'
import { fromStore, type PageTools, type ProfilerPage } from './profiler-page.ts'
import { profilerRedirect } from './profiler-reply.ts'
import { renewedStyles, renewScript } from './renewed.ts'
import { lossNotice } from './notes.ts'

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
