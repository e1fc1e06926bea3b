// How processes end: nothing of ours changes that, and nothing is lost. These run last, because they end the processes of a column.

import assert from 'node:assert/strict'
import type { ProfileSummary } from '../../../src/observe/profile.ts'
import { openEngine } from '../../../src/app/open-engine.ts'
import type { Both, Case } from '../support/conformance.ts'

/** What is in the store of the process with us, which has ended. */
async function storedBy({ store }: Both): Promise<readonly ProfileSummary[]> {
  const engine = await openEngine(store)
  const { items } = await engine.profiles.find({}, { limit: 50 })
  await engine.close()
  return items
}

export const closed: Case = {
  number: 57,
  title: 'close of the server: everything is written, and no handle of ours keeps the process',
  check: async (both) => {
    await both.withUs.send({ target: '/echo/the-last-one' })
    await both.withUs.close()
    assert.deepEqual(await both.withUs.ended, { code: 0, signal: null }, both.withUs.output)
    assert.ok((await storedBy(both)).some(({ url }) => url.endsWith('/echo/the-last-one')))
  },
}

export const thrownFromTimer: Case = {
  number: 34,
  title:
    'a throw from a timer: the process ends as without us, and what was recorded before is kept (not reached: the request itself)',
  check: async (both) => {
    const { withUs, without } = both
    await withUs.profileOf(await withUs.send({ target: '/echo/the-request-before' }))
    await Promise.all([withUs, without].map((one) => one.send({ target: '/timer-throw' }).catch(() => undefined)))
    const [seen, expected] = await Promise.all([withUs.ended, without.ended])
    assert.deepEqual(seen, expected)
    assert.equal(seen.code, 1)
    assert.match(withUs.output, /Error: thrown from a timer/)
    const stored = await storedBy(both)
    assert.ok(stored.some(({ url }) => url.endsWith('/echo/the-request-before')))
    const failed = stored.find(({ url }) => url.endsWith('/timer-throw'))
    assert.equal(failed?.status, 0)
    assert.equal(failed?.errorMessage, 'thrown from a timer')
  },
}
