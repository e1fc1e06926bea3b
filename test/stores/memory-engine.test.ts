// The memory engine passes the contracts of the three ports.

import { openMemoryEngine } from '../../src/stores/memory/open-memory-engine.ts'
import { describeCurrencyStore } from '../contract/currency-store.ts'
import { describeLockJournal } from '../contract/lock-journal.ts'
import { describeLockStore } from '../contract/lock-store.ts'
import { describeProfileStore } from '../contract/profile-store.ts'
import type { OpenForTest } from '../contract/profile-store.ts'

const open: OpenForTest = (_test, options) => openMemoryEngine(options)

describeProfileStore('openMemoryEngine', open)
describeCurrencyStore('openMemoryEngine', open)
describeLockStore('openMemoryEngine', open)
describeLockJournal('openMemoryEngine', open)
