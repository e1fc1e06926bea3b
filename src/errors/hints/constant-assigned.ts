// A constant that was changed.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A constant that was changed. */
export const constantAssigned: HintRule = {
  name: 'constant-assigned',
  asked: { texts: ['Assignment to constant variable'] },
  matches: (error) => error.message.startsWith('Assignment to constant variable'),
  explain: (error) => ({
    title: 'A constant was assigned to',
    text:
      `The name${ownPlace(error)} was declared with const, or was imported. Declare it with let, or give ` +
      'the new value another name.',
  }),
}
