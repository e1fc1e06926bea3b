// The way to a store in Redis: what is checked at open, and what happens to requests while nodes fail and slots move.

import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { parseRedisAddress } from '../../../src/redis/redis-address.ts'
import { RedisConnection } from '../../../src/redis/redis-connection.ts'
import { RedisFailure } from '../../../src/redis/redis-command.ts'
import { slotOf } from '../../../src/redis/partitions.ts'
import { redisPassword, startRedisCluster, startRedisServer, type RedisServers } from '../../support/redis-cluster.ts'
import { until } from '../../support/until.ts'

interface Opened {
  readonly connection: RedisConnection
  readonly warnings: readonly string[]
}

async function open(test: TestContext, address: string, maxProfiles = 10_000): Promise<Opened> {
  const warnings: string[] = []
  const connection = new RedisConnection(parseRedisAddress(address, '/'), {
    maxProfiles,
    onWarning: (line) => warnings.push(line),
  })
  test.after(() => connection.close())
  await connection.opened
  return { connection, warnings }
}

describe('a cluster', () => {
  let servers: RedisServers
  before(async () => {
    // A busy machine makes no replica a primary.
    servers = await startRedisCluster({ isSecure: true, nodeTimeoutMs: 5000 })
  })
  after(async () => {
    // What the user may not do would be logged there.
    for (const node of servers.nodes) assert.equal(await node.command('ACL', 'LOG'), '')
    await servers.stop()
  })

  it('counts the slots of keys as we do', async () => {
    const [node] = servers.nodes
    for (const key of [
      '123456789',
      'fanlight:{lock}',
      'foo{}{bar}',
      'foo{{bar}}zap',
      'foo{bar}{zap}',
      '{',
      '}{',
      'ü',
    ]) {
      assert.equal(await node?.command('CLUSTER', 'KEYSLOT', key), String(slotOf(key)), key)
    }
  })

  it('is made with a partition for each 1,000 profiles, and keeps them when another process wants more', async (test) => {
    await servers.empty()
    const { connection } = await open(test, servers.address, 2500)
    assert.equal(connection.use().partitions, 3)
    const other = await open(test, servers.address, 100_000)
    assert.equal(other.connection.use().partitions, 3)
    await servers.empty()
    const largest = await open(test, servers.address, 100_000)
    assert.equal(largest.connection.use().partitions, 36)
  })

  it('is reached through any one of its nodes, a replica too', async (test) => {
    for (const { port } of [servers.nodes[0], servers.nodes[4]].flatMap((node) => node ?? [])) {
      const { connection } = await open(test, servers.address.replace(/@[^?]*/, `@127.0.0.1:${port}`))
      assert.equal(connection.use().client.primaries().length, 3)
    }
  })

  it('of a newer format is refused and left as it is', async (test) => {
    await servers.empty()
    const node = await servers.primaryOf('fanlight:{format}')
    await node.command('HSET', 'fanlight:{format}', 'format', '2', 'partitions', '5')
    const { connection, warnings } = await open(test, servers.address)
    assert.throws(() => connection.use(), {
      code: 'ERR_STORE_VERSION',
      message: /was written by a newer version: its format is 2, this version knows 1\.$/,
    })
    assert.equal(warnings.length, 1)
    assert.equal(await node.command('HGETALL', 'fanlight:{format}'), 'format\n2\npartitions\n5')
    await node.command('DEL', 'fanlight:{format}')
    await until(() => connection.problem === null)
  })

  it('that would remove parts of profiles is refused with what to set, and used once it is set', async (test) => {
    const [, second] = servers.nodes
    await second?.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    const { connection } = await open(test, servers.address)
    assert.throws(() => connection.use(), {
      code: 'ERR_STORE_OPEN',
      message: new RegExp(`127.0.0.1:${second?.port} has the maxmemory-policy allkeys-lru, .*set it to noeviction`),
    })
    await second?.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
    await until(() => connection.problem === null)
    assert.ok(connection.use())
  })

  it('gives a reply for each command, and a failure for one that it refuses', async (test) => {
    const { connection } = await open(test, servers.address)
    const { client } = connection.use()
    const replies = await client.send(slotOf('fanlight:x'), [
      ['set', 'fanlight:x', 'ü'],
      ['hget', 'fanlight:x', 'field'],
      ['get', 'fanlight:x'],
    ])
    assert.deepEqual([replies[0], replies[2]], ['OK', 'ü'])
    assert.ok(replies[1] instanceof RedisFailure)
    assert.equal(replies[1].code, 'WRONGTYPE')
    const raw = await client.send(slotOf('fanlight:x'), [['get', 'fanlight:x']], { isRaw: true })
    assert.deepEqual(raw, [Buffer.from('ü')])
  })

  it('is followed when a slot moves, while it moves and afterwards', async (test) => {
    const { connection } = await open(test, servers.address)
    const { client } = connection.use()
    const slot = slotOf('fanlight:{moving}')
    await client.send(slot, [['hset', 'fanlight:{moving}:old', 'n', '1']])
    const from = await servers.primaryOf('fanlight:{moving}')
    const to = servers.nodes.slice(0, 3).find((node) => node !== from) ?? from
    await to.command('CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', from.id)
    await from.command('CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', to.id)
    const replies = await client.send(slot, [
      ['hincrby', 'fanlight:{moving}:old', 'n', 1],
      ['hincrby', 'fanlight:{moving}:new', 'n', 1],
      ['wait', 1, 1000],
    ])
    assert.deepEqual(replies, [2, 1, 1])
    assert.equal(await from.command('EXISTS', 'fanlight:{moving}:old'), '1')
    await from.command(
      'MIGRATE',
      '127.0.0.1',
      String(to.ownPort),
      'fanlight:{moving}:old',
      '0',
      '1000',
      'AUTH2',
      'admin',
      'admin',
    )
    for (const node of [to, from]) await node.command('CLUSTER', 'SETSLOT', String(slot), 'NODE', to.id)
    assert.deepEqual(await client.send(slot, [['hincrby', 'fanlight:{moving}:old', 'n', 1]]), [3])
    assert.deepEqual(await client.send(slot, [['hincrby', 'fanlight:{moving}:new', 'n', 1]]), [2])
    assert.equal(client.primaryOf(slot), `127.0.0.1:${to.port}`)
  })

  it('goes on when a primary hangs and its replica takes over', async (test) => {
    const { connection } = await open(test, servers.address)
    const { client } = connection.use()
    const key = 'fanlight:{hanging}'
    const slot = slotOf(key)
    const old = await servers.primaryOf(key)
    test.after(async () => {
      old.resume()
      await servers.untilWhole()
    })
    await client.send(slot, [['set', key, '1']])
    old.pause()
    const inVain = await client.send(slot, [['get', key]], { patienceMs: 200 }).catch((error: unknown) => error)
    assert.ok(inVain instanceof RedisFailure)
    assert.equal(inVain.code, 'TIMEOUT')
    await until(async () => {
      const replies = await client.send(slot, [['get', key]], { patienceMs: 500 }).catch(() => [])
      return replies[0] === '1'
    })
    assert.notEqual(client.primaryOf(slot), `127.0.0.1:${old.port}`)
    assert.equal(connection.problem, null)
  })
})

describe('a single server', () => {
  it('is tried until it is there, and again after it was away', async (test) => {
    const servers = await startRedisServer()
    test.after(() => servers.stop())
    const [node] = servers.nodes
    await node?.kill()
    const { connection, warnings } = await open(test, servers.address)
    assert.throws(() => connection.use(), {
      code: 'ERR_STORE_UNAVAILABLE',
      message: new RegExp(`^The store "${servers.address}" is not reachable: .*ECONNREFUSED`),
    })
    const since = connection.problem?.since
    await node?.start()
    await until(() => connection.problem === null)
    assert.ok(since !== undefined && since <= Date.now())
    await node?.kill()
    const { client } = connection.use()
    await assert.rejects(client.send(0, [['ping']], { patienceMs: 300 }), RedisFailure)
    await until(() => connection.problem !== null)
    await node?.start()
    await until(() => connection.problem === null)
    assert.deepEqual(await connection.use().client.send(0, [['ping']]), ['PONG'])
    assert.deepEqual(
      warnings.map((line) => /is not reachable|can be used again|has no replica/.exec(line)?.[0]),
      ['is not reachable', 'has no replica', 'can be used again', 'is not reachable', 'can be used again'],
    )
  })

  it('that goes away is reported once for each reason, and never taken for one with TLS', async (test) => {
    const server = await startRedisServer()
    test.after(() => server.stop())
    const { connection, warnings } = await open(test, server.address)
    const [node = assert.fail()] = server.nodes
    for (let times = 0; times < 2; times += 1) {
      await node.kill()
      await until(async () => (await connection.ask('k', [['ping']]).catch(() => null)) === null)
      await until(() => connection.problem !== null)
      await node.start()
      await until(() => connection.problem === null)
    }
    const reasons = warnings.filter((line) => line.includes('is not reachable'))
    assert.ok(reasons.length >= 2)
    assert.doesNotMatch(warnings.join('\n'), /TLS|-\d+ ms/)
  })

  it('that is a replica is refused, and its primary is found among the hosts', async (test) => {
    const [primary, replica] = [await startRedisServer(), await startRedisServer()]
    for (const servers of [primary, replica]) test.after(() => servers.stop())
    const [node, other] = [...primary.nodes, ...replica.nodes]
    await other?.command('REPLICAOF', '127.0.0.1', String(node?.port))
    const alone = await open(test, replica.address)
    assert.throws(() => alone.connection.use(), { message: /the node is a read-only replica: name its primary/ })
    const both = await open(test, `redis://127.0.0.1:${other?.port},127.0.0.1:${node?.port}`)
    assert.deepEqual(both.connection.use().client.primaries(), [`127.0.0.1:${node?.port}`])
  })
})

describe('a server with TLS and a user', () => {
  let servers: RedisServers
  let plain: RedisServers
  let narrow: RedisServers
  before(async () => {
    const config = ['bind 127.0.0.1 127.0.0.2']
    servers = await startRedisServer({ isSecure: true, config })
    narrow = await startRedisServer({ isSecure: true, acl: '~fanlight:* -@all +info +cluster|slots +hgetall' })
    plain = await startRedisServer({ config: ['requirepass other'] })
  })
  after(() => Promise.all([servers.stop(), plain.stop(), narrow.stop()]))

  it('is used with the certificate and the password of the address', async (test) => {
    const { connection } = await open(test, servers.address)
    assert.equal(connection.problem, null)
  })

  const cases: readonly (readonly [string, () => string, RegExp])[] = [
    [
      'a wrong password',
      () => servers.address.replace('%20', 'x').replace('7c1f', '7c1g'),
      /the user or the password in its address is wrong/,
    ],
    [
      'no password',
      () => `rediss://127.0.0.1:${servers.nodes[0]?.port}?ca=${servers.caFile}`,
      /it asks for a password/,
    ],
    ['no password on a plain server', () => plain.address, /it asks for a password/],
    ['a user who may do too little', () => narrow.address, /'hsetnx' command: its user may do too little/],
    [
      'an authority that is not trusted',
      () => servers.address.replace(/\?ca=.*/, ''),
      /certificate is not trusted: name the file of the authority/,
    ],
    [
      'a name that is not in the certificate',
      () => servers.address.replace('127.0.0.1', '127.0.0.2'),
      /127\.0\.0\.2 is not in the cert's list/,
    ],
    [
      'TLS on a plain port',
      () => plain.address.replace('redis:', 'rediss:'),
      /ETIMEDOUT, as a port without TLS does: that would be redis:/,
    ],
    [
      'a plain connection to a port with TLS',
      () => `redis://127.0.0.1:${servers.nodes[0]?.port}`,
      /as a port with TLS does: that would be rediss:/,
    ],
    ['a host that nobody knows', () => 'redis://no-such-host.invalid:7001', /no-such-host\.invalid/],
  ]
  for (const [what, address, reason] of cases) {
    it(`names ${what}, and no password`, async (test) => {
      const { connection, warnings } = await open(test, address())
      assert.throws(() => connection.use(), { message: reason })
      assert.match(String(connection.problem?.reason), reason)
      for (const text of [...warnings, String(connection.problem?.reason)]) {
        assert.equal(text.includes(redisPassword) || text.includes(encodeURIComponent(redisPassword)), false)
        assert.equal(text.includes('\n'), false)
      }
    })
  }
})
