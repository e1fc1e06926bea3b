// What becomes of calls when the worker thread ends by itself: they are told, and the next ones find a new worker.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { defaultBounds } from '../../src/stores/engine-options.ts'
import { SqliteProfileStore } from '../../src/stores/sqlite/sqlite-profile-store.ts'
import { startWorker } from '../../src/stores/sqlite/start-worker.ts'
import { WorkerClient } from '../../src/stores/sqlite/worker-client.ts'
import { makeProfile } from '../support/profiles.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

interface Parts {
  readonly client: WorkerClient
  readonly profiles: SqliteProfileStore
  readonly workers: Worker[]
  readonly warnings: string[]
}

function makeClient(test: TestContext): Parts {
  const path = join(makeTemporaryDirectory(test), 'store.db')
  const workers: Worker[] = []
  const warnings: string[] = []
  const start = () => {
    const worker = startWorker({ path, name: 'sqlite:store.db', bounds: defaultBounds })
    workers.push(worker)
    return worker
  }
  const client = new WorkerClient('sqlite:store.db', start, (line) => warnings.push(line))
  test.after(() => client.close())
  return { client, profiles: new SqliteProfileStore('sqlite:store.db', client), workers, warnings }
}

describe('WorkerClient', () => {
  it('rejects open calls with a clear error when the worker ends, and starts another', async (test) => {
    const { profiles, workers, warnings } = makeClient(test)
    const kept = makeProfile()
    await profiles.write([kept])
    const open = Array.from({ length: 50 }, () => profiles.write([makeProfile()]))
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

  it('starts another as often as one ends', async (test) => {
    const { client, workers } = makeClient(test)
    for (let round = 1; round <= 3; round++) {
      await until(() =>
        client.call('stats').then(
          () => true,
          () => false,
        ),
      )
      assert.equal(workers.length, round)
      await workers.at(-1)?.terminate()
    }
  })

  it('closes with a warning when the worker ends before it has closed the file', async (test) => {
    const { client, workers, warnings } = makeClient(test)
    await client.call('open')
    const closed = client.close()
    await workers[0]?.terminate()
    await closed
    assert.match(warnings.join(), /^The store "sqlite:store\.db" was not closed in order: /)
  })

  it('closes in peace when the worker has ended', async (test) => {
    const { client, workers } = makeClient(test)
    await client.call('open')
    await workers[0]?.terminate()
    await client.close()
    await assert.rejects(client.call('stats'), { code: 'ERR_STORE_CLOSED' })
    assert.equal(workers.length, 1)
  })
})
