// A file that is not there.

import { knownByCode, ownPlace, propertyText } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A file that is not there. */
export const fileNotFound: HintRule = {
  name: 'file-not-found',
  ...knownByCode('ENOENT'),
  explain: (error) => ({
    title: `There is no ${propertyText(error, 'path') || 'such file'}`,
    text:
      `The path was looked for${ownPlace(error)}. A relative path starts at the working directory of the ` +
      'process, not at the file that names it: build it from import.meta.dirname.',
  }),
}
