// `/_profiler/`: the list, as a page, as JSON and as Markdown. 400 for a filter that cannot be used.

import { html } from '../../framework/html/html.ts'
import { tokenPattern } from '../profile.ts'
import type { ProfilePage } from '../profile-store.ts'
import { liveScript } from './live/live-script.ts'
import { liveStyles } from './live/live-bar.ts'
import { ListQuery } from './list-query.ts'
import { listMarkdown } from './list-markdown.ts'
import { originOf, profileList, type ProfileListView } from './profile-list.ts'
import { heading } from './profiler-pages.ts'
import type { PageTools, ProfilerPage } from './profiler-page.ts'
import { lossNotice, reopenedNotice } from './status/loss-notice.ts'
import { profilerRedirect } from './profiler-reply.ts'
import { fromStore } from './unreadable-store.ts'

/** The newest profiles that the filters leave. */
export const listPage: ProfilerPage = {
  name: '_profiler_home',
  path: '',
  label: 'Profiles',
  async answer({ context }, tools) {
    const query = new ListQuery(context.query)
    const pasted = await pastedToken(query, tools)
    if (pasted !== null) return profilerRedirect(tools.linkTo(pasted))
    const { problems } = query
    const { page, stats } = await find(query, tools)
    const { profilerPath, storeProblem, status } = tools.options
    return {
      status: problems.length === 0 ? 200 : 400,
      ignored: query.ignored,
      html: () => ({
        title: 'Profiles',
        headline: heading('Profiles'),
        content: html`${reopenedNotice(stats.reopened)}${lossNotice(status?.losses(), profilerPath)}${profileList({ query, page, stats, storeProblem, profilerPath, linkTo: tools.linkTo, origin: originOf(context) })}`,
        search: query.value('url'),
        styles: [liveStyles],
        scripts: query.isLive ? [liveScript] : [],
      }),
      json: () => ({ ...page, stats, problems, ignored: query.ignored }),
      markdown: () =>
        listMarkdown({
          query,
          page,
          stats,
          storeProblem,
          profilerPath,
          linkTo: tools.linkTo,
          origin: originOf(context),
        }),
    }
  },
}

/** The token of a profile that was pasted into the search box, alone or as its address; a word that looks like one is none. */
async function pastedToken(
  query: ListQuery,
  { options: { profiles, profilerPath } }: PageTools,
): Promise<string | null> {
  const text = query.value('url')
  const address = `${profilerPath}/`
  const at = text.lastIndexOf(address)
  const token = /^[^?#.]*/.exec(at < 0 ? text : text.slice(at + address.length))?.[0] ?? ''
  if (!tokenPattern.test(token)) return null
  const { items } = await fromStore(async () => profiles.find({ token }, { limit: 1 }))
  return items[0]?.token ?? null
}

async function find(
  { after, limit, filter, problems }: ListQuery,
  { options: { profiles } }: PageTools,
): Promise<Pick<ProfileListView, 'page' | 'stats'>> {
  return fromStore(async () => {
    const isUsable = problems.length === 0
    const page = isUsable ? await profiles.find(filter, { limit, ...(after === undefined ? {} : { after }) }) : noPage
    return { page, stats: await profiles.stats() }
  })
}

const noPage: ProfilePage = { items: [], next: null, newest: '' }
