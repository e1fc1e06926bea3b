// A port that is taken.

import { knownByCode, peerOf } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A port that is taken. */
export const addressInUse: HintRule = {
  name: 'address-in-use',
  ...knownByCode('EADDRINUSE'),
  explain: (error) => ({
    title: `${peerOf(error)} is in use already`,
    text:
      'Another process listens there, often an earlier run of this one. Stop it, or set PORT to another ' +
      'number; 0 takes any free one.',
  }),
}
