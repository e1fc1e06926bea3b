// A file that a package keeps to itself.

import { knownByCode } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A file that a package keeps to itself. */
export const pathNotExported: HintRule = {
  name: 'path-not-exported',
  ...knownByCode('ERR_PACKAGE_PATH_NOT_EXPORTED'),
  explain: () => ({
    title: 'The package does not offer that file',
    text:
      'Only what the "exports" of its package.json name can be imported. Import from its main entry, or ' +
      'look there for the public path.',
  }),
}
