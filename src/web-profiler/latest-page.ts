// `/_profiler/latest`: leads to the newest profile, with the panel and in the form that was asked for.

import { parseQuery } from '../http/query.ts'
import type { ProfilerPage } from './profiler-page.ts'
import { profilerRedirect } from './profiler-reply.ts'
import { fromStore } from './unreadable-store.ts'

/** Characters of a panel's name that are handed on. */
const maxNameLength = 100

/** A redirect, or the page for what is not there. */
export const latestPage: ProfilerPage = {
  name: '_profiler_latest',
  path: 'latest',
  label: 'Latest',
  async answer(exchange, { options, linkTo, missing }) {
    const { items } = await fromStore(async () => options.profiles.find({}, { limit: 1 }))
    const [newest] = items
    if (newest === undefined) return missing(exchange)
    const { path, query } = exchange.context
    // Whether there is such a panel is said where the redirect leads.
    const panel = parseQuery(query).get('panel')?.[0]?.slice(0, maxNameLength)
    const ending = /\.(?:json|md)$/.exec(path)?.[0] ?? ''
    return profilerRedirect(
      linkTo(`${newest.token}${ending}`, panel === undefined ? undefined : encodeURIComponent(panel)),
    )
  },
}
