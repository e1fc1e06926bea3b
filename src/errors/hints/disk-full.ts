// No space left.

import { knownByCode } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** No space left. */
export const diskFull: HintRule = {
  name: 'disk-full',
  ...knownByCode('ENOSPC', 'EDQUOT'),
  explain: () => ({
    title: 'The disk is full',
    text:
      'Nothing can be written there until space is freed. On Linux the same code means that too many files ' +
      'are watched (fs.inotify.max_user_watches).',
  }),
}
