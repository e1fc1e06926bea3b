// What becomes of calls when the worker thread ends by itself: they are told, and the next ones find a new worker.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { defaultBounds } from '../../src/stores/engine.ts'
import { startSqliteWorker } from '../../src/stores/sqlite/open-sqlite-engine.ts'
import { profilePlace, SqliteFile } from '../../src/stores/sqlite/sqlite-file.ts'
import type { EncodedProfile } from '../../src/stores/thread/profile-columns.ts'
import { ProfileThread, ThreadedProfileStore } from '../../src/stores/thread/threaded-profile-store.ts'
import { fewProfiles, performFew } from '../../src/stores/thread/serve-profiles.ts'
import { makeProfile } from '../support/profiles.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'
import { pick } from '../support/pick.ts'

interface Parts {
  readonly path: string
  readonly thread: ProfileThread
  readonly profiles: ThreadedProfileStore
  readonly workers: Worker[]
  readonly warnings: string[]
}

interface Making {
  /** How many profiles the thread takes without a worker. Default: none, also while one starts. */
  readonly few?: number
  /** What the workers run instead of the program of the store. */
  readonly program?: string
}

function makeThread(test: TestContext, { few, program }: Making = {}): Parts {
  const directory = makeTemporaryDirectory(test)
  const path = join(directory, 'store.db')
  const workers: Worker[] = []
  const warnings: string[] = []
  const name = 'sqlite:store.db'
  const options = { path, directory, name, bounds: defaultBounds }
  const warn = (line: string): number => warnings.push(line)
  const start = (replies: Int32Array<SharedArrayBuffer>) => {
    const worker = program === undefined ? startSqliteWorker(options, replies) : new Worker(program, { eval: true })
    workers.push(worker)
    return worker
  }
  const file = new SqliteFile(options, warn)
  const thread = new ProfileThread(
    name,
    start,
    warn,
    few === undefined ? undefined : performFew(few, (giveUp) => profilePlace(file, name, giveUp)),
  )
  test.after(() => Promise.all([thread.close(), file.close()]))
  return { path, thread, profiles: new ThreadedProfileStore(name, thread), workers, warnings }
}

describe('ProfileThread', () => {
  it('rejects open calls with a clear error when the worker ends, and starts another', async (test) => {
    const { profiles, workers, warnings } = makeThread(test)
    const kept = makeProfile()
    await profiles.write([kept])
    // Not writes: Node aborts the process where a worker is terminated while it sets up a compression.
    const open = Array.from({ length: 50 }, () => profiles.stats())
    const results = Promise.allSettled(open)
    await workers[0]?.terminate()
    for (const result of await results) {
      if (result.status === 'rejected') assert.equal(result.reason.code, 'ERR_STORE_UNAVAILABLE')
    }
    await assert.rejects(profiles.read(kept.token), {
      code: 'ERR_STORE_UNAVAILABLE',
      message: 'The store "sqlite:store.db" is not available: its worker ended and starts again soon.',
    })
    await until(() =>
      profiles.read(kept.token).then(
        (found) => found !== undefined,
        () => false,
      ),
    )
    assert.equal(workers.length, 2)
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', /"sqlite:store.db" is out of work for a moment/)
  })

  it('has written when it was told to settle, without a turn of the event loop', (test) => {
    const { path, profiles } = makeThread(test)
    profiles.settle(60_000)
    for (let count = 0; count < 3; count += 1) void profiles.write([makeProfile()])
    profiles.settle(60_000)
    const database = new DatabaseSync(path, { readOnly: true })
    const row = database.prepare('SELECT count(*) AS count FROM profile').get()
    database.close()
    assert.equal(row?.['count'], 3)
  })

  it('starts no worker for the first hundred profiles, and one for more', async (test) => {
    const { profiles, workers } = makeThread(test, { few: fewProfiles })
    for (let count = 0; count < 40; count += 1) await profiles.write([makeProfile()])
    const [first, ...others] = Array.from({ length: 58 }, () => makeProfile())
    assert.ok(first)
    await profiles.write([first, ...others])
    assert.equal((await profiles.read(first.token))?.token, first.token)
    await assert.rejects(profiles.write([first]), { name: 'ProfileRefusedError' })
    assert.equal(workers.length, 0)
    const last = makeProfile()
    await profiles.write([last])
    assert.equal((await profiles.stats()).count, 99)
    assert.equal(workers.length, 1)
  })

  it('makes each profile of a batch when the place has taken the one before', async () => {
    const file = new SqliteFile({ path: '', directory: '', name: '', bounds: defaultBounds }, () => undefined)
    const taken: unknown[] = []
    const write = async (profiles: Iterable<EncodedProfile>): Promise<void> => {
      for (const { profile } of profiles) taken.push(profile)
    }
    const perform = performFew(2, () => ({ ...profilePlace(file, ''), write }))
    await assert.rejects(async () => perform({ id: 1, name: 'write', args: [['{"token":"first"}', '{']] }, false))
    assert.deepEqual(taken, [{ token: 'first' }])
  })

  const keepsWhileItStarts = [
    { of: 'in development', few: fewProfiles, program: 'setInterval(() => {}, 1000)' },
    { of: 'in production', few: 0, program: 'setInterval(() => {}, 1000)' },
    { of: 'though no worker can start', few: 0, program: 'process.exit(1)' },
  ]
  for (const { of, few, program } of keepsWhileItStarts) {
    it(`writes a thousand profiles while its worker starts, ${of}`, async (test) => {
      const { path, profiles, workers } = makeThread(test, { few, program })
      const early = Array.from({ length: 10 }, () => Array.from({ length: 100 }, () => makeProfile()))
      for (const batch of early) await profiles.write(batch)
      const database = new DatabaseSync(path, { readOnly: true })
      assert.equal(database.prepare('SELECT count(*) AS count FROM profile').get()?.['count'], 1000)
      database.close()
      assert.ok(workers.length >= 1)
      const late = assert.rejects(profiles.write([makeProfile()]), { code: 'ERR_STORE_UNAVAILABLE' })
      await workers.at(-1)?.terminate()
      await late
    })
  }

  it('leaves everything to a worker that is open', async (test) => {
    const { profiles, workers } = makeThread(test, { few: 0 })
    await profiles.write([makeProfile()])
    assert.equal(workers.length, 1)
    assert.equal((await profiles.stats()).count, 1)
    await workers[0]?.terminate()
    await assert.rejects(profiles.write([makeProfile()]), { code: 'ERR_STORE_UNAVAILABLE' })
  })

  it('starts a worker for a search, which does everything from then on', async (test) => {
    const { profiles, workers } = makeThread(test, { few: fewProfiles })
    const [mine, second] = [makeProfile(), makeProfile()]
    await profiles.write([mine])
    assert.equal(workers.length, 0)
    assert.deepEqual(pick((await profiles.find({})).items, 'token'), [mine.token])
    assert.equal(workers.length, 1)
    await workers[0]?.terminate()
    await assert.rejects(profiles.write([second]), { code: 'ERR_STORE_UNAVAILABLE' })
  })

  it('has written without a worker, too, when a process ends at once', (test) => {
    const { path, profiles, workers } = makeThread(test, { few: fewProfiles })
    void profiles.write([makeProfile(), makeProfile()])
    profiles.settle(1)
    const database = new DatabaseSync(path, { readOnly: true })
    const row = database.prepare('SELECT count(*) AS count FROM profile').get()
    database.close()
    assert.equal(row?.['count'], 2)
    assert.equal(workers.length, 0)
  })

  it('settles at the end of its budget', async (test) => {
    const { profiles, workers } = makeThread(test)
    await profiles.stats()
    await workers[0]?.terminate()
    void profiles.stats().catch(() => undefined)
    profiles.settle(1)
  })

  it('starts another as often as one ends', async (test) => {
    const { thread, workers } = makeThread(test)
    for (let round = 1; round <= 3; round++) {
      await until(() =>
        thread.call('stats').then(
          () => true,
          () => false,
        ),
      )
      assert.equal(workers.length, round)
      await workers.at(-1)?.terminate()
    }
  })

  it('closes with a warning when the worker ends before it has closed the file', async (test) => {
    const { path, thread, profiles, workers, warnings } = makeThread(test)
    await thread.call('stats')
    const other = new DatabaseSync(path)
    test.after(() => other.close())
    // Closing waits for a write, which waits for this.
    other.exec('BEGIN IMMEDIATE')
    const refused = assert.rejects(profiles.write([makeProfile()]), { code: 'ERR_STORE_UNAVAILABLE' })
    const closed = thread.close()
    await workers[0]?.terminate()
    await Promise.all([closed, refused])
    assert.match(warnings.join(), /^The store "sqlite:store\.db" was not closed in order: /)
  })

  it('closes in peace when the worker has ended', async (test) => {
    const { thread, workers } = makeThread(test)
    await thread.call('stats')
    await workers[0]?.terminate()
    await thread.close()
    await assert.rejects(thread.call('stats'), { code: 'ERR_STORE_CLOSED' })
    assert.equal(workers.length, 1)
  })
})
