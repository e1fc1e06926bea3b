// A stream that broke off.

import { knownByCode } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A stream that broke off. */
export const prematureClose: HintRule = {
  name: 'premature-close',
  ...knownByCode('ERR_STREAM_PREMATURE_CLOSE'),
  explain: () => ({
    title: 'A stream was closed before it was complete',
    text:
      'The other side went away, or the source was destroyed without an error. Handle it where the stream ' +
      'is piped; a client that leaves is no fault of the server.',
  }),
}
