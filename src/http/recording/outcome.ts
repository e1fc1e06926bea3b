// Whether a request that has ended counts as an error or as slow. The profiler decides by it what to keep, and lists show it.

import { parseMediaType } from '../../base/http/media-type.ts'
import type { Reply } from '../../base/http/reply.ts'

/** How a request ended. */
export interface Outcome {
  /** Status of the response; 0 if none left. */
  readonly status: number
  /** Class of what was thrown, or `null`. */
  readonly errorClass: string | null
  /** Lines of its log of level `error` and above. */
  readonly logErrorCount: number
}

/** Requests at least this long count as slow by default, in milliseconds. */
export const defaultSlowMs = 500

/**
 * Whether a request failed: a status from 500, no response, an error line in its log, or something thrown that did not become a 4xx.
 * A 404 is thrown too, but is not an error of the application.
 */
export function isErrorOutcome({ status, errorClass, logErrorCount }: Outcome): boolean {
  return status >= 500 || status === 0 || logErrorCount > 0 || (errorClass !== null && status < 400)
}

/** Whether a response is a WebSocket or a stream of events: those end when one side has enough, so a long one is not slow. */
export function isOpenEnded(reply: Pick<Reply, 'status' | 'header'>): boolean {
  return reply.status === 101 || parseMediaType(reply.header('content-type')).essence === 'text/event-stream'
}
