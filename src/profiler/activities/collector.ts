// Makes the collector of one kind of activity.

import type { Redactor } from '../../framework/redact/redactor.ts'
import { cutList } from '../profile-parts.ts'
import type { BuiltInCollector } from '../request-record.ts'
import type { Activities, Happening } from './activity.ts'
import type { ActivityFacts, ActivityName } from './kinds.ts'

/** `mask` masks the facts of one; `error` is masked already, and may be masked further. Nothing if there were none. */
export function activityCollector<Name extends ActivityName>(
  name: Name,
  redactor: Redactor,
  mask: (activity: ActivityFacts[Name] & Happening) => ActivityFacts[Name] & Partial<Happening>,
): BuiltInCollector<Activities<ActivityFacts[Name]>> {
  return {
    name,
    collect: ({ parts: { activities } }) => {
      const recorded: Activities<ActivityFacts[Name]> | undefined = activities?.[name]
      if (recorded === undefined) return undefined
      const entries = recorded.entries.map((recordedEntry) => {
        const { error } = recordedEntry
        const entry = { ...recordedEntry, error: error === null ? null : redactor.text(error) }
        return { ...entry, ...mask(entry) }
      })
      return { entries, dropped: recorded.dropped }
    },
    cut: ({ entries, dropped }, maxBytes) => {
      const kept = cutList(entries, maxBytes, ({ error }) => error !== null)
      return { entries: kept, dropped: dropped + entries.length - kept.length }
    },
  }
}
