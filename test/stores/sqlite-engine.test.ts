// The SQLite engine passes the contracts of the three ports.

import assert from 'node:assert/strict'
import { openSqliteEngine } from '../../src/stores/sqlite/open-sqlite-engine.ts'
import { describeCurrencyStore } from '../contract/currency-store.ts'
import { describeLockStore } from '../contract/lock-store.ts'
import { describeProfileStore } from '../contract/profile-store.ts'
import type { OpenForTest } from '../contract/profile-store.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

const open: OpenForTest = async (test, options) => {
  const directory = makeTemporaryDirectory(test)
  const engine = await openSqliteEngine({ ...options, directory, path: 'store.db', onWarning: assert.fail })
  test.after(() => engine.close())
  return engine
}

describeProfileStore('openSqliteEngine', open)
describeCurrencyStore('openSqliteEngine', open)
describeLockStore('openSqliteEngine', open)
