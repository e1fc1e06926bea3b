// Several processes on one file: all see each other's profiles and lock, the bounds hold for all of them together,
// and one that holds the file does not keep the others from reading.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteEngine } from '../../src/stores/sqlite/open-sqlite-engine.ts'
import type { SqliteEngineOptions } from '../../src/stores/sqlite/open-sqlite-engine.ts'
import type { Engine } from '../../src/stores/engine.ts'
import { makeLockState } from '../contract/lock-store.ts'
import { makeProfile } from '../support/profiles.ts'
import { startStoreProcess } from '../support/store-process.ts'
import type { StoreProcess, StoreTask } from '../support/store-process.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'
import { pick } from '../support/pick.ts'

async function open(test: TestContext, path: string, options?: Partial<SqliteEngineOptions>): Promise<Engine> {
  const engine = await openSqliteEngine({ path, onWarning: (line) => assert.fail(line), ...options })
  test.after(() => engine.close())
  return engine
}

function start(test: TestContext, path: string, task: StoreTask, maxProfiles?: number): StoreProcess {
  const started = startStoreProcess(path, task, maxProfiles)
  test.after(() => void started.child.kill('SIGKILL'))
  return started
}

describe('openSqliteEngine in several processes', () => {
  it('shows the profiles of one process in the others', async (test) => {
    const path = join(makeTemporaryDirectory(test), 'store.db')
    const engine = await open(test, path)
    const own = makeProfile()
    await engine.profiles.write([own])
    const other = start(test, path, 'write 16')
    assert.equal(await other.ended, 0)
    const tokens = other.said.slice(1)
    assert.equal(tokens.length, 16)
    for (const token of tokens) assert.equal((await engine.profiles.read(token))?.token, token)
    const { items } = await engine.profiles.find({})
    assert.deepEqual(pick(items, 'token'), [...tokens.toReversed(), own.token])
  })

  it('reaches the watchers of all processes with a change of the lock', async (test) => {
    const path = join(makeTemporaryDirectory(test), 'store.db')
    const engine = await open(test, path)
    const second = await open(test, path)
    const watchers = [start(test, path, 'watch'), start(test, path, 'watch')]
    const values: number[] = []
    test.after(
      second.lock.watch(
        ({ value }) => values.push(value),
        (error) => assert.fail(String(error)),
      ),
    )
    await second.lock.read()
    await until(() => watchers.every(({ said }) => said.includes('open')))
    for (const value of [1, 0, 5]) {
      await engine.lock.write(makeLockState({ value }))
      await until(() => values.at(-1) === value && watchers.every(({ said }) => said.at(-1) === String(value)))
    }
  })

  it('notices a lock that an operator sets with SQL, and reports an invalid one', async (test) => {
    const path = join(makeTemporaryDirectory(test), 'store.db')
    const engine = await open(test, path)
    const values: number[] = []
    const errors: string[] = []
    test.after(
      engine.lock.watch(
        ({ value }) => values.push(value),
        (error) => errors.push(String(error)),
      ),
    )
    await engine.lock.write(makeLockState({ value: 2 }))
    const shell = new DatabaseSync(path, { timeout: 60_000 })
    test.after(() => shell.close())
    shell.exec('UPDATE lock SET value = 3')
    await until(() => values.at(-1) === 3)
    shell.exec("UPDATE lock SET value = 'many'")
    await until(() => errors.length > 0)
    assert.match(errors[0] ?? '', /The lock for sqlite:.* has the value "many"; allowed is a safe integer/)
    await assert.rejects(engine.lock.read(), { code: 'ERR_STORE_RECORD' })
    shell.exec('UPDATE lock SET value = 1')
    await until(() => values.at(-1) === 1)
    assert.deepEqual(values, [2, 3, 1])
    assert.equal(errors.length, 1)
  })

  it('keeps the bounds of the store with four processes writing', async (test) => {
    const path = join(makeTemporaryDirectory(test), 'store.db')
    const writers = Array.from({ length: 4 }, () => start(test, path, 'write 200', 100))
    assert.deepEqual(await Promise.all(writers.map(({ ended }) => ended)), [0, 0, 0, 0])
    const engine = await open(test, path)
    const { count, bytes } = await engine.profiles.stats()
    const { items } = await engine.profiles.find({}, { limit: 200 })
    assert.equal(count, 100)
    assert.equal(items.length, 100)
    const file = new DatabaseSync(path, { readOnly: true })
    test.after(() => file.close())
    assert.deepEqual(
      { ...file.prepare('SELECT count(*) AS count, sum(bytes) AS bytes FROM profile').get() },
      { count, bytes },
    )
    // Each has a body, and no body is left of those that went.
    const seqs = file.prepare('SELECT seq FROM profile ORDER BY seq').all()
    assert.deepEqual(file.prepare('SELECT seq FROM body ORDER BY seq').all(), seqs)
    for (const { token } of items) assert.equal((await engine.profiles.read(token))?.token, token)
    assert.equal(file.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok')
  })

  it('waits for a process that holds the file, and goes on reading meanwhile', async (test) => {
    const path = join(makeTemporaryDirectory(test), 'store.db')
    const engine = await open(test, path)
    const before = makeProfile()
    await engine.profiles.write([before])
    const holder = new DatabaseSync(path)
    test.after(() => holder.close())
    holder.exec('BEGIN EXCLUSIVE')
    const during = makeProfile()
    const write = engine.profiles.write([during])
    assert.deepEqual(await engine.profiles.read(before.token), before)
    holder.exec('COMMIT')
    await write
    assert.deepEqual(await engine.profiles.read(during.token), during)
  })
})
