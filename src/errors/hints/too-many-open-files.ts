// No file handle left.

import { knownByCode } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** No file handle left. */
export const tooManyOpenFiles: HintRule = {
  name: 'too-many-open-files',
  ...knownByCode('EMFILE', 'ENFILE'),
  explain: () => ({
    title: 'Too many files and sockets are open',
    text:
      'Something opens files or connections without closing them, or opens thousands at once. Close them ' +
      'in finally, use a pool, and look at the limit with "ulimit -n".',
  }),
}
