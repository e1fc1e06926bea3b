// Nobody listens at the other end.

import { knownByCode, peerOf } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** Nobody listens at the other end. */
export const connectionRefused: HintRule = {
  name: 'connection-refused',
  ...knownByCode('ECONNREFUSED'),
  explain: (error) => ({
    title: `Nothing listens on ${peerOf(error)}`,
    text:
      `The connection to ${peerOf(error)} was refused: the service is not running, runs on another port, ` +
      'or listens on another address (localhost may mean ::1 or 127.0.0.1). In a container, localhost is ' +
      'the container itself.',
  }),
}
