// `/_profiler/latest`: leads to the newest profile, with the panel and in the form that was asked for.

import { parseQuery } from '../http/query.ts'
import type { ProfilerPage } from './profiler-page.ts'
import { profilerRedirect } from './profiler-reply.ts'
import { fromStore } from './unreadable-store.ts'

/** A redirect, or the page for what is not there. */
export const latestPage: ProfilerPage = {
  name: '_profiler_latest',
  path: 'latest',
  label: 'Latest',
  async answer(exchange, { options, panels, linkTo, missing }) {
    const { items } = await fromStore(async () => options.profiles.find({}, { limit: 1 }))
    const [newest] = items
    if (newest === undefined) return missing(exchange)
    const { path, query } = exchange.context
    const panel = panels.find(parseQuery(query).get('panel')?.[0] ?? '')
    const ending = /\.(?:json|md)$/.exec(path)?.[0] ?? ''
    return profilerRedirect(linkTo(`${newest.token}${ending}`, panel?.name))
  },
}
