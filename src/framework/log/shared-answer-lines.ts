// The line about a request that somebody else had answered; wording, level and channel live here as in lines.ts.

import type { LogLine } from './logger.ts'

/** The answer could not be sent: other code, which shares the response, had answered before. */
export function answeredElsewhere(facts: {
  readonly method: string
  readonly url: string
  readonly route: string | null
  /** Status of the answer that did not leave. */
  readonly status: number
  readonly sentStatus: number
  readonly sentHeaders: readonly string[]
  readonly isEnded: boolean
  /** The call that began it, `app/server.ts:12:5`; `null` where unknown. */
  readonly place: string | null
}): LogLine {
  const where = facts.place === null ? '' : ' at {place}'
  return {
    level: 'error',
    channel: 'kernel',
    message:
      `{method} {url} was answered by other code${where}: status {sent_status} had left before the answer of the ` +
      `application ({status}), which is dropped. Return before app.handler where the response is used.`,
    context: {
      method: facts.method,
      url: facts.url,
      route: facts.route,
      status: facts.status,
      sent_status: facts.sentStatus,
      sent_headers: facts.sentHeaders,
      sent_is_ended: facts.isEnded,
      place: facts.place,
    },
  }
}
