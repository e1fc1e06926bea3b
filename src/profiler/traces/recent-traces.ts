// The newest traces that more than one service, or more than one request, is part of.

import { spansMethod, type ProfileSummary } from '../profile.ts'
import type { ProfileFilter, ProfileReader } from '../profile-store.ts'

export interface RecentTrace {
  readonly traceId: string
  /** In the order in which they were found. */
  readonly services: readonly string[]
  /** Requests and batches of spans that are part of it, at most 2,000 of either. */
  readonly count: number
  /** When the newest of them began, milliseconds since 1970. */
  readonly time: number
  /** What the earliest of them is about: `GET http://127.0.0.1:8000/cart`, or the name of a span. */
  readonly subject: string
  readonly hasError: boolean
}

export interface RecentTraces {
  /** The newest first, at most 25. */
  readonly traces: readonly RecentTrace[]
  /** How many of the newest profiles traces were looked for in, if there are older ones. */
  readonly searchedNewest?: number
}

const maxTraces = 25
const pageLength = 200
const maxPages = 10

/** Looks for traces in the newest profiles, and asks the store for all that is part of each. */
export async function readRecentTraces(profiles: Pick<ProfileReader, 'find'>): Promise<RecentTraces> {
  const [own, received] = await Promise.all([newestOf(profiles, {}), newestOf(profiles, { method: spansMethod })])
  const byTrace = Map.groupBy([...own.items, ...received.items], ({ traceId }) => traceId)
  const found = [...byTrace]
    .flatMap(([traceId, items]) => (traceId === null || items.length < 2 ? [] : [traceOf(traceId, items)]))
    .sort((one, other) => other.time - one.time)
    .slice(0, maxTraces)
  const traces = await Promise.all(
    found.map(async ({ traceId }) => {
      const parts = await Promise.all([
        newestOf(profiles, { traceId }),
        newestOf(profiles, { traceId, method: spansMethod }),
      ])
      return traceOf(
        traceId,
        parts.flatMap(({ items }) => items),
      )
    }),
  )
  return { traces, ...((own.isCut || received.isCut) && { searchedNewest: pageLength * maxPages }) }
}

async function newestOf(
  profiles: Pick<ProfileReader, 'find'>,
  filter: ProfileFilter,
): Promise<{ readonly items: readonly ProfileSummary[]; readonly isCut: boolean }> {
  const items: ProfileSummary[] = []
  let after: string | null | undefined
  for (let page = 0; page < maxPages && after !== null; page += 1) {
    const found = await profiles.find(filter, { limit: pageLength, ...(after !== undefined && { after }) })
    items.push(...found.items)
    after = found.next
  }
  return { items, isCut: after !== null }
}

function traceOf(traceId: string, items: readonly ProfileSummary[]): RecentTrace {
  const [first] = items.toSorted((one, other) => one.time - other.time)
  const isReceived = first?.method === spansMethod
  return {
    traceId,
    services: [...new Set(items.flatMap(({ service }) => service ?? []))],
    count: items.length,
    time: items.reduce((newest, { time }) => Math.max(newest, time), 0),
    subject: first === undefined ? '' : isReceived ? first.handler : `${first.method} ${first.url}`,
    hasError: items.some(({ findings, status }) => findings.includes('error') || status >= 500),
  }
}
