// Work that was called off.

import type { HintRule } from './hint.ts'

/** Work that was called off. */
export const aborted: HintRule = {
  name: 'aborted',
  asked: { classes: ['AbortError'] },
  matches: (error) => error.className === 'AbortError',
  explain: () => ({
    title: 'The work was called off',
    text:
      'An AbortSignal ended it: the client went away, or the code that started it no longer wanted the ' +
      'result. It is rarely a fault.',
  }),
}
