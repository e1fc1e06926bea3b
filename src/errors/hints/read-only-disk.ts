// A file system that cannot be written.

import { knownByCode } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A file system that cannot be written. */
export const readOnlyDisk: HintRule = {
  name: 'read-only-disk',
  ...knownByCode('EROFS'),
  explain: () => ({
    title: 'The file system is read-only',
    text: 'Containers often mount everything read-only. Write to a volume, or to the directory for temporary files.',
  }),
}
