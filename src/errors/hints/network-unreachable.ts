// No way to the other end.

import { knownByCode, peerOf } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** No way to the other end. */
export const networkUnreachable: HintRule = {
  name: 'network-unreachable',
  ...knownByCode('EHOSTUNREACH', 'ENETUNREACH'),
  explain: (error) => ({
    title: `There is no way to ${peerOf(error)}`,
    text:
      'The machine has no route to that address: the network is down, or the address belongs to another ' +
      'network (an IPv6 address where only IPv4 works is common).',
  }),
}
