// A value that cannot leave its thread.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A value that cannot leave its thread. */
export const notCloneable: HintRule = {
  name: 'not-cloneable',
  asked: { classes: ['DataCloneError'] },
  matches: (error) => error.className === 'DataCloneError',
  explain: (error) => ({
    title: 'The value cannot be sent or copied',
    text:
      'Functions, sockets and objects of classes do not pass between threads or through ' +
      `structuredClone${ownPlace(error)}. Send plain data.`,
  }),
}
