// A directory where a file was expected, or the reverse.

import { knownByCode, propertyText } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A directory where a file was expected, or the reverse. */
export const wrongKindOfFile: HintRule = {
  name: 'wrong-kind-of-file',
  ...knownByCode('EISDIR', 'ENOTDIR'),
  explain: (error) => ({
    title: `${propertyText(error, 'path') || 'The path'} is of the wrong kind`,
    text:
      'A directory was opened as a file (EISDIR), or a part of the path is a file and no directory ' +
      '(ENOTDIR). Check what the path is put together from.',
  }),
}
