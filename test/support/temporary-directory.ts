// A directory of a test's own that goes away with the test.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a test context offers to clean up. */
export interface WithAfter {
  after(clean: () => void | Promise<void>): void
}

/** Makes an empty directory (0700) and removes it after the test. */
export function makeTemporaryDirectory(test: WithAfter): string {
  const directory = mkdtempSync(join(tmpdir(), 'fanlight-'))
  test.after(() => removeDirectory(directory))
  return directory
}

/** Removes a directory, whatever is in it. A process that has just ended may still remove its files beside: tries again for a while. */
export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 8, retryDelay: 100 })
}
