// The profiles of the Redis engine pass the contract with the most partitions: on one server, and with `npm run test:redis` on real
// clusters, plain and with TLS as a user who may do only what is needed, also with one partition.

import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import type { ProfilePage, ProfileStore } from '../../../src/profiles/profile-store.ts'
import type { Profile } from '../../../src/observe/profile.ts'
import type { Engine } from '../../../src/stores/engine.ts'
import { openRedisEngine } from '../../../src/redis/open-redis-engine.ts'
import { describeProfileStore, type OpenForTest } from '../../contract/profile-store.ts'
import { startRedisCluster, startRedisServer, type RedisServers } from '../../support/redis-cluster.ts'
import { until } from '../../support/until.ts'

const isWhole = process.env['REDIS_CONTRACT'] === 'whole'
const places: readonly (readonly [name: string, start: () => Promise<RedisServers>])[] = isWhole
  ? [
      ['a plain cluster', startRedisCluster],
      ['a cluster with TLS and the least rights', () => startRedisCluster({ isSecure: true })],
    ]
  : [['a server', startRedisServer]]

for (const [name, start] of places) {
  describe(`openRedisEngine on ${name}`, () => {
    let servers: RedisServers
    /** By partitions and options: a thread for each test would cost more than all the tests. */
    const engines = new Map<string, Engine>()

    before(async () => (servers = await start()))
    after(async () => {
      for (const engine of engines.values()) await engine.close()
      await servers.stop()
    })

    const openWith =
      (partitions: number): OpenForTest =>
      async (_, options) => {
        await servers.empty()
        const format = await servers.primaryOf('fanlight:{format}')
        await format.command('hset', 'fanlight:{format}', 'format', '1', 'partitions', String(partitions))
        const key = JSON.stringify({ partitions, options })
        const onWarning = (line: string): void =>
          assert.match(line, /^Profiles wait in memory|takes all profiles again|has no replica/)
        const engine = engines.get(key) ?? (await openRedisEngine({ ...options, address: servers.address, onWarning }))
        engines.set(key, engine)
        return { ...engine, profiles: stored(engine.profiles) }
      }

    for (const partitions of isWhole ? [1, 36] : [36]) {
      describeProfileStore(`with ${partitions} partitions`, openWith(partitions), partitions)
    }
  })
}

/** The same store on a starved machine: a write ends when nothing is held any more, and what was read in part is asked again. */
function stored(profiles: ProfileStore): ProfileStore {
  const write = async (batch: readonly Profile[]): Promise<void> => {
    await profiles.write(batch)
    await until(async () => (await profiles.stats()).fleet?.held === 0)
  }
  return new Proxy(profiles, {
    get: (target, name) => {
      const member: unknown = name === 'write' ? write : Reflect.get(target, name)
      if (typeof member !== 'function') return member
      const call = member.bind(target) as (...args: readonly unknown[]) => unknown
      return name === 'find' || name === 'group' || name === 'gather' ? whole(call) : call
    },
  })
}

const mostSearched = 10_000

function whole(ask: (...args: readonly unknown[]) => unknown): (...args: readonly unknown[]) => Promise<unknown> {
  return async (...args) => {
    let answer: Pick<ProfilePage, 'missing' | 'searchedNewest'> = {}
    await until(async () => {
      answer = (await ask(...args)) as typeof answer
      return answer.missing === undefined && (answer.searchedNewest ?? mostSearched) >= mostSearched
    })
    return answer
  }
}
