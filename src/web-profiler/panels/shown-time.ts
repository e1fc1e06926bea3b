// The data of the performance panel as a store may give it.

import type { LoopShares } from '../../profiler/collectors/loop-shares.ts'
import type { TimeData } from '../../profiler/collectors/time.ts'

/** Profiles of an earlier version, and files from elsewhere, say nothing of the loop. */
export type ShownTime = Omit<TimeData, keyof LoopShares> & Partial<LoopShares>
