// What a store of several partitions has to do beyond the contract: batches that lie in some of them, bounds that four writers share,
// profiles that wait for a server that hangs.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test'
import type { Profile } from '../../../src/observe/profile.ts'
import type { ProfilePage, ProfileStore, ProfileStoreStats } from '../../../src/profiles/profile-store.ts'
import { ProfileWriter } from '../../../src/profiles/profile-writer.ts'
import type { EngineOptions } from '../../../src/stores/engine.ts'
import { openRedisEngine } from '../../../src/redis/open-redis-engine.ts'
import { makePageProfile, makeProfile, profileMakers } from '../../support/profiles.ts'
import { startRedisServer, type RedisNode, type RedisServers } from '../../support/redis-cluster.ts'
import { until } from '../../support/until.ts'
import { pick } from '../../support/pick.ts'

let servers: RedisServers
let node: RedisNode

before(async () => {
  servers = await startRedisServer()
  node = servers.nodes[0] ?? assert.fail()
})
after(() => servers.stop())
beforeEach(() => servers.empty())

async function setPartitions(count: number): Promise<void> {
  await node.command('hset', 'fanlight:{format}', 'format', '1', 'partitions', String(count))
}

async function open(test: TestContext, options: EngineOptions = {}): Promise<ProfileStore> {
  const engine = await openRedisEngine({ ...options, address: servers.address })
  test.after(() => engine.close())
  return engine.profiles
}

/** What a store says of itself once nothing waits to be written by it, and every part responds: on a busy machine not at once. */
async function settled(store: ProfileStore): Promise<ProfileStoreStats> {
  let stats = await store.stats()
  await until(async () => {
    stats = await store.stats()
    return stats.fleet?.held === 0 && stats.missing === undefined
  })
  return stats
}

function tokensOf(profiles: readonly { readonly token: string }[]): readonly string[] {
  return profiles.map(({ token }) => token)
}

describe('a store of 36 partitions', () => {
  beforeEach(() => setPartitions(36))

  it('refuses a batch as a whole, wherever the profile at fault lies', async (test) => {
    const profiles = await open(test)
    const known = makeProfile()
    await profiles.write([known])
    const others = Array.from({ length: 40 }, () => makeProfile())
    const batch = [...others.slice(0, 20), known, ...others.slice(20)]
    await assert.rejects(profiles.write(batch), { code: 'ERR_PROFILE_REFUSED', tokens: [known.token] })
    assert.equal((await profiles.stats()).count, 1)
    const [twice = assert.fail()] = others
    await assert.rejects(profiles.write([...others, twice]), { code: 'ERR_PROFILE_REFUSED', tokens: [twice.token] })
    assert.equal((await profiles.stats()).count, 1)
    await profiles.write(others)
    for (const one of others) assert.deepEqual(await profiles.read(one.token), one)
  })

  it('refuses no more than it does not take, while others write the same tokens', async (test) => {
    const stores = [await open(test), await open(test)]
    const writers = stores.map((store) => new ProfileWriter({ store }))
    const contested = Array.from({ length: 300 }, () => makeProfile({ data: {} }))
    for (let from = 0; from < contested.length; from += 10) {
      for (const writer of writers) {
        for (const profile of contested.slice(from, from + 10)) {
          writer.enqueue(makeProfile({ data: {} }))
          writer.enqueue(profile)
        }
      }
      await Promise.all(writers.map((writer) => writer.flush()))
    }
    const [one = assert.fail(), other = assert.fail()] = writers.map(({ stats }) => stats)
    const [written, refused] = [one.written + other.written, one.refused + other.refused]
    // What was sent again because a response was late is not refused: it may have been stored the first time.
    assert.equal(written + refused, 1200)
    assert.ok(refused > 0 && refused <= 300, `${refused}`)
    assert.equal((await stores[0]?.stats())?.count, 900)
  })

  it('lists all of them as one, page by page, and tells what came later', async (test) => {
    const profiles = await open(test)
    const written: Profile[] = []
    const add = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) {
        const profile = makeProfile({ durationMs: (index * 7) % 11, findings: index % 5 === 0 ? ['slow'] : [] })
        written.push(profile)
        await profiles.write([profile])
      }
    }
    await add(90)
    const expected = tokensOf(written.toReversed())
    const seen: string[] = []
    let newest = ''
    for (let after: string | null = ''; after !== null;) {
      const page: ProfilePage = await profiles.find({}, { limit: 20, ...(after !== '' && { after }) })
      seen.push(...tokensOf(page.items))
      after = page.next
      newest = page.newest
    }
    assert.deepEqual(seen, expected)
    assert.ok(newest.length < 400, `the cursor has ${newest.length} letters`)
    assert.deepEqual((await profiles.find({}, { newerThan: newest })).items, [])
    await add(12)
    const later = await profiles.find({}, { newerThan: newest, limit: 50 })
    assert.deepEqual(tokensOf(later.items), tokensOf(written.slice(90).toReversed()))
    const token = written[40]?.token ?? ''
    const beside = async (side: 'before' | 'after'): Promise<readonly string[]> =>
      tokensOf((await profiles.find({}, { beside: { token, side } })).items)
    assert.deepEqual([await beside('before'), await beside('after')], [[written[41]?.token], [written[39]?.token]])
    assert.equal((await profiles.find({ finding: 'slow' }, { limit: 100 })).items.length, 21)
    assert.equal((await profiles.find({ token })).items.length, 1)
    assert.equal((await profiles.find({ token }, { newerThan: newest })).items.length, 0)
    const slowest = await profiles.find({}, { order: 'slowest', limit: 100 })
    assert.deepEqual(
      pick(slowest.items, 'durationMs'),
      written
        .map(({ durationMs }) => durationMs)
        .toSorted((one, other) => other - one)
        .slice(0, 100),
    )
    assert.equal(await profiles.purge(), 102)
    assert.deepEqual((await profiles.find({}, { newerThan: newest })).items, [])
  })

  it('takes its partitions from the store, and lets new tokens end in one of them at a time', async (test) => {
    const profiles = await open(test, { maxProfiles: 360 })
    await profiles.stats()
    const batch = Array.from({ length: 30 }, () => makeProfile({ token: `${makeProfile().token.slice(0, 15)}7` }))
    await profiles.write(batch)
    // A 36th part of 360.
    assert.equal((await profiles.stats()).count, 10)
    const endings = new Set<string>()
    await until(() => {
      const ending = profiles.newTokenEnding?.() ?? ''
      assert.match(ending, /^[0-9a-z]$/)
      endings.add(ending)
      return endings.size > 1
    })
  })
})

it('four writers at once: stay within the bounds of count, bytes and age, and Redis needs at most half as much again as is counted', async (test) => {
  await setPartitions(4)
  const bounds = { maxProfiles: 300, maxBytes: 400_000, maxAgeMs: 60_000 }
  const stores = await Promise.all([1, 2, 3, 4].map(() => open(test, bounds)))
  const [profiles = assert.fail()] = stores
  const now = Date.now()
  const writeAll = async (make: (index: number) => Profile): Promise<readonly Profile[]> => {
    const written: Profile[] = []
    const write = async (store: ProfileStore, writer: number): Promise<void> => {
      for (let round = 0; round < 8; round += 1) {
        const token = profileMakers('0123'[(round + writer) % 4] ?? '0').makeToken
        const batch = Array.from({ length: 16 }, (_, index) => ({ ...make(round * 16 + index), token: token() }))
        written.push(...batch)
        await store.write(batch)
        const { count, bytes } = await settled(store)
        assert.ok(count <= 300 && bytes <= 400_000, `${count} profiles, ${bytes} bytes`)
      }
    }
    await Promise.all(stores.map(write))
    return written
  }
  const check = async (written: readonly Profile[]): Promise<number> => {
    const { count, bytes } = await settled(profiles)
    for (let first = 0; first < written.length; first += 32) {
      const some = written.slice(first, first + 32)
      const found = await Promise.all(some.map(({ token }) => profiles.read(token)))
      for (const [index, one] of found.entries()) if (one !== undefined) assert.deepEqual(one, some[index])
    }
    // Keys of profiles, two streams and a hash for each partition at most, and the format: nothing is left behind.
    const keys = Number(await node.command('dbsize'))
    assert.ok(keys > count && keys <= count + 4 * 3 + 1, `${keys} keys for ${count} profiles`)
    const used = Number(await node.command('eval', usedBytes, '0'))
    assert.ok(used <= bytes * 1.5, `${used} bytes for ${bytes} that are counted`)
    return count
  }
  assert.equal(await check(await writeAll(() => makeProfile({ data: {}, time: now }))), 300)
  const count = await check(await writeAll((index) => makePageProfile(index, { time: now })))
  assert.ok(count > 80 && count < 300, `${count} large profiles`)
  await profiles.purge()
  await writeAll((index) => makePageProfile(index, { time: now - 1_000_000 }))
  assert.equal((await settled(profiles)).count, 0)
  assert.ok(Number(await node.command('dbsize')) <= 4 * 3 + 1)
})

/** What Redis says its keys need. */
const usedBytes = `local sum = 0
for _, key in ipairs(redis.call('keys', '*')) do sum = sum + redis.call('memory', 'usage', key, 'samples', '0') end
return sum`

it('a server that hangs: lets nobody wait: profiles are held, can be read, and are stored when it is back; beyond 2,000 the oldest go', async (test) => {
  await setPartitions(1)
  const lines: string[] = []
  const engine = await openRedisEngine({ address: servers.address, onWarning: (line) => lines.push(line) })
  test.after(() => engine.close())
  const { profiles } = engine
  await profiles.write([makeProfile()])
  test.after(() => node.resume())
  node.pause()
  const batches = Array.from({ length: 23 }, () => Array.from({ length: 100 }, () => makeProfile({ data: {} })))
  for (const batch of batches) await profiles.write(batch)
  const [first = assert.fail()] = batches[0] ?? []
  const [last = assert.fail()] = batches.at(-1) ?? []
  assert.deepEqual(await profiles.read(last.token), last)
  await assert.rejects(profiles.write([last]), { code: 'ERR_PROFILE_REFUSED', tokens: [last.token] })
  const { fleet, missing } = await profiles.stats()
  assert.deepEqual([fleet?.held, fleet?.dropped, fleet?.late], [2000, 300, 0])
  assert.deepEqual(missing, { parts: 1, of: 1 })
  assert.ok(fleet?.outage !== null && fleet?.outage.reason.includes('127.0.0.1'))
  await assert.rejects(profiles.find({}), { code: 'ERR_STORE_UNAVAILABLE' })
  await assert.rejects(profiles.purge(), { code: 'ERR_STORE_UNAVAILABLE' })
  node.resume()
  await until(async () => {
    const now = await profiles.stats()
    return now.fleet?.held === 0 && now.missing === undefined
  })
  const stats = await profiles.stats()
  assert.equal(stats.fleet?.outage, null)
  assert.deepEqual([stats.fleet?.dropped, stats.fleet?.unconfirmed], [300, 0])
  // What was sent before the server was known to hang may be there although it counts as dropped.
  assert.ok(stats.count >= 2001 && stats.count <= 2301, String(stats.count))
  assert.deepEqual(await profiles.read(last.token), last)
  assert.ok((await profiles.read(first.token)) !== undefined || stats.count < 2101)
  assert.equal(lines.filter((line) => line.includes('Profiles wait in memory')).length, 1)
  assert.equal(lines.filter((line) => line.includes('takes all profiles again')).length, 1)
})

it('a server whose memory is full: is named, and what is new waits until there is room', async (test) => {
  await setPartitions(1)
  const lines: string[] = []
  const profiles = await open(test, { onWarning: (line) => lines.push(line) })
  test.after(() => node.command('config', 'set', 'maxmemory', '0'))
  const used = /used_memory:(\d+)/.exec(await node.command('info', 'memory'))?.[1] ?? assert.fail()
  await node.command('config', 'set', 'maxmemory', used)
  const newest = Array.from({ length: 20 }, (_, index) => makePageProfile(index + 1))
  await profiles.write(newest)
  const { fleet } = await profiles.stats()
  assert.deepEqual([fleet?.held, fleet?.dropped], [20, 0])
  assert.match(fleet?.outage?.reason ?? '', /memory is full/)
  await node.command('config', 'set', 'maxmemory', '0')
  await until(async () => (await profiles.stats()).fleet?.held === 0)
  for (const one of newest) assert.deepEqual(await profiles.read(one.token), one)
  const after = (await profiles.stats()).fleet
  assert.deepEqual([after?.late, after?.dropped, after?.outage], [20, 0, null])
  await until(() => lines.some((said) => said.endsWith('20 were stored late, 0 were dropped.')))
})

it('a store of a newer format: is refused, and left as it was', async (test) => {
  await node.command('hset', 'fanlight:{format}', 'format', '99', 'partitions', '2')
  const openAndLook = async (): Promise<unknown> => (await open(test)).find({})
  await assert.rejects(openAndLook(), { code: 'ERR_STORE_VERSION' })
  assert.equal(await node.command('dbsize'), '1')
})

it('sizes: are counted as Redis needs them, also of profiles written one by one', async (test) => {
  await setPartitions(1)
  const profiles = await open(test)
  for (let index = 0; index < 60; index += 1) {
    await profiles.write([index % 2 === 0 ? makeProfile({ data: {} }) : makePageProfile(index)])
  }
  const { bytes } = await profiles.stats()
  const used = Number(await node.command('eval', usedBytes, '0'))
  assert.ok(used <= bytes * 1.5, `${used} bytes for ${bytes} that are counted`)
})
