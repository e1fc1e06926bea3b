// JSON of what contains itself.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** JSON of what contains itself. */
export const circularJson: HintRule = {
  name: 'circular-json',
  asked: { texts: ['Converting circular structure to JSON'] },
  matches: (error) => error.message.startsWith('Converting circular structure to JSON'),
  explain: (error) => ({
    title: 'The value contains itself and cannot become JSON',
    text:
      `The way round is in the message. Pick the fields that are meant${ownPlace(error)}, instead of ` +
      'passing a whole request, socket or database object.',
  }),
}
