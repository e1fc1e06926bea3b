// Decides whether the stack of a call is caught.

import { markCallSite, type CallSiteMark } from './call-site.ts'
import type { RequestPace } from './request-pace.ts'
import type { UsualCaller } from './usual-caller.ts'

/**
 * Where a call that is made now comes from. While requests are recorded in great number, the place of a caller that is known is
 * assumed: catching a stack takes longer than all else that is noted of a call.
 */
export function callSiteNow(caller: UsualCaller, pace: RequestPace): CallSiteMark {
  const assumed = pace.isBusy ? caller.assume() : null
  return assumed ?? markCallSite(caller.frames)
}
