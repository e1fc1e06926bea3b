// The budget that processes share over a real Redis.

import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { FleetShare } from '../../../src/profiler/fleet.ts'
import { parseRedisAddress } from '../../../src/stores/redis/redis-address.ts'
import { RedisConnection } from '../../../src/stores/redis/redis-connection.ts'
import { RedisFleet } from '../../../src/stores/redis/redis-fleet.ts'
import { redisPassword, startRedisCluster, startRedisServer, type RedisServers } from '../../support/redis-cluster.ts'
import { until } from '../../support/until.ts'

const none: ReadonlyMap<string, number> = new Map()

function connect(test: TestContext, { address }: RedisServers): RedisConnection {
  const connection = new RedisConnection(parseRedisAddress(address, '/'), { maxProfiles: 1000, onWarning: () => {} })
  test.after(() => connection.close())
  return connection
}

/** Lets each process report until all of them were seen by all in one round of reports. */
async function settled(processes: readonly RedisFleet[], demands: readonly number[]): Promise<readonly FleetShare[]> {
  let shares: readonly FleetShare[] = []
  await until(async () => {
    shares = await Promise.all(
      processes.map((one, index) => one.exchange({ budget: 100, demand: demands[index] ?? 0, errors: none })),
    )
    const total = shares.reduce((sum, { perSecond }) => sum + perSecond, 0)
    return shares.every((share) => share.processes === processes.length) && total > 90
  })
  return shares
}

describe('RedisFleet', () => {
  let servers: RedisServers
  before(async () => {
    servers = await startRedisCluster({ isSecure: true })
  })
  after(() => servers.stop())

  it('gives who wants little all of it and the others the rest, within the budget', async (test) => {
    await servers.empty()
    const connection = connect(test, servers)
    await connection.opened
    const processes = Array.from({ length: 4 }, () => new RedisFleet(connection))
    const shares = await settled(processes, [5, 7, 300, 400])
    const [little, more, much, most] = shares.map(({ perSecond }) => perSecond)
    assert.equal(little, 5)
    assert.equal(more, 7)
    assert.equal(much, 42.5)
    assert.equal(most, 42.5)
  })

  it('gives a process that nobody has seen yet a part of what is left', async (test) => {
    await servers.empty()
    const connection = connect(test, servers)
    await connection.opened
    await settled([new RedisFleet(connection)], [10_000])
    const { perSecond } = await new RedisFleet(connection).exchange({ budget: 100, demand: 50, errors: none })
    assert.ok(perSecond > 0 && perSecond <= 10, String(perSecond))
  })

  it('counts the errors of a family in all processes, and does not write down what they say', async (test) => {
    await servers.empty()
    const connection = connect(test, servers)
    await connection.opened
    const [one, other] = [new RedisFleet(connection), new RedisFleet(connection)]
    const family = 'TypeError in src/prices.ts:12: no price for canary'
    const counts: (number | undefined)[] = []
    await until(async () => {
      counts.length = 0
      await servers.empty()
      for (const [fleet, count] of [
        [one, 3],
        [other, 4],
        [one, 1],
      ] as const) {
        const { errors } = await fleet.exchange({
          budget: 1,
          demand: 0,
          errors: new Map([
            [family, count],
            ['other', 1],
          ]),
        })
        counts.push(errors.get(family))
      }
      // A minute may end between two reports.
      return counts[2] === 8
    })
    assert.deepEqual(counts, [3, 7, 8])
    const keys = await keysOf(servers)
    assert.ok(
      keys.some((key) => key.startsWith('fanlight:{pace}:errors:')),
      keys.join(' '),
    )
    for (const key of keys.filter((name) => name.startsWith('fanlight:{pace}'))) {
      const node = await servers.primaryOf(key)
      assert.doesNotMatch(await node.command('HGETALL', key), /canary|prices/)
    }
  })

  it('leaves no key that stays', async (test) => {
    await servers.empty()
    const connection = connect(test, servers)
    await connection.opened
    await new RedisFleet(connection).exchange({ budget: 1, demand: 3, errors: new Map([['family', 1]]) })
    const keys = (await keysOf(servers)).filter((key) => key.startsWith('fanlight:{pace}'))
    // Two seconds ahead, and a minute.
    assert.equal(keys.length, 3)
    for (const key of keys) {
      const seconds = Number(await (await servers.primaryOf(key)).command('TTL', key))
      assert.ok(seconds > 0 && seconds <= 120, `${key} ${seconds}`)
    }
  })

  it('rejects with one line and without the password while the store is away', async (test) => {
    const server = await startRedisServer({ isSecure: true })
    test.after(() => server.stop())
    const connection = connect(test, server)
    await connection.opened
    const fleet = new RedisFleet(connection)
    await fleet.exchange({ budget: 10, demand: 1, errors: none })
    await server.nodes[0]?.kill()
    await assert.rejects(fleet.exchange({ budget: 10, demand: 1, errors: none }), (error: Error) => {
      assert.match(error.message, /^The store "rediss:[^\n]*$/)
      assert.ok(!error.message.includes(redisPassword))
      return true
    })
    await server.nodes[0]?.start()
    await until(async () => {
      try {
        return (await fleet.exchange({ budget: 10, demand: 1, errors: none })).perSecond > 0
      } catch {
        return false
      }
    })
  })
})

async function keysOf({ nodes }: RedisServers): Promise<readonly string[]> {
  const lists = await Promise.all(nodes.map(async (node) => (await node.command('KEYS', 'fanlight:*')).split('\n')))
  return [...new Set(lists.flat().filter((key) => key !== ''))]
}
