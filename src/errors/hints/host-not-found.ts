// A name that no resolver knows.

import { knownByCode, peerOf } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A name that no resolver knows. */
export const hostNotFound: HintRule = {
  name: 'host-not-found',
  ...knownByCode('ENOTFOUND', 'EAI_AGAIN'),
  explain: (error) => ({
    title: `The host ${peerOf(error)} cannot be found`,
    text:
      'The name did not resolve. Check its spelling in the configuration; inside a container or a cluster, ' +
      'check that the service has that name in this network. EAI_AGAIN means that the resolver itself did ' +
      'not answer.',
  }),
}
