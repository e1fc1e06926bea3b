// Bytes for a stream that was closed.

import { knownByCode, ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** Bytes for a stream that was closed. */
export const writeAfterEnd: HintRule = {
  name: 'write-after-end',
  ...knownByCode('ERR_STREAM_WRITE_AFTER_END', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_UNABLE_TO_PIPE'),
  explain: (error) => ({
    title: 'A stream was written to after its end',
    text:
      `The write${ownPlace(error)} came when the stream was ended or destroyed already. Await whatever ` +
      'writes before calling end(), and stop producing when the other side closes.',
  }),
}
