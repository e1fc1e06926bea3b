// The jobs that the request added to queues, with the runs that there are of them by now.

import type { Activities } from '../activities/activity.ts'
import { activityCollector } from '../activities/collector.ts'
import type { JobsFacts } from '../activities/kinds.ts'
import type { BuiltInCollector } from '../request-record.ts'
import type { JobRun } from './job.ts'

/** As the panel gets it: `runs` are known when the profile is read. */
export type JobsData = Activities<JobsFacts & { readonly runs?: readonly JobRun[] }>

export const jobsCollector: BuiltInCollector<JobsData> = activityCollector('jobs')
