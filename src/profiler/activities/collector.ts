// Makes the collector of one kind of activity.

import type { Redactor } from '../../framework/redact/redactor.ts'
import { cutList } from '../profile-parts.ts'
import type { BuiltInCollector } from '../request-record.ts'
import type { Activities } from './activity.ts'
import type { ActivityFacts, ActivityName } from './kinds.ts'

/** `mask` masks the facts of one; what it failed with is masked already. Nothing where nothing of the kind happened. */
export function activityCollector<Name extends ActivityName>(
  name: Name,
  redactor: Redactor,
  mask: (facts: ActivityFacts[Name]) => ActivityFacts[Name],
): BuiltInCollector<Activities<ActivityFacts[Name]>> {
  return {
    name,
    collect: ({ parts: { activities } }) => {
      const recorded: Activities<ActivityFacts[Name]> | undefined = activities?.[name]
      if (recorded === undefined) return undefined
      const entries = recorded.entries.map((entry) => ({
        ...entry,
        ...mask(entry),
        error: entry.error === null ? null : redactor.text(entry.error),
      }))
      return { entries, dropped: recorded.dropped }
    },
    cut: ({ entries, dropped }, maxBytes) => {
      const kept = cutList(entries, maxBytes, ({ error }) => error !== null)
      return { entries: kept, dropped: dropped + entries.length - kept.length }
    },
  }
}
