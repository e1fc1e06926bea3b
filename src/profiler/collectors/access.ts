// Who the user of the request was, and what was decided about access.

import type { Activities } from '../activities/activity.ts'
import { activityCollector } from '../activities/collector.ts'
import type { AccessFacts } from '../activities/kinds.ts'
import type { RecordedUser } from '../client/user.ts'
import type { BuiltInCollector } from '../request-record.ts'

export interface AccessData extends Activities<AccessFacts> {
  /** `null` if nobody is known. */
  readonly user: RecordedUser | null
}

/** Nothing if nobody is known and nothing was decided. */
export const accessCollector: BuiltInCollector<AccessData> = accessCollectorOf(activityCollector('access'))

function accessCollectorOf(decisions: BuiltInCollector<Activities<AccessFacts>>): BuiltInCollector<AccessData> {
  return {
    name: 'access',
    collect: (record) => {
      const user = record.parts.client?.user ?? null
      const decided = decisions.collect(record)
      if (user === null && decided === undefined) return undefined
      return { user, entries: decided?.entries ?? [], dropped: decided?.dropped ?? 0 }
    },
    cut: (data, maxBytes) => ({ ...data, ...decisions.cut?.(data, maxBytes) }),
  }
}
