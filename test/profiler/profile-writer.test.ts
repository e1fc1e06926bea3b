// The queue in front of the store, on the real engines; the failing ones are a real store behind a door that can be shut.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openMemoryEngine } from '../../src/stores/memory/open-memory-engine.ts'
import { openSqliteEngine } from '../../src/stores/sqlite/open-sqlite-engine.ts'
import { type LogEntry, fillPlaceholders } from '../../src/base/log/logger.ts'
import type { ProfileStore } from '../../src/profiles/profile-store.ts'
import type { Profile } from '../../src/observe/profile.ts'
import { ProfileWriter, type ProfileWriterOptions } from '../../src/profiles/profile-writer.ts'
import { makeProfile } from '../support/profiles.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

/** Passes calls on to a real store while it is open; fails or holds them otherwise. */
class Door {
  state: 'open' | 'failing' | 'holding' = 'open'
  batches: number[] = []
  readonly store: ProfileStore
  #release: (() => void)[] = []

  constructor(behind: ProfileStore) {
    this.store = {
      name: behind.name,
      write: async (profiles) => {
        await this.#pass()
        this.batches.push(profiles.length)
        await behind.write(profiles)
      },
      read: async (token) => {
        await this.#pass()
        return behind.read(token)
      },
      find: (filter, page) => behind.find(filter, page),
      group: (filter, by) => behind.group(filter, by),
      gather: (filter, asked) => behind.gather(filter, asked),
      purge: (before) => behind.purge(before),
      stats: () => behind.stats(),
    }
  }

  release(): void {
    this.state = 'open'
    for (const go of this.#release.splice(0)) go()
  }

  async #pass(): Promise<void> {
    if (this.state === 'failing') throw new Error('disk on fire')
    if (this.state === 'holding') await new Promise<void>((resolve) => this.#release.push(resolve))
  }
}

async function makeWriter(
  options: Partial<ProfileWriterOptions> = {},
): Promise<{ door: Door; writer: ProfileWriter; lines: string[] }> {
  const { profiles } = await openMemoryEngine()
  const door = new Door(profiles)
  const lines: string[] = []
  const log = { write: (line: LogEntry) => void lines.push(`${line.level} ${fillPlaceholders(line)}`) }
  return { door, lines, writer: new ProfileWriter({ store: door.store, log, ...options }) }
}

function enqueueMany(writer: ProfileWriter, count: number): readonly Profile[] {
  const made = Array.from({ length: count }, () => makeProfile())
  for (const profile of made) writer.enqueue(profile)
  return made
}

describe('ProfileWriter', () => {
  it('writes by itself, in batches, larger ones when many wait', async () => {
    const { door, writer, lines } = await makeWriter()
    enqueueMany(writer, 400)
    await until(() => writer.stats.written === 400)
    assert.deepEqual(door.batches, [64, 256, 80])
    assert.equal((await door.store.stats()).count, 400)
    assert.deepEqual(writer.stats, {
      queued: 0,
      queuedBytes: 0,
      written: 400,
      dropped: 0,
      refused: 0,
      failures: 0,
      isPaused: false,
    })
    assert.deepEqual(lines, [])
  })

  it('answers reads from what waits and from what is being written', async () => {
    const { door, writer } = await makeWriter()
    door.state = 'holding'
    const made = enqueueMany(writer, 40)
    assert.equal(writer.stats.queued, 40)
    for (const profile of made) assert.equal(await writer.read(profile.token), profile)
    door.release()
    await writer.flush()
    assert.equal(writer.stats.queued, 0)
    for (const profile of made) assert.deepEqual(await writer.read(profile.token), profile)
    assert.equal(await writer.read('neverheardof'), undefined)
  })

  it('drops the oldest waiting profiles beyond its bound, counts them, and says so once each way', async () => {
    const { door, writer, lines } = await makeWriter({ maxQueued: 10, batchSize: 4 })
    door.state = 'holding'
    const made = enqueueMany(writer, 30)
    assert.equal(writer.stats.queued, 10)
    assert.equal(writer.stats.dropped, 20)
    assert.deepEqual(await writer.read(made[29]?.token ?? ''), made[29])
    door.release()
    await writer.flush()
    assert.equal(writer.stats.written, 10)
    assert.deepEqual(lines, [
      'warn 11 profiles wait for memory:; the oldest are dropped.',
      'info No more profiles wait for memory:; 20 were dropped.',
    ])
  })

  it('keeps within its bytes', async () => {
    const { door, writer } = await makeWriter({ maxQueuedBytes: 100_000 })
    door.state = 'holding'
    for (let index = 0; index < 50; index++) writer.enqueue(makeProfile({ data: { text: 'x'.repeat(10_000) } }))
    assert.ok(writer.stats.queuedBytes <= 100_000)
    assert.ok(writer.stats.queued >= 5)
    writer.enqueue(makeProfile({ data: { text: 'x'.repeat(200_000) } }))
    assert.ok(writer.stats.queuedBytes <= 100_000)
  })

  it('pauses after failures in a row, keeps what waits, and writes it once the store is back', async () => {
    const { door, writer, lines } = await makeWriter({ failuresBeforePause: 3, pauseMs: 50 })
    door.state = 'failing'
    const made = enqueueMany(writer, 5)
    await until(() => writer.stats.failures >= 3)
    assert.deepEqual(lines, ['warn Profiles are not stored: memory: failed 3 times, last with Error: "disk on fire".'])
    await until(() => writer.stats.failures >= 5)
    assert.equal(lines.length, 1)
    assert.equal(await writer.read(made[0]?.token ?? ''), made[0])
    door.state = 'open'
    await until(() => writer.stats.written === 5)
    assert.equal(writer.stats.isPaused, false)
    assert.deepEqual(lines.slice(1), ['info Profiles are stored in memory: again; 0 were dropped.'])
  })

  it('ends a flush at the first failure, and at once while it pauses', async () => {
    const { door, writer } = await makeWriter({ failuresBeforePause: 1 })
    door.state = 'failing'
    enqueueMany(writer, 3)
    await writer.flush()
    assert.equal(writer.stats.queued, 3)
    assert.equal(writer.stats.isPaused, true)
    await writer.flush()
    assert.equal(writer.stats.failures, 1)
    await writer.close(100)
  })

  it('gives up waiting for a store that does not respond', async () => {
    const { door, writer } = await makeWriter({ callBudgetMs: 20 })
    door.state = 'holding'
    await assert.rejects(writer.read('neverheardof'), /memory: did not respond within 20 ms/)
    enqueueMany(writer, 2)
    await writer.flush()
    assert.equal(writer.stats.failures, 1)
    // The first write arrives after all; the second attempt then finds the tokens there.
    door.release()
    await until(() => writer.stats.written === 2)
    assert.equal(writer.stats.refused, 0)
    assert.equal((await door.store.stats()).count, 2)
  })

  it('leaves out the profiles that the store refuses and writes the others', async () => {
    const { door, writer, lines } = await makeWriter()
    const [first] = enqueueMany(writer, 1)
    assert.ok(first)
    await writer.flush()
    const others = enqueueMany(writer, 3)
    writer.enqueue({ ...first, url: 'http://h/other' })
    writer.enqueue(makeProfile({ token: 'NOT-A-TOKEN' }))
    writer.enqueue(others[0] ?? first)
    await writer.flush()
    assert.equal(writer.stats.written, 4)
    assert.equal(writer.stats.refused, 3)
    assert.equal(writer.stats.failures, 0)
    assert.deepEqual(await door.store.read(first.token), first)
    assert.deepEqual(lines, [])
  })

  it('counts as refused what was refused after a write that failed', async () => {
    const { door, writer } = await makeWriter()
    door.state = 'failing'
    enqueueMany(writer, 1)
    writer.enqueue(makeProfile({ token: 'NOT-A-TOKEN' }))
    await writer.flush()
    door.state = 'open'
    await until(() => writer.stats.queued === 0)
    assert.deepEqual([writer.stats.written, writer.stats.refused, writer.stats.failures], [1, 1, 1])
  })

  it('closes with everything written, and takes nothing afterwards', async () => {
    const { door, writer, lines } = await makeWriter()
    enqueueMany(writer, 70)
    await writer.close(5000)
    assert.equal((await door.store.stats()).count, 70)
    enqueueMany(writer, 2)
    assert.equal(writer.stats.dropped, 2)
    assert.deepEqual(lines, [])
  })

  it('closes by the deadline when the store holds it up, and says what was lost', async () => {
    const { door, writer, lines } = await makeWriter()
    door.state = 'holding'
    enqueueMany(writer, 40)
    await writer.close(10)
    assert.equal(writer.stats.dropped, 40)
    assert.deepEqual(lines, ['warn 40 profiles were not stored in memory: before the end.'])
    door.release()
  })

  it('leaves out data that is not JSON, on a store that needs it as such', async (test) => {
    const engine = await openSqliteEngine({ directory: makeTemporaryDirectory(test), path: 'a.db' })
    test.after(() => engine.close())
    const writer = new ProfileWriter({ store: engine.profiles })
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    const fine = makeProfile()
    for (const profile of [makeProfile({ data: { big: 1n } }), fine, makeProfile({ data: { cycle } })])
      writer.enqueue(profile)
    await writer.flush()
    assert.deepEqual([writer.stats.written, writer.stats.refused, writer.stats.failures], [1, 2, 0])
    assert.deepEqual(await writer.read(fine.token), fine)
  })
})
