// Makes the collector of one kind of activity.

import { cutList } from '../profile-parts.ts'
import type { BuiltInCollector } from '../request-record.ts'
import type { Activities, ActivityKind, MaskTools } from './activity-kind.ts'

/** Nothing if there were none, and nothing is known beside them. */
export function activityCollector<Facts extends object, Data extends Activities<Facts>>(
  kind: ActivityKind<Facts, Data>,
  tools: MaskTools,
): BuiltInCollector<Data> {
  return {
    name: kind.name,
    collect: ({ parts: { activities, client } }) => {
      // `begin` puts into each list only what belongs to its kind.
      const recorded = activities?.[kind.name] as Activities<Facts> | undefined
      const beside = kind.beside?.(client)
      if (recorded === undefined && Object.values(beside ?? {}).every((value) => value === null)) return undefined
      const entries = recorded?.entries.map((entry) => Object.assign({ ...entry }, kind.mask?.(entry, tools))) ?? []
      return { ...beside, entries, dropped: recorded?.dropped ?? 0 } as unknown as Data
    },
    cut: (data, maxBytes) => {
      const { entries, dropped } = data
      const kept = cutList(kind.shrink?.(entries, maxBytes) ?? entries, maxBytes, ({ error }) => error !== null)
      return { ...data, entries: kept, dropped: dropped + entries.length - kept.length }
    },
  }
}
