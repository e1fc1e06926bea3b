// The profiles of the Redis engine pass the contract, on one server with one partition and with the most.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Engine } from '../../../src/stores/engine.ts'
import { openRedisEngine } from '../../../src/stores/redis/open-redis-engine.ts'
import { describeProfileStore, type OpenForTest } from '../../contract/profile-store.ts'
import { startRedisServer, type RedisServers } from '../../support/redis-cluster.ts'

let servers: RedisServers
/** By partitions and options: a thread for each test would cost more than all the tests. */
const engines = new Map<string, Engine>()

before(async () => (servers = await startRedisServer()))
after(async () => {
  for (const engine of engines.values()) await engine.close()
  await servers.stop()
})

function openWith(partitions: number): OpenForTest {
  return async (_, options) => {
    await servers.empty()
    await servers.nodes[0]?.command('hset', 'fanlight:{format}', 'format', '1', 'partitions', String(partitions))
    const key = JSON.stringify({ partitions, options })
    const onWarning = (line: string): void => assert.match(line, /has no replica/)
    const engine = engines.get(key) ?? (await openRedisEngine({ ...options, address: servers.address, onWarning }))
    engines.set(key, engine)
    return engine
  }
}

for (const partitions of [1, 36]) {
  describeProfileStore(`openRedisEngine with ${partitions} partitions`, openWith(partitions), partitions)
}
