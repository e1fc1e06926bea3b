// The port behind which a request that no route took is answered without an error, a stack and a sub-request: outside debug,
// where nobody looks at them, such requests are ordinary and many.

import type { Reply } from '../http/reply.ts'
import type { RequestContext } from '../http/request-context.ts'
import type { RouteMiss } from './route-miss.ts'

/** Answers misses. */
export interface MissAnswer {
  /** Logs the miss and gives the same answer as the error handler would. May throw: then the error handler is asked. */
  answer(context: RequestContext, miss: RouteMiss): Reply
}
