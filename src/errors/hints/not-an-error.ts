// Something was thrown that is no Error.

import type { HintRule } from './hint.ts'

/** Something was thrown that is no Error. */
export const notAnError: HintRule = {
  name: 'not-an-error',
  matches: (error) => !error.isError && error.className !== 'Proxy',
  explain: (error) => ({
    title: `A value of type ${error.className} was thrown instead of an Error`,
    text:
      'It carries no trace, so the place of the throw is unknown. Throw new Error(…) and put the value ' +
      'into its cause.',
  }),
}
