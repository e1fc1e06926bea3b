// Loaded before each test file: ends its process when the tests are over, also where one of them left a handle open. What was
// said of the tests leaves first, which `--test-force-exit` does not wait for. Plain JavaScript: nothing has to be stripped.

import { AsyncResource } from 'node:async_hooks'
import { isMainThread } from 'node:worker_threads'

/** How long a process may go on after its last test and its last hook, in milliseconds; it holds nothing open itself. */
const graceMs = 500
/** How long the hooks after the last test may take: they stop servers and remove folders, on busy machines too. */
const hooksMs = 120_000

// Neither the runner, nor what tests start, nor workers.
if (isMainThread && process.env.NODE_TEST_CONTEXT !== undefined && process.argv[1]?.endsWith('.test.ts')) {
  const { after } = await import('node:test')
  const end = () => process.stdout.write('', () => process.exit())
  const endIn = (ms) => void setTimeout(end, ms).unref()
  // Hooks run in the order they were added. This one is the first and adds the last, on behalf of the file and not of a hook.
  const addLast = AsyncResource.bind(() => after(() => endIn(graceMs)))
  after(() => {
    endIn(hooksMs)
    addLast()
  })
}
