// A connection nobody answered.

import { knownByCode, peerOf } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A connection nobody answered. */
export const connectionTimedOut: HintRule = {
  name: 'connection-timed-out',
  ...knownByCode(
    'ETIMEDOUT',
    'UND_ERR_CONNECT_TIMEOUT',
    'UND_ERR_HEADERS_TIMEOUT',
    'UND_ERR_BODY_TIMEOUT',
    'ESOCKETTIMEDOUT',
  ),
  explain: (error) => ({
    title: `${peerOf(error)} did not answer in time`,
    text:
      'No answer came at all, which points to a firewall, a wrong address, or a service that is ' +
      'overloaded. Raise the limit only when the work is known to take that long.',
  }),
}
