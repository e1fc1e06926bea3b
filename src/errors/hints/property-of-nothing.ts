// A property of undefined or null: the commonest fault there is.

import { firstGroup, ownPlace } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A property of undefined or null. */
export const propertyOfNothing: HintRule = {
  name: 'property-of-nothing',
  asked: { texts: ['Cannot read properties of ', 'Cannot set properties of '] },
  matches: (error) => pattern.test(error.message) && !error.message.includes(`'#`),
  explain: (error) => {
    const property = firstGroup(/\((?:reading|setting) '([^']*)'\)/, error.message)
    const nothing = / of null /.test(error.message) ? 'null' : 'undefined'
    return {
      title: `What stands before "${property}" is ${nothing}`,
      text:
        `The value was ${nothing} when "${property}" was asked of it${ownPlace(error)}. Look where it comes from: ` +
        'a lookup that found nothing, a missing await, a name misspelt in the data. If it may be absent, use ?. or answer before.',
    }
  },
}

const pattern = /^Cannot (?:read|set) properties of (?:undefined|null) /
