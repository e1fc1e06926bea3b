// What all tests of a file or of a suite share.

import { after } from 'node:test'

/** Waits for what was started, which ends after all tests of the file or suite: `const app = await forAll(startApp())`, before the first of them. */
export async function forAll<Shared extends AsyncDisposable>(started: Promise<Shared>): Promise<Shared> {
  const shared = await started
  after(() => shared[Symbol.asyncDispose]())
  return shared
}
