// A handler without an answer.

import { hasCode } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A handler without an answer. */
export const handlerReturnedNothing: HintRule = {
  name: 'handler-returned-nothing',
  matches: (error) => hasCode(error, 'ERR_HANDLER_RESULT'),
  explain: () => ({
    title: 'The handler returned no answer',
    text:
      'Every way through a handler must return an answer, and what is asynchronous must be awaited: look ' +
      'for a branch without return, and for an arrow function whose braces need a return.',
  }),
}
