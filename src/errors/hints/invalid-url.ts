// A text that is no URL.

import { firstGroup, hasCode, ownPlace, propertyText } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A text that is no URL. */
export const invalidUrl: HintRule = {
  name: 'invalid-url',
  asked: { codes: ['ERR_INVALID_URL'], texts: ['Failed to parse URL'] },
  matches: (error) => hasCode(error, 'ERR_INVALID_URL') || error.message.startsWith('Failed to parse URL'),
  explain: (error) => ({
    title: `${propertyText(error, 'input') || firstGroup(/from (.*)$/, error.message) || 'The text'} is no complete URL`,
    text:
      'A URL needs its scheme and host. On a server there is no page to be relative to: give new URL(path, ' +
      `base) a base${ownPlace(error)}.`,
  }),
}
