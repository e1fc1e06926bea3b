// A body above the limit.

import { propertyText } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A body above the limit. */
export const bodyTooLarge: HintRule = {
  name: 'body-too-large',
  asked: { classes: ['HttpError'] },
  matches: (error) => error.className === 'HttpError' && propertyText(error, 'statusCode') === '413',
  explain: () => ({
    title: 'The request body is larger than allowed',
    text:
      'The limit is an option of the application (maxBodyBytes). Raise it there if such bodies are ' +
      'expected, or read the body as a stream.',
  }),
}
