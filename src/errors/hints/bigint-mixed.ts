// A BigInt and a number in one sum.

import { ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A BigInt and a number in one sum. */
export const bigintMixed: HintRule = {
  name: 'bigint-mixed',
  asked: { texts: ['Cannot mix BigInt'] },
  matches: (error) => error.message.startsWith('Cannot mix BigInt'),
  explain: (error) => ({
    title: 'A BigInt and a number were mixed',
    text:
      `Convert one of them${ownPlace(error)}: BigInt(number) where the number is whole, Number(bigint) ` +
      'where it is small.',
  }),
}
