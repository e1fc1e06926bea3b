// A method called without its object.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A method called without its object. */
export const privateMethodUnbound: HintRule = {
  name: 'private-method-unbound',
  asked: { texts: ["(reading '#", 'Cannot read private member', 'Receiver must be'] },
  matches: (error) => /\(reading '#|Cannot read private member|Receiver must be/.test(error.message),
  explain: (error) => ({
    title: 'A method was called without its object',
    text:
      `The method${ownPlace(error)} uses a private field, but this was another value. Pass it as an arrow ` +
      'function, () => object.method(), or bind it.',
  }),
}
