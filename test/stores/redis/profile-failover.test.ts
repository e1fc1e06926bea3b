// Profiles on a real cluster that loses servers: what is missing is said, what is held arrives, replicas confirm while there are any.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test'
import type { Profile } from '../../../src/observe/profile.ts'
import type { ProfileStore } from '../../../src/profiles/profile-store.ts'
import { openRedisEngine } from '../../../src/redis/open-redis-engine.ts'
import { indexOfToken, makePartitions } from '../../../src/redis/partitions.ts'
import { profileMakers } from '../../support/profiles.ts'
import { startRedisCluster, type RedisNode, type RedisServers } from '../../support/redis-cluster.ts'
import { until } from '../../support/until.ts'
import { pick } from '../../support/pick.ts'

/** Of a store of 12,000 profiles. */
const partitionCount = 12

let servers: RedisServers

before(async () => {
  // Long enough that no replica takes over while a test lets a server hang.
  servers = await startRedisCluster({ nodeTimeoutMs: 60_000 })
})
after(() => servers.stop())
beforeEach(() => servers.empty())

async function open(test: TestContext): Promise<ProfileStore> {
  const engine = await openRedisEngine({ address: servers.address, maxProfiles: 12_000 })
  test.after(() => engine.close())
  return engine.profiles
}

/** Three profiles in each partition, one batch for each. */
async function fill(profiles: ProfileStore): Promise<readonly Profile[]> {
  const written: Profile[] = []
  for (let index = 0; index < partitionCount; index += 1) {
    const { makeProfile: make } = profileMakers(index.toString(36))
    const batch = [make(), make(), make()]
    written.push(...batch)
    await profiles.write(batch)
  }
  return written
}

describe('profiles on a cluster', () => {
  it('say what is missing while a server hangs; what is for it is held and arrives later', async (test) => {
    const profiles = await open(test)
    const written = await fill(profiles)
    assert.deepEqual(
      pick((await profiles.find({}, { limit: 100 })).items, 'token'),
      written.toReversed().map(({ token }) => token),
    )
    const [hanging = assert.fail()] = servers.nodes
    const lost = new Set<number>()
    for (const { index, totalsKey } of makePartitions(partitionCount)) {
      if ((await servers.primaryOf(totalsKey)) === hanging) lost.add(index)
    }
    // Even shares of the slots: a third of the partitions lies on each of three primaries.
    assert.equal(lost.size, 4)
    test.after(() => hanging.resume())
    hanging.pause()
    const isThere = ({ token }: Profile): boolean => !lost.has(indexOfToken(token, partitionCount))
    const page = await profiles.find({}, { limit: 100 })
    assert.deepEqual(page.missing, { parts: 4, of: 12 })
    assert.deepEqual(
      pick(page.items, 'token'),
      written
        .filter(isThere)
        .toReversed()
        .map(({ token }) => token),
    )
    const groups = await profiles.group({}, 'route')
    assert.deepEqual([groups.count, groups.missing], [24, { parts: 4, of: 12 }])
    const more = await fill(profiles)
    const { fleet, missing, count } = await profiles.stats()
    assert.deepEqual([fleet?.held, fleet?.dropped, count, missing], [12, 0, 48, { parts: 4, of: 12 }])
    assert.match(fleet?.outage?.reason ?? '', /^[1-4] of 12 parts do not take profiles: /)
    const held = more.find((one) => !isThere(one)) ?? assert.fail()
    assert.deepEqual(await profiles.read(held.token), held)
    await assert.rejects(profiles.read(written.find((one) => !isThere(one))?.token ?? ''), {
      code: 'ERR_STORE_UNAVAILABLE',
    })
    const live = await profiles.find({}, { newerThan: page.newest, limit: 100 })
    assert.equal(live.items.length, 24)
    hanging.resume()
    await until(async () => {
      const { fleet: now, missing: away } = await profiles.stats()
      return now?.held === 0 && away === undefined
    })
    const whole = await profiles.find({}, { limit: 100 })
    assert.deepEqual([whole.items.length, whole.missing], [72, undefined])
    const stats = await profiles.stats()
    assert.deepEqual([stats.fleet?.outage, stats.missing], [null, undefined])
    // What was held is news for a list that was read meanwhile.
    const news = await profiles.find({}, { newerThan: live.newest, limit: 100 })
    assert.equal(news.items.length, 12)
  })

  it('are on a replica as soon as they are written', async (test) => {
    const profiles = await open(test)
    const [one = assert.fail()] = await fill(profiles)
    assert.equal((await profiles.stats()).fleet?.unconfirmed, 0)
    const partition = makePartitions(partitionCount)[indexOfToken(one.token, partitionCount)] ?? assert.fail()
    const primary = await servers.primaryOf(partition.totalsKey)
    const replica = replicaOf(primary)
    for (let count = 0; count < 20; count += 1) {
      const profile = profileMakers(one.token.slice(-1)).makeProfile()
      await profiles.write([profile])
      const offsets = await replica.command('dbsize')
      assert.ok(Number(offsets) >= count + 2, `${offsets} keys on the replica after ${count + 1} writes`)
    }
  })

  it('are stored and counted as unconfirmed where the replica is gone', async (test) => {
    const profiles = await open(test)
    const written = await fill(profiles)
    const partition = makePartitions(partitionCount)[0] ?? assert.fail()
    const replica = replicaOf(await servers.primaryOf(partition.totalsKey))
    test.after(async () => {
      await replica.start()
      await servers.untilWhole()
    })
    await replica.kill()
    const { makeProfile: make } = profileMakers('0')
    const more = Array.from({ length: 5 }, () => make())
    for (const profile of more) await profiles.write([profile])
    await until(async () => (await profiles.stats()).fleet?.held === 0)
    const { fleet, count } = await profiles.stats()
    assert.deepEqual([count, fleet?.dropped], [written.length + more.length, 0])
    assert.ok((fleet?.unconfirmed ?? 0) > 0)
    assert.equal((await profiles.find({}, { limit: 5 })).items.length, 5)
  })
})

function replicaOf(primary: RedisNode): RedisNode {
  return servers.nodes[servers.nodes.indexOf(primary) + 3] ?? assert.fail()
}
