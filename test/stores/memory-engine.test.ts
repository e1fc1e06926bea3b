// The memory engine passes the contracts of the ports.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { pauseOver, versionField, type Documents } from '../../src/stores/collections.ts'
import { openMemoryEngine } from '../../src/stores/memory/open-memory-engine.ts'
import { describeCollections } from '../contract/collection.ts'
import { describeLockJournal } from '../contract/lock-journal.ts'
import { describeLockStore } from '../contract/lock-store.ts'
import { describeProfileStore } from '../contract/profile-store.ts'
import type { OpenForTest } from '../contract/profile-store.ts'
import { until } from '../support/until.ts'

const open: OpenForTest = (_test, options) => openMemoryEngine(options)

describeProfileStore('openMemoryEngine', open)
describeCollections('openMemoryEngine', async () => {
  const engine = await openMemoryEngine()
  return [engine, engine]
})
describeLockStore('openMemoryEngine', open)
describeLockJournal('openMemoryEngine', open)

it('tells of a pause once, also after a time in which the store could not be asked', async () => {
  const texts = new Map<string, string>()
  let look = { take: (_version: string | null): void => {}, fail: (_error: unknown): void => {} }
  let readings = 0
  const documents: Documents = {
    get: async (_hash, field) => texts.get(field) ?? null,
    getAll: async () => {
      readings += 1
      return [...texts]
    },
    set: async (_hash, fields) => {
      for (const [field, text] of fields) texts.set(field, text ?? '')
      return true
    },
    add: async () => {},
    poll: (_hash, take, fail) => {
      look = { take, fail }
      return () => {}
    },
  }
  const heard: (string | undefined)[] = []
  const pause = pauseOver('store', documents)
  pause.watch((one) => heard.push(one?.by))
  await pause.write({ since: 5, by: 'anna@web-1' })
  const before = readings
  look.fail(new Error('away'))
  look.take(texts.get(versionField) ?? null)
  await until(() => readings > before)
  await pause.write(null)
  assert.deepEqual(heard, [undefined, 'anna@web-1', undefined])
})
