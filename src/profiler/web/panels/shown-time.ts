// The data of the performance panel as a store may give it.

import type { LoopShares } from '../../collectors/loop-shares.ts'
import type { TimeData } from '../../collectors/time.ts'

/** What profiles of an earlier version, and files from elsewhere, may say nothing of: the loop, and what the profiler took. */
type Later = keyof LoopShares | 'instrumentationMs'

export type ShownTime = Omit<TimeData, Later> & Partial<Pick<TimeData, Later>>
