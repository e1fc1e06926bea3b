// A change of what is frozen.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A change of what is frozen. */
export const frozenObject: HintRule = {
  name: 'frozen-object',
  asked: {
    texts: [
      'Cannot assign to read only property',
      'Cannot add property',
      'Cannot delete property',
      'Cannot define property',
      'object is not extensible',
      'which has only a getter',
    ],
  },
  matches: (error) =>
    /Cannot (assign to read only property|add property|delete property|define property)|object is not extensible|which has only a getter/.test(
      error.message,
    ),
  explain: (error) => ({
    title: 'A frozen or read-only value was changed',
    text:
      `The object${ownPlace(error)} does not take the change: it is frozen, sealed, or has only a getter. ` +
      'Make a copy with the change: { ...object, name: value }.',
  }),
}
