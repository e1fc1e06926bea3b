// Searches for places as if they took no time: what they find then does not depend on how busy the machine is. Their time has tests
// of its own.

import { mock } from 'node:test'

/** Stops the clock of searches for the rest of the process. */
export function searchWithoutClock(): void {
  mock.method(process, 'threadCpuUsage', () => ({ user: 0, system: 0 }))
}
