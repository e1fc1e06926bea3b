// The SQLite engine passes the contracts of the ports.

import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import type { Engine } from '../../src/stores/engine.ts'
import { openSqliteEngine } from '../../src/stores/sqlite/open-sqlite-engine.ts'
import { describeCollections } from '../contract/collection.ts'
import { describeLockJournal } from '../contract/lock-journal.ts'
import { describeLockStore, makeLockState } from '../contract/lock-store.ts'
import { describeProfileStore } from '../contract/profile-store.ts'
import type { OpenForTest } from '../contract/profile-store.ts'
import { writeManyProfiles } from '../support/many-profiles.ts'
import { makeProfile } from '../support/profiles.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'
import { pick } from '../support/pick.ts'

const open: OpenForTest = async (test, options) => {
  const directory = makeTemporaryDirectory(test)
  const engine = await openSqliteEngine({ ...options, directory, path: 'store.db', onWarning: assert.fail })
  test.after(() => engine.close())
  return engine
}
/** By options: a thread for each test would cost more than all the tests. */
const engines = new Map<string, Engine>()
after(async () => {
  for (const engine of engines.values()) await engine.close()
})
const sharedDirectory = makeTemporaryDirectory({ after })
const openShared: OpenForTest = async (_test, options) => {
  const key = JSON.stringify(options)
  const place = { directory: sharedDirectory, path: `${engines.size}.db` }
  const engine = engines.get(key) ?? (await openSqliteEngine({ ...options, ...place, onWarning: assert.fail }))
  engines.set(key, engine)
  await engine.profiles.purge()
  return engine
}
/** Its first profiles are written without a thread: thousands are not the first. */
const openInDevelopment: OpenForTest = (test, options) => open(test, { ...options, inDevelopment: true })

describeProfileStore('openSqliteEngine', openShared)
describeProfileStore('openSqliteEngine, in development,', openInDevelopment, 1, false)
describeCollections('openSqliteEngine', async (test) => {
  const directory = makeTemporaryDirectory(test)
  const options = { directory, path: 'store.db', onWarning: assert.fail }
  const [one, other] = [await openSqliteEngine(options), await openSqliteEngine(options)]
  test.after(() => Promise.all([one.close(), other.close()]))
  return [one, other]
})
describeLockStore('openSqliteEngine', open)
describeLockJournal('openSqliteEngine', open)

describe('openSqliteEngine', () => {
  it('has no table of collections until somebody uses one', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const engine = await openSqliteEngine({ directory, path: 'store.db', onWarning: assert.fail })
    test.after(() => engine.close())
    const hasTable = (): boolean => {
      const database = new DatabaseSync(join(directory, 'store.db'), { readOnly: true })
      const found = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'document'`).get()
      database.close()
      return found !== undefined
    }
    await engine.lock.read()
    await engine.lock.journal?.read()
    await engine.pause.read()
    await engine.profiles.find({})
    assert.equal(hasTable(), false)
    assert.equal(await engine.collection('records').read('key'), undefined)
    assert.equal(hasTable(), true)
  })

  it('forgets what processes said that were killed, with the first report of another one', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const engine = await openSqliteEngine({ directory, path: 'store.db', onWarning: assert.fail })
    test.after(() => engine.close())
    const { journal } = engine.lock
    const shell = new DatabaseSync(join(directory, 'store.db'))
    test.after(() => shell.close())
    await engine.collection('records').readAll()
    const said = { heard: '', isClosed: true, running: 0 }
    const insert = shell.prepare(`INSERT INTO document VALUES ('@reports', ?, ?)`)
    insert.run('killed 1', JSON.stringify({ ...said, process: 'killed 1', time: Date.now() - 1_900_000 }))
    insert.run('torn 1', '{')
    insert.run('newer 1', JSON.stringify({ time: Date.now(), state: 'closed' }))
    await journal?.report({ ...said, process: 'web-1 1' })
    const kept = shell.prepare(`SELECT field FROM document WHERE collection = '@reports' ORDER BY field`).all()
    assert.deepEqual(pick(kept, 'field'), ['newer 1', 'web-1 1'])
    assert.deepEqual(
      (await journal?.read())?.reports.map(({ process }) => process),
      ['web-1 1'],
    )
  })

  for (const inDevelopment of [false, true]) {
    it(`removes what a lower bound no longer allows in steps, lets others write meanwhile, and gives the space back${inDevelopment ? ', in development in a thread of its own' : ''}`, async (test) => {
      const directory = makeTemporaryDirectory(test)
      const path = join(directory, 'store.db')
      await writeManyProfiles(path, 20_000)
      const size = statSync(path).size
      const bounds = { maxProfiles: 1000, onWarning: assert.fail }
      const engine = await openSqliteEngine({ directory, path: 'store.db', ...bounds, inDevelopment })
      test.after(() => engine.close())
      const newest = makeProfile()
      let threads = 0
      const count = (): void => void threads++
      process.on('worker', count)
      test.after(() => process.off('worker', count))
      await engine.profiles.write([makeProfile()])
      assert.equal(await engine.profiles.read(newest.token), undefined)
      assert.equal(threads, 1)
      assert.ok((await engine.profiles.stats()).count > 15_000)
      await engine.lock.write(makeLockState({ value: 1 }))
      await engine.profiles.write([newest])
      assert.ok((await engine.profiles.stats()).count > 1000)
      await until(async () => (await engine.profiles.stats()).count === 1000)
      assert.deepEqual(await engine.profiles.read(newest.token), newest)
      await until(() => {
        const database = new DatabaseSync(path)
        database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
        database.close()
        return statSync(path).size < size / 4
      })
    })
  }

  it('searches the newest 100,000 profiles for a part of a URL, and says so', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const needle = await writeManyProfiles(join(directory, 'store.db'))
    const engine = await openSqliteEngine({ directory, path: 'store.db', onWarning: assert.fail })
    test.after(() => engine.close())
    const { profiles } = engine
    assert.equal((await profiles.stats()).count, 100_001)
    const page = await profiles.find({ url: 'needle' })
    assert.deepEqual(pick(page.items, 'token'), [needle])
    assert.equal(page.searchedNewest, 100_000)
    assert.equal((await profiles.group({ url: 'needle' }, 'route')).isCut, true)
    // A page that is full has not come to the end.
    assert.equal((await profiles.find({ url: 'hay' })).searchedNewest, undefined)
    assert.equal((await profiles.find({ status: 404 })).searchedNewest, undefined)
    await profiles.purge()
    assert.equal((await profiles.find({ url: 'needle' })).searchedNewest, undefined)
  })
})
