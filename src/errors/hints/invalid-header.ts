// A header that HTTP cannot carry.

import { knownByCode, ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A header that HTTP cannot carry. */
export const invalidHeader: HintRule = {
  name: 'invalid-header',
  ...knownByCode('ERR_INVALID_CHAR', 'ERR_HTTP_INVALID_HEADER_VALUE', 'ERR_INVALID_HTTP_TOKEN'),
  explain: (error) => ({
    title: 'A header holds what HTTP cannot carry',
    text:
      'Header names are tokens, values are Latin-1 without line breaks. Encode the ' +
      `value${ownPlace(error)}, for instance with encodeURIComponent, and keep request data out of headers.`,
  }),
}
