// A body that is read a second time.

import { ownPlace } from './error-parts.ts'
import type { FlattenedError } from '../flattened-error.ts'
import type { HintRule } from './hint.ts'

/** A body that is read a second time. */
export const bodyReadTwice: HintRule = {
  name: 'body-read-twice',
  matches: (error) =>
    /Body is unusable|already (been )?read|bodyUsed/i.test(error.message) || /BodyAlreadyRead/.test(error.className),
  explain: (error, _exchange, inner) => ({
    title: 'The body was read a second time',
    text:
      `A body can be read once, and${ownPlace(error)} it had been read already${firstPlace(inner)}. Keep what the ` +
      'first reading gave, or clone a Response before reading it.',
  }),
}

function firstPlace(inner: FlattenedError | undefined): string {
  return inner?.className === 'FirstBodyRead' ? `, first${ownPlace(inner)}` : ''
}
