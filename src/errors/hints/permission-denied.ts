// A file or port that the process may not use.

import { knownByCode, peerOf, propertyText } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A file or port that the process may not use. */
export const permissionDenied: HintRule = {
  name: 'permission-denied',
  ...knownByCode('EACCES', 'EPERM'),
  explain: (error) => ({
    title: `The process may not use ${propertyText(error, 'path') || peerOf(error)}`,
    text:
      'The user that runs the process lacks the right. Check owner and mode of the file and of every ' +
      'directory above it; ports below 1024 are reserved on many systems.',
  }),
}
