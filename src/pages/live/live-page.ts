// `/_profiler/live`: the list as an event stream, as table rows or JSON.

import { clearTimeout, performance, setTimeout, wallMs } from '../../base/timing/builtins.ts'
import { html } from '../../base/html/html.ts'
import { pageForm } from '../asked-part.ts'
import { ListQuery } from '../list-query.ts'
import { originOf, profileRow } from '../profile-list.ts'
import { fromStore, UnreadableStoreError, type ProfilerPage } from '../profiler-page.ts'
import { profilerEvents, profilerJson } from '../profiler-reply.ts'
import { parseQuery } from '../../base/http/query.ts'
import { Readable } from 'node:stream'
import type { ProfileReader, ProfilePage } from '../../profiles/profile-store.ts'
import type { ProfileFilter } from '../../profiles/query/filters.ts'
import type { ProfileSummary } from '../../observe/profile.ts'
import { readSearchHits } from '../../profiles/query/search-text.ts'
import { liveWithout } from '../../profiles/query/missing-parts.ts'
import { matchedText, maxMatched } from '../../profiles/profile-facts.ts'
import type { LiveFeed } from './live-feed.ts'

/** A stream; 400 for a filter that cannot be used, 503 where too many are open. */
export const livePage: ProfilerPage = async ({ request }, { options, live }) => {
  const query = new ListQuery(request.rawQuery, ['from'])
  if (query.problems.length > 0) return profilerJson(400, { problems: query.problems })
  const { profilerPath, service = null } = options
  const shown = { profilerPath, service, origin: originOf(request), list: query.address }
  const asJson = pageForm(request.path, undefined) === 'json'
  // What a browser sends when it comes back by itself goes before what the page said at first.
  const from = request.header('last-event-id') ?? parseQuery(request.rawQuery).get('from')?.[0] ?? null
  const events = liveEvents(live, {
    profiles: options.profiles,
    filter: query.listed,
    from: from === '' ? null : from,
    render: async (profiles, list) => {
      if (asJson) return { matched: list.matched, profiles }
      const words = query.filter.text
      const hits = await readSearchHits(options.profiles, profiles, words)
      const rows = profiles.map((profile) => profileRow(profile, { ...shown, now: wallMs(), words, hits }))
      return { matched: matchedText(list), profiles: String(html`${rows}`) }
    },
  })
  return events === null ? profilerJson(503, { error: tooMany }) : profilerEvents(events)
}

const tooMany = 'Too many live lists are open, or the application is closing.'

interface LiveList {
  readonly profiles: ProfileReader
  readonly filter: ProfileFilter
  /** Cursor of what the client has already; `null`: it begins now. */
  readonly from: string | null
  /** What is sent of new profiles, newest first, and of how many the list has now. */
  readonly render: (profiles: readonly ProfileSummary[], list: ProfilePage) => Promise<object>
}

/** Profiles of one event at most; of more the newest are sent and the others counted. */
const maxShown = 50
/** Profiles that one look reads at most. */
const maxRead = 200
/** After so many milliseconds without news the client is told that all is well. */
const heartbeatMs = 15_000
/** How long a stream lasts, in milliseconds. A browser that still looks comes back by itself and misses nothing. */
const maxStreamMs = 300_000
/** How long a client may take nothing, in milliseconds. */
const dropAfterMs = 30_000

/** The stream; `null` where too many are open. */
function liveEvents(feed: LiveFeed, list: LiveList): Readable | null {
  const stream = feed.open()
  if (stream === null) return null
  const source = events(feed, list, stream.signal)
  let slow: NodeJS.Timeout | undefined
  const body = new Readable({
    // Only one event is made ahead: what cannot be sent is not made.
    highWaterMark: 1,
    read: () => {
      clearTimeout(slow)
      void source.next().then(
        ({ value, done }) => {
          if (body.destroyed) return
          slow = setTimeout(() => body.destroy(), dropAfterMs)
          slow.unref()
          body.push(done === true ? null : value)
        },
        (error: Error) => body.destroy(error),
      )
    },
    destroy: (error, done) => {
      clearTimeout(slow)
      stream.abort()
      done(error)
    },
  })
  return body
}

async function* events(feed: LiveFeed, list: LiveList, signal: AbortSignal): AsyncGenerator<string, null> {
  yield 'retry: 2000\n\n'
  let cursor = list.from
  const begunMs = performance.now()
  let lastSentMs = begunMs
  let told: string | null = null
  while (!signal.aborted && performance.now() - begunMs < maxStreamMs) {
    const seen = await look(list, cursor)
    cursor = seen.newest
    // Said once, and taken back when it is over.
    const trouble = seen.trouble === told ? '' : message('trouble', { error: seen.trouble })
    told = seen.trouble
    const text = `${trouble}${seen.text ?? ''}`
    const isQuiet = text === '' && performance.now() - lastSentMs < heartbeatMs
    if (!isQuiet) {
      yield text === '' ? ': all is well\n\n' : text
      lastSentMs = performance.now()
    }
    await feed.change(signal)
  }
  return null
}

interface Seen {
  /** What to send; `null`: nothing is new. */
  readonly text: string | null
  /** Where to go on. */
  readonly newest: string | null
  /** Why profiles may be missing, one sentence; `null`: none are. */
  readonly trouble: string | null
}

/** One look at the store. */
async function look({ profiles, filter, render }: LiveList, cursor: string | null): Promise<Seen> {
  try {
    const asked = cursor === null ? { limit: 1 } : { newerThan: cursor, limit: maxRead }
    const { items, newest, next, missing } = await fromStore(async () => profiles.find(filter, asked))
    const trouble = missing === undefined ? null : liveWithout(missing)
    if (cursor === null || items.length === 0) return { text: null, newest, trouble }
    const shown = items.slice(0, maxShown)
    const list = await fromStore(async () => profiles.find(filter, { limit: 1, countUpTo: maxMatched }))
    const facts = {
      count: shown.length,
      missed: items.length - shown.length,
      more: next !== null,
    }
    const rendered = await fromStore(async () => render(shown, list))
    return { text: message('profiles', { ...facts, ...rendered }, newest), newest, trouble }
  } catch (error) {
    if (!(error instanceof UnreadableStoreError)) throw error
    return { text: null, newest: cursor, trouble: error.message }
  }
}

/** One event: JSON has no line breaks, which would end it. */
function message(event: string, data: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
