// The jobs that the request added to queues, with the runs that there are of them by now.

import type { Redactor } from '../../framework/redact/redactor.ts'
import type { Activities } from '../activities/activity.ts'
import { activityCollector } from '../activities/collector.ts'
import type { JobsFacts } from '../activities/kinds.ts'
import type { BuiltInCollector } from '../request-record.ts'
import type { JobRun } from './job.ts'

/** As the panel gets it: `runs` are known when the profile is read. */
export type JobsData = Activities<JobsFacts & { readonly runs?: readonly JobRun[] }>

export function jobsCollector(redactor: Redactor): BuiltInCollector<JobsData> {
  return activityCollector('jobs', redactor, (facts) => ({
    ...facts,
    names: facts.names.map((name) => redactor.text(name)),
    ids: facts.ids.map((id) => redactor.text(id)),
  }))
}
