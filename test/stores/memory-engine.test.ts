// The memory engine passes the contracts of the ports.

import { openMemoryEngine } from '../../src/stores/memory/open-memory-engine.ts'
import { describeCollections } from '../contract/collection.ts'
import { describeLockJournal } from '../contract/lock-journal.ts'
import { describeLockStore } from '../contract/lock-store.ts'
import { describeProfileStore } from '../contract/profile-store.ts'
import type { OpenForTest } from '../contract/profile-store.ts'

const open: OpenForTest = (_test, options) => openMemoryEngine(options)

describeProfileStore('openMemoryEngine', open)
describeCollections('openMemoryEngine', async () => {
  const engine = await openMemoryEngine()
  return [engine, engine]
})
describeLockStore('openMemoryEngine', open)
describeLockJournal('openMemoryEngine', open)
