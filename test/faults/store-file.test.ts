// What becomes of the store when its file is damaged, of another version, another application's, or taken away (SECURITY
// F03, F04, F39).

import assert from 'node:assert/strict'
import {
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import { openSqliteEngine } from '../../src/stores/sqlite/open-sqlite-engine.ts'
import type { Engine } from '../../src/stores/engine.ts'
import { makeLockState } from '../contract/lock-store.ts'
import { makePageProfile, makeProfile } from '../support/profiles.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

interface Opened {
  readonly engine: Engine
  readonly warnings: readonly string[]
}

async function open(test: TestContext, path: string): Promise<Opened> {
  const warnings: string[] = []
  const engine = await openSqliteEngine({ path, onWarning: (line) => warnings.push(line) })
  test.after(() => engine.close())
  return { engine, warnings }
}

/** A file with 200 profiles, a lock and a record, made once: each test damages its own copy. */
const whole = makeTemporaryDirectory({ after })
const tokens: string[] = []
before(async () => {
  const engine = await openSqliteEngine({ path: join(whole, 'store.db') })
  const written = Array.from({ length: 200 }, (_, index) => makePageProfile(index))
  // As at the start of an application: the small tables come first in the file.
  await engine.lock.write(makeLockState({ value: 1 }))
  await engine.collection('records').write({ key: 'kept' })
  await engine.profiles.write(written)
  await engine.close()
  tokens.push(...written.map(({ token }) => token))
})

function makeStore(test: TestContext): { directory: string; path: string } {
  const directory = makeTemporaryDirectory(test)
  cpSync(whole, directory, { recursive: true })
  return { directory, path: join(directory, 'store.db') }
}

function overwrite(path: string, bytes: Uint8Array, position: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, position)
  closeSync(file)
}

/** Number of the last page of lock, collections and the schema, from 1. */
function lastSmallPage(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true })
  const row = database
    .prepare(`SELECT max(pageno) AS page FROM dbstat WHERE name IN ('sqlite_schema', 'lock', 'document')`)
    .get()
  database.close()
  return Number(row?.['page'])
}

/** Bytes that look random and are the same in every run. */
function makeNoise(length: number, seed: number): Uint8Array {
  let state = seed + 1
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state >>> 16
  })
}

/** The store works: it takes a profile and gives it back, and lists it first. */
async function assertWorks({ profiles, lock, collection }: Engine): Promise<void> {
  const profile = makeProfile()
  await profiles.write([profile])
  assert.deepEqual(await profiles.read(profile.token), profile)
  assert.equal((await profiles.find({})).items[0]?.token, profile.token)
  await lock.read()
  await collection('records').readAll()
}

describe('a damaged store', () => {
  it('is set aside under a name that is told, when its header is gone, and an empty one works', async (test) => {
    const { directory, path } = makeStore(test)
    overwrite(path, new Uint8Array(100), 0)
    const damaged = readFileSync(path)
    const { engine, warnings } = await open(test, path)
    await assertWorks(engine)
    const aside = /set aside as "([^"]+)"/.exec(warnings.join())?.[1] ?? ''
    assert.ok(readdirSync(directory).includes(aside.slice(directory.length + 1)), warnings.join())
    assert.match(warnings.join(), /had lost its lock.*written again from the copy beside it/)
    assert.equal(warnings.length, 2)
    assert.deepEqual(readFileSync(aside), damaged)
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  it('is set aside when it never was a database', async (test) => {
    const path = join(makeTemporaryDirectory(test), 'store.db')
    writeFileSync(path, 'Dear diary, today I was taken for a database.\n'.repeat(300))
    const { engine, warnings } = await open(test, path)
    await assertWorks(engine)
    assert.match(warnings.join(), /is damaged \(file is not a database\)/)
  })

  for (const share of [0.5, 0.1]) {
    it(`works again when it was cut to ${share * 100} %`, async (test) => {
      const { path } = makeStore(test)
      truncateSync(path, Math.floor(statSync(path).size * share))
      const { engine, warnings } = await open(test, path)
      await assertWorks(engine)
      assert.match(warnings.join(), /set aside as/)
    })
  }

  it('takes lock and collections over where they can still be read', async (test) => {
    const { path } = makeStore(test)
    const size = statSync(path).size
    // After the pages of the small tables, up to the last profiles.
    const from = lastSmallPage(path) * 4096
    overwrite(path, makeNoise(Math.floor(size * 0.9) - from, 1), from)
    const { engine, warnings } = await open(test, path)
    await engine.profiles.purge()
    await assertWorks(engine)
    assert.match(warnings.join(), /its collections were taken over/)
    assert.equal((await engine.lock.read()).value, 1)
    assert.equal(await engine.collection('records').read('key'), 'kept')
  })

  it('takes over a lock that closes a part', async (test) => {
    const { path } = makeStore(test)
    const other = await openSqliteEngine({ path })
    const state = makeLockState({ value: 0, only: ['/checkout/*'] })
    await other.lock.write(state)
    await other.close()
    const from = lastSmallPage(path) * 4096
    overwrite(path, makeNoise(Math.floor(statSync(path).size * 0.9) - from, 1), from)
    const { engine } = await open(test, path)
    await engine.profiles.purge()
    assert.deepEqual(await engine.lock.read(), state)
  })

  for (const [what, spoil] of [
    ['damaged', (path: string) => overwrite(path, new Uint8Array(4096), 0)],
    ['removed', (path: string) => rmSync(path)],
  ] as const) {
    it(`does not open what was closed when it is ${what} and the copy of its lock is empty`, async (test) => {
      const { path } = makeStore(test)
      spoil(path)
      truncateSync(`${path}-lock.json`)
      const { engine } = await open(test, path)
      await assert.rejects(engine.lock.read(), /has lost its lock, and the copy beside it cannot be read/)
      const opened = makeLockState({ value: 0 })
      await engine.lock.write(opened)
      assert.deepEqual(await engine.lock.read(), opened)
      const { engine: next } = await open(test, path)
      assert.deepEqual(await next.lock.read(), opened)
    })

    it(`gets the lock of the process that runs when it is ${what} and the copy is empty`, async (test) => {
      const { path } = makeStore(test)
      const { engine } = await open(test, path)
      const closed = makeLockState({ value: 1 })
      await engine.lock.write(closed)
      spoil(path)
      truncateSync(`${path}-lock.json`)
      assert.deepEqual(await engine.lock.read(), closed)
    })
  }

  it('shows no torn profile and keeps working, wherever the noise lies', async (test) => {
    for (let seed = 0; seed < 4; seed++) {
      const { path } = makeStore(test)
      const pages = Math.floor(statSync(path).size / 4096)
      for (let spot = 0; spot < 20; spot++)
        overwrite(path, makeNoise(4096, seed * 20 + spot), ((spot * 37 + seed * 11) % pages) * 4096)
      const { engine } = await open(test, path)
      for (const token of tokens) {
        const found = await engine.profiles.read(token)
        assert.ok(found === undefined || (found.token === token && typeof found.data === 'object'))
      }
      for (const { token } of (await engine.profiles.find({}, { limit: 200 })).items) assert.ok(tokens.includes(token))
      await assertWorks(engine)
      await engine.close()
      const again = await open(test, path)
      await assertWorks(again.engine)
    }
  })

  it('skips the profiles whose body is damaged, says so once, and gives the others', async (test) => {
    const { path } = makeStore(test)
    const shell = new DatabaseSync(path)
    const damages = ["x'00112233'", 'substr(data, 1, 200)', "substr(data, 1, 40) || x'ff' || substr(data, 42)"]
    const lost = new Set<string>()
    for (const [index, damage] of damages.entries()) {
      const token = tokens[index * 60 + 1] ?? ''
      shell.exec(
        `UPDATE body SET data = CAST(${damage} AS BLOB) WHERE seq = (SELECT seq FROM profile WHERE token = '${token}')`,
      )
      lost.add(token)
    }
    shell.exec(`UPDATE profile SET child_tokens = '{not json' WHERE token = '${tokens[5]}'`)
    shell.close()
    const { engine, warnings } = await open(test, path)
    for (const token of tokens)
      assert.equal((await engine.profiles.read(token))?.token, lost.has(token) ? undefined : token)
    const { items } = await engine.profiles.find({}, { limit: 200 })
    assert.equal(items.length, 199)
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', /damaged and was skipped/)
  })
})

describe('a store of another version or application', () => {
  it('of a newer format is refused with a message and not touched', async (test) => {
    const { path } = makeStore(test)
    const shell = new DatabaseSync(path)
    shell.exec('PRAGMA user_version = 99')
    shell.close()
    const before = readFileSync(path)
    await assert.rejects(openSqliteEngine({ path }), {
      code: 'ERR_STORE_VERSION',
      message: /has format 99, of a newer version; this one knows formats up to \d+\b.*was not touched/,
    })
    assert.deepEqual(readFileSync(path), before)
  })

  it('of another application is refused and not touched', async (test) => {
    const path = join(makeTemporaryDirectory(test), 'theirs.db')
    const theirs = new DatabaseSync(path)
    theirs.exec('CREATE TABLE customers (name TEXT); PRAGMA user_version = 1')
    theirs.close()
    const before = readFileSync(path)
    await assert.rejects(openSqliteEngine({ path }), { code: 'ERR_STORE_FOREIGN' })
    assert.deepEqual(readFileSync(path), before)
  })
})

describe('a store whose file goes away under load', () => {
  it('is made anew, with its directory, and has every profile that it takes from then on', async (test) => {
    const { directory, path } = makeStore(test)
    const inner = join(directory, 'inner')
    const { engine, warnings } = await open(test, join(inner, 'store.db'))
    await assertWorks(engine)
    rmSync(inner, { recursive: true })
    const taken = Array.from({ length: 3 }, () => makeProfile())
    for (const profile of taken) await engine.profiles.write([profile])
    for (const { token } of taken) assert.notEqual(await engine.profiles.read(token), undefined, token)
    assert.ok(statSync(join(inner, 'store.db'), { throwIfNoEntry: false }) !== undefined)
    await assertWorks(engine)
    assert.match(warnings.join(), /was moved or removed; it is reopened/)
    const { reopened } = await engine.profiles.stats()
    assert.equal(reopened?.reason, 'gone')
    assert.ok(Math.abs(Date.now() - (reopened?.time ?? 0)) < 3_600_000)
    assert.ok(statSync(path).size > 0)
  })

  it('follows a file that was put in its place', async (test) => {
    const { path } = makeStore(test)
    const other = join(makeTemporaryDirectory(test), 'other.db')
    const { engine } = await open(test, other)
    await assertWorks(engine)
    renameSync(path, other)
    // Lock and profiles are read by two threads.
    assert.notEqual(await engine.profiles.read(tokens[0] ?? ''), undefined)
    assert.equal((await engine.lock.read()).value, 1)
  })
})
