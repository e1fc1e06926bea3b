// Makes the collector of one kind of activity.

import { cutList } from '../profile-parts.ts'
import type { BuiltInCollector } from '../request-record.ts'
import type { Activities, Happening } from './activity.ts'
import type { ActivityFacts, ActivityName } from './kinds.ts'

/**
 * Nothing if there were none. Every text of a profile is masked; `mask` does what that needs to know of the kind.
 */
export function activityCollector<Name extends ActivityName>(
  name: Name,
  mask: (activity: ActivityFacts[Name] & Happening) => Partial<ActivityFacts[Name] & Happening> = () => ({}),
): BuiltInCollector<Activities<ActivityFacts[Name]>> {
  return {
    name,
    collect: ({ parts: { activities } }) => {
      const recorded: Activities<ActivityFacts[Name]> | undefined = activities?.[name]
      if (recorded === undefined) return undefined
      const entries = recorded.entries.map((entry) => Object.assign({ ...entry }, mask(entry)))
      return { entries, dropped: recorded.dropped }
    },
    cut: ({ entries, dropped }, maxBytes) => {
      const kept = cutList(entries, maxBytes, ({ error }) => error !== null)
      return { entries: kept, dropped: dropped + entries.length - kept.length }
    },
  }
}
