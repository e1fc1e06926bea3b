// `/_profiler/<token>`: one panel of one profile; as JSON and Markdown all of them, or the one asked for.

import { type SafeHtml, html, scriptBlock, styleSheet } from '../base/html/html.ts'
import type { PlannedQuery } from '../observe/outgoing/query-plans.ts'
import type { ProfileReader } from '../profiles/profile-store.ts'
import { type Profile, browserMethod, runTypeOf, spansMethod } from '../observe/profile.ts'
import { profileTitle, profileTone } from '../profiles/profile-facts.ts'
import { missingPanel, pageForm, profileType, readAskedPart, tokenForm } from './asked-part.ts'
import { ListQuery } from './list-query.ts'
import { generalNotes, noteList } from './notes.ts'
import { panelContent, partOf } from './panel-content.ts'
import { isFor, panelMenu } from './layout.ts'
import { findingLinks, profileHeadline, profileLinks } from './profile-headline.ts'
import { fromStore, type FrameParts, type ProfilerPage } from './profiler-page.ts'
import { profilerRedirect } from './profiler-reply.ts'

/** A panel that does not exist gives the names of those that do. */
export const profilePage: ProfilerPage = async ({ request }, tools) => {
  const { options, panels, linkTo: linkToAny, missing } = tools
  const { profiles, profilerPath, editor, service = null } = options
  const { token } = tokenForm(String(request.params['token'] ?? ''), undefined)
  const profile = await fromStore(async () => profiles.read(token))
  if (profile === undefined) return missing
  const asked = readAskedPart(request.rawQuery, panels)
  const isPage = pageForm(request.path, request.header('accept')) === 'html'
  if (isPage && profile.method === spansMethod && profile.traceId !== null && asked.panel === undefined) {
    return profilerRedirect(`${profilerPath}/trace?id=${profile.traceId}`)
  }
  const { ignored } = asked
  const list = listOf(asked.list)
  const words = list.value('search')
  const linkTo = (to: string, panel?: string): string => withList(linkToAny(to, panel), list)
  const wanted =
    asked.problem === null && asked.type === profileType
      ? (asked.panel ?? panelWith(words, profile) ?? mainPanel(profile))
      : null
  const panel = panels.find(({ name }) => name === wanted)
  const neighbours = await neighboursOf(profiles, token, list)
  const shownPanel = asked.panel === undefined ? undefined : panel?.name
  const { styles, scripts = [], hasFrames } = tools.panelAssets(panel?.name)
  const frame = (content: SafeHtml): FrameParts => ({
    title: profileTitle(profile, panel?.title),
    headline: html`${profileHeadline(profile, { linkTo, panel: panel?.name, profilerPath, ownService: service })}
      ${findingLinks(profile, linkTo)}
      <div class="row headline-links screen-only">
        ${profileLinks(profile, profilerPath)} ${neighbourLinks(neighbours, (to) => linkTo(to, shownPanel))}
      </div>`,
    list: list.address === '' ? `#${token}` : `?${list.address}#${token}`,
    tone: profileTone(profile),
    styles: [...styles, ...(words === '' ? [] : [foundStyles])],
    hasFrames,
    scripts: [...scripts, neighbourScript, ...(words === '' ? [] : [foundScript])],
    menu: panelMenu({ panels, current: panel?.name ?? null, profile, linkTo }),
    content: html`${noteList(generalNotes(profile, panels), { profile, linkTo })}${content}`,
  })
  if (panel === undefined) {
    const others = panels.filter((one) => isFor(one, profile))
    const { note, ...answer } = missingPanel(others, asked, (name) => linkTo(token, name))
    return { ...answer, ignored, html: () => frame(note) }
  }
  const shown = asked.panel === undefined ? profile : partOf(profile, panel)
  return {
    ignored,
    html: () => {
      const { values } = asked
      const explains = (query: PlannedQuery): boolean => options.plans?.knows(query) === true
      return frame(panelContent(panel, { profile, linkTo, editor, values, explains }))
    },
    json: () => shown,
    markdown: () => tools.markdownOf(shown, profile),
  }
}

function mainPanel({ errorClass, method }: Profile): string {
  if (errorClass !== null) return 'exception'
  return runTypeOf(method) ?? (method === browserMethod ? 'browser' : 'request')
}

/** A list as the address of a profile carries it; the whole list where that cannot be used. */
function listOf(written: string): ListQuery {
  const query = new ListQuery(written)
  return query.problems.length === 0 ? query : new ListQuery('')
}

function withList(address: string, { address: list }: ListQuery): string {
  return list === '' ? address : `${address}${address.includes('?') ? '&' : '?'}list=${encodeURIComponent(list)}`
}

interface Neighbours {
  /** Token of the profile before this one in the list; `null` at its beginning, or if the list does not have this one. */
  readonly before: string | null
  readonly after: string | null
}

async function neighboursOf(
  profiles: Pick<ProfileReader, 'find'>,
  token: string,
  { listed, order }: ListQuery,
): Promise<Neighbours> {
  const beside = async (side: 'before' | 'after'): Promise<string | null> =>
    (await profiles.find(listed, { order, beside: { token, side } })).items[0]?.token ?? null
  return fromStore(async () => {
    const [before, after] = await Promise.all([beside('before'), beside('after')])
    return { before, after }
  })
}

function neighbourLinks({ before, after }: Neighbours, linkTo: (token: string) => string): SafeHtml | null {
  if (before === null && after === null) return null
  const link = (token: string | null, rel: 'prev' | 'next', key: string, sign: string, name: string): SafeHtml | null =>
    token === null
      ? null
      : html`<a
          class="button"
          rel="${rel}"
          href="${linkTo(token)}"
          aria-label="${name}"
          aria-keyshortcuts="${key}"
          title="${name}: key ${key}"
          >${sign}</a
        > `
  return html`<nav class="row neighbours" aria-label="In the list">
    ${link(before, 'prev', '[', '‹', 'Previous')} ${link(after, 'next', ']', '›', 'Next')}
  </nav>`
}

/** `[` and `]` follow the links. */
const neighbourScript: SafeHtml = scriptBlock(`
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.('input, select, textarea, dialog')) return;
  const rel = { '[': 'prev', ']': 'next' }[event.key];
  if (rel) document.querySelector('.neighbours [rel=' + rel + ']')?.click();
});
`)

/** Panels in the order in which a reader would look. */
const searched = ['exception', 'logger', 'database', 'http-client', 'dump', 'request'] as const

/** The first panel whose data has the words, which its address would have shown; `undefined` for none, or for no words. */
function panelWith(words: string, { data, url }: Profile): string | undefined {
  const wanted = words.toLowerCase()
  if (wanted === '' || url.toLowerCase().includes(wanted)) return undefined
  return searched.find((name) => hasWords(data[name], wanted))
}

/** Whether a text of the data has the words, in lower case. */
function hasWords(data: unknown, wanted: string): boolean {
  if (typeof data === 'string') return data.toLowerCase().includes(wanted)
  return typeof data === 'object' && data !== null && Object.values(data).some((value) => hasWords(value, wanted))
}

/** Marks the words without a change of the page. */
const foundScript: SafeHtml = scriptBlock(`
{
  const list = new URLSearchParams(location.search).get('list') ?? '', words = (new URLSearchParams(list).get('search') ?? '').toLowerCase();
  if (words !== '' && CSS.highlights) {
    const ranges = [], texts = document.createTreeWalker(document.getElementById('content'), NodeFilter.SHOW_TEXT);
    while (ranges.length < 1000 && texts.nextNode()) {
      const { data } = texts.currentNode, text = data.toLowerCase();
      if (text.length !== data.length) continue;
      for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
        const range = new Range();
        range.setStart(texts.currentNode, at);
        range.setEnd(texts.currentNode, at + words.length);
        ranges.push(range);
      }
    }
    CSS.highlights.set('found', new Highlight(...ranges));
  }
}
`)

const foundStyles: SafeHtml = styleSheet(`
::highlight(found) { background: light-dark(#ffdf5d, #6b5500); color: light-dark(#171c26, #fff) }
`)
