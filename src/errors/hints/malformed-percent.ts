// A percent sign that encodes nothing.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A percent sign that encodes nothing. */
export const malformedPercent: HintRule = {
  name: 'malformed-percent',
  asked: { classes: ['URIError'] },
  matches: (error) => error.className === 'URIError',
  explain: (error) => ({
    title: 'A percent sign is not followed by two hexadecimal digits',
    text:
      `The text${ownPlace(error)} was not encoded, or was decoded twice. What comes from a client can be ` +
      'anything: decode it inside try.',
  }),
}
