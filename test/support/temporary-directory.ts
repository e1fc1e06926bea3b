// A directory of a test's own that goes away with the test.

import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a test context offers to clean up. */
export interface WithAfter {
  after(clean: () => void | Promise<void>): void
}

/** Makes an empty directory (0700) and removes it after the test, when whatever else is cleaned up has let go of it. */
export function makeTemporaryDirectory(test: WithAfter): string {
  const directory = mkdtempSync(join(tmpdir(), 'fanlight-'))
  // Hooks run in the order they were added: this one adds the last.
  test.after(() => test.after(() => removeDirectory(directory)))
  return directory
}

/** Removes a directory, whatever is in it. A process that was told to end may still write to it: tries again for twenty seconds. */
export async function removeDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
