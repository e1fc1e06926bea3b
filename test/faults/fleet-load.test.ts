// The judge of loads on a shared store: faults of a fleet and `bench:fleet` rest on what it says.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { openEngine } from '../../src/app/open-engine.ts'
import { startFleetLoad } from '../support/fleet-load.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

it('finds everything that was acknowledged, also to a process that was killed', async (test) => {
  const store = `sqlite:${join(makeTemporaryDirectory(test), 'store.db')}`
  await using load = await startFleetLoad({ store, processes: 2, perSecond: 100, maxProfiles: 10_000, kind: 'small' })
  await until(() => load.processes.every(({ acknowledged }) => acknowledged > 0))
  load.processes[0]?.child.kill('SIGKILL')
  const { acknowledged, made, lost, dropped, reports } = await load.judge()
  assert.deepEqual(lost, [])
  assert.equal(dropped, 0)
  assert.equal(reports.length, 1)
  assert.ok(made > 0 && acknowledged > made, `${made} made by one, ${acknowledged} acknowledged to both`)
})

it('names what is missing', async (test) => {
  const store = `sqlite:${join(makeTemporaryDirectory(test), 'store.db')}`
  await using load = await startFleetLoad({ store, processes: 1, perSecond: 100, maxProfiles: 10_000, kind: 'page' })
  await until(() => load.acknowledged > 0)
  const engine = await openEngine(store)
  const { items } = await engine.profiles.find({}, { limit: 1 })
  const [stored] = items
  await engine.profiles.purge()
  await engine.close()
  const { lost } = await load.judge()
  assert.ok(stored !== undefined && lost.includes(stored.token))
})
