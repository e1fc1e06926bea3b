// `/_profiler/live`: the event stream of the list, with its filters. As `live.json` the profiles themselves, else rows of
// the table.

import { html } from '../../../framework/html/html.ts'
import { pageForm } from '../export/token-form.ts'
import { ListQuery } from '../list-query.ts'
import { originOf, profileRow } from '../profile-list.ts'
import type { ProfilerPage } from '../profiler-page.ts'
import { profilerEvents, profilerJson } from '../profiler-reply.ts'
import { parseQuery } from '../../../framework/http/query.ts'
import { liveEvents } from './live-events.ts'

/** A stream; 400 for a filter that cannot be used, 503 where too many are open. */
export const livePage: ProfilerPage = {
  name: '_profiler_live',
  path: 'live',
  async answer({ context }, { options, linkTo, live }) {
    const query = new ListQuery(context.query, ['from'])
    if (query.problems.length > 0) return profilerJson(400, { problems: query.problems })
    const shown = { linkTo, origin: originOf(context) }
    const asJson = pageForm(context.path, undefined) === 'json'
    // What a browser sends when it comes back by itself goes before what the page said at first.
    const from = context.header('last-event-id') ?? parseQuery(context.query).get('from')?.[0] ?? null
    const events = liveEvents(live, {
      profiles: options.profiles,
      filter: query.filter,
      from: from === '' ? null : from,
      render: (profiles) =>
        asJson ? profiles : String(html`${profiles.map((profile) => profileRow(profile, profile.durationMs, shown))}`),
    })
    return events === null ? profilerJson(503, { error: tooMany }) : profilerEvents(events)
  },
}

const tooMany = 'Too many live lists are open, or the application is closing.'
