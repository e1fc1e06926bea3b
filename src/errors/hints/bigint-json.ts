// JSON of a BigInt.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** JSON of a BigInt. */
export const bigintJson: HintRule = {
  name: 'bigint-json',
  asked: { texts: ['serialize a BigInt'] },
  matches: (error) => /serialize a BigInt/.test(error.message),
  explain: (error) => ({
    title: 'JSON has no BigInt',
    text:
      `Turn the BigInt into a text${ownPlace(error)}, for instance with a replacer: (key, value) => typeof ` +
      "value === 'bigint' ? String(value) : value.",
  }),
}
