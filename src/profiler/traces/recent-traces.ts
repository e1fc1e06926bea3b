// The newest traces that more than one service, or more than one request, is part of.

import { spansMethod, type ProfileSummary } from '../profile.ts'
import type { ProfileReader } from '../profile-store.ts'

export interface RecentTrace {
  readonly traceId: string
  /** In the order in which they were found. */
  readonly services: readonly string[]
  /** Profiles and batches of spans among those that were looked at. */
  readonly count: number
  /** When the newest of them began, milliseconds since 1970. */
  readonly time: number
  /** What the earliest of them is about: `GET http://127.0.0.1:8000/cart`, or the name of a span. */
  readonly subject: string
  readonly hasError: boolean
}

const maxTraces = 25
/** Profiles of either kind that are looked at: the newest ones. */
const looked = 200

export async function readRecentTraces(profiles: Pick<ProfileReader, 'find'>): Promise<readonly RecentTrace[]> {
  const [own, received] = await Promise.all([
    profiles.find({}, { limit: looked }),
    profiles.find({ method: spansMethod }, { limit: looked }),
  ])
  const byTrace = Map.groupBy([...own.items, ...received.items], ({ traceId }) => traceId)
  return [...byTrace]
    .flatMap(([traceId, items]) => (traceId === null || items.length < 2 ? [] : [traceOf(traceId, items)]))
    .sort((one, other) => other.time - one.time)
    .slice(0, maxTraces)
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
