// A body that is read a second time.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A body that is read a second time. */
export const bodyReadTwice: HintRule = {
  name: 'body-read-twice',
  matches: (error) =>
    /Body is unusable|already (been )?read|bodyUsed/i.test(error.message) || /BodyAlreadyRead/.test(error.className),
  explain: (error) => ({
    title: 'The body was read a second time',
    text:
      `A body can be read once, and${ownPlace(error)} it had been read already. Keep what the first ` +
      'reading gave, or clone a Response before reading it.',
  }),
}
