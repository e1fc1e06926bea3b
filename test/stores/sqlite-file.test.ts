// Lock and collections are served in the thread that asks.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import type { Engine } from '../../src/stores/engine.ts'
import { openSqliteEngine } from '../../src/stores/sqlite/open-sqlite-engine.ts'
import { makeLockState } from '../contract/lock-store.ts'
import { makeProfile } from '../support/profiles.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

interface Opened {
  readonly engine: Engine
  readonly path: string
  readonly warnings: string[]
  /** Threads that were started since. */
  readonly threads: () => number
}

async function open(test: TestContext): Promise<Opened> {
  let threads = 0
  const count = (): void => void threads++
  process.on('worker', count)
  test.after(() => process.off('worker', count))
  const directory = makeTemporaryDirectory(test)
  const warnings: string[] = []
  const onWarning = (line: string): void => void warnings.push(line)
  const engine = await openSqliteEngine({ path: 'store.db', directory, onWarning })
  test.after(() => engine.close())
  return { engine, path: join(directory, 'store.db'), warnings, threads: () => threads }
}

describe('SqliteFile', () => {
  it('reads and writes without a thread, and starts one for profiles', async (test) => {
    const { engine, threads } = await open(test)
    await engine.lock.write(makeLockState({ value: 4 }))
    assert.equal((await engine.lock.read()).value, 4)
    assert.equal(await engine.collection('records').write({ key: 1 }), true)
    assert.equal(threads(), 0)
    const kept = makeProfile()
    await engine.profiles.write([kept])
    assert.deepEqual(await engine.profiles.read(kept.token), kept)
    assert.equal((await engine.profiles.stats()).count, 1)
    assert.equal(threads(), 1)
  })

  it('waits for another process that writes, and answers others meanwhile', async (test) => {
    const { engine, path } = await open(test)
    const other = new DatabaseSync(path)
    test.after(() => other.close())
    other.exec('BEGIN IMMEDIATE')
    let isWritten = false
    const written = engine.lock.write(makeLockState({ value: 2 })).then(() => (isWritten = true))
    assert.equal((await engine.lock.read()).value, 0)
    assert.equal(isWritten, false)
    other.exec('COMMIT')
    await written
    assert.equal((await engine.lock.read()).value, 2)
  })

  it('waits for the disk with a lock, and with nothing else', async (test) => {
    const { engine, path } = await open(test)
    const levels = new DatabaseSync(path)
    test.after(() => levels.close())
    levels.exec('CREATE TABLE seen (what TEXT, level INTEGER)')
    const pause = { since: 1, by: 'anna' }
    await engine.pause.write(pause)
    for (const what of ['lock', 'document']) {
      // Of the connection that writes.
      const seen = `INSERT INTO seen SELECT '${what}', synchronous FROM pragma_synchronous`
      levels.exec(`CREATE TRIGGER seen_${what} AFTER INSERT ON ${what} BEGIN ${seen}; END`)
    }
    await engine.lock.write(makeLockState({ value: 1 }))
    await engine.pause.write(pause)
    assert.equal(await engine.lock.restore?.(makeLockState({ value: 2, changedAt: '2026-11-21T10:00:01.000Z' })), true)
    await engine.pause.write(pause)
    // 1: a commit does not wait until the log is on the disk, 2: it does.
    assert.deepEqual(
      levels
        .prepare('SELECT DISTINCT what, level FROM seen ORDER BY what')
        .all()
        .map(({ what, level }) => [what, level]),
      [
        ['document', 1],
        ['lock', 2],
      ],
    )
  })

  it('closes after open calls, and refuses later ones', async (test) => {
    const { engine, path, warnings } = await open(test)
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    const written = engine.lock.write(makeLockState({ value: 2 }))
    const closed = engine.close()
    other.exec('COMMIT')
    other.close()
    await Promise.all([written, closed])
    await assert.rejects(engine.lock.read(), { code: 'ERR_STORE_CLOSED' })
    await assert.rejects(engine.profiles.stats(), { code: 'ERR_STORE_CLOSED' })
    assert.deepEqual(warnings, [])
  })
})
