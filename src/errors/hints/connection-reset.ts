// A connection the other side cut.

import { knownByCode } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A connection the other side cut. */
export const connectionReset: HintRule = {
  name: 'connection-reset',
  ...knownByCode('ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'),
  explain: () => ({
    title: 'The other side cut the connection',
    text:
      'It restarted, closed a connection that had been idle, or refused what was sent (TLS to a plain port ' +
      'does this). A single retry is fine for calls that change nothing.',
  }),
}
