// Loaded before each test file: ends its process when the tests are over, also where one of them left a handle open. What was
// said of the tests leaves first, which `--test-force-exit` does not wait for. Plain JavaScript: nothing has to be stripped.

import { isMainThread } from 'node:worker_threads'

/** How long a process may go on after its last test, in milliseconds; it holds nothing open itself. */
const graceMs = 2000

// Neither the runner, nor what tests start, nor workers.
if (isMainThread && process.env.NODE_TEST_CONTEXT !== undefined && process.argv[1]?.endsWith('.test.ts')) {
  const { after } = await import('node:test')
  after(() => void setTimeout(() => process.exit(), graceMs).unref())
}
