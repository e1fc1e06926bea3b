// A second answer, or a header, after the first answer had left.

import { knownByCode, ownPlace } from './error-parts.ts'
import type { FlattenedError } from '../flattened-error.ts'
import type { HintRule } from './hint.ts'

/** A second answer, or a header, after the first answer had left. */
export const headersAlreadySent: HintRule = {
  name: 'headers-already-sent',
  ...knownByCode('ERR_HTTP_HEADERS_SENT'),
  explain: (error, _exchange, inner) => ({
    title: 'The answer had already been sent',
    text:
      `Something wrote headers${ownPlace(error)} after the response had begun${firstPlace(inner)}. Answer once: return after ` +
      'the first answer, and set headers before the first byte. A callback or a promise nobody waited for ' +
      'is the usual second writer.',
  }),
}

function firstPlace(inner: FlattenedError | undefined): string {
  if (inner?.className !== 'FirstSend') return ''
  const place = ownPlace(inner)
  return place === '' ? '; the first answer was what the route’s handler gave' : `; it was begun${place}`
}
