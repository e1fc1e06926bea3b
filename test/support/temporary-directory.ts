// A directory of a test's own that goes away with the test.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a test context offers to clean up. */
export interface WithAfter {
  after(clean: () => void | Promise<void>): void
}

/** Makes an empty directory (0700) and removes it, whatever is in it, after the test. */
export function makeTemporaryDirectory(test: WithAfter): string {
  const directory = mkdtempSync(join(tmpdir(), 'fanlight-'))
  test.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
