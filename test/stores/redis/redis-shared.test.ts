// Lock and collections of a store in Redis: the rules of the ports, on a cluster and on a single server, plain and with TLS
// and a user who may do little, each rule with two processes' worth of connections.

import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { LockState } from '../../../src/profiles/lock.ts'
import type { CollectionContent } from '../../../src/stores/collections.ts'
import type { Engine, EngineOptions } from '../../../src/stores/engine.ts'
import { openEngine } from '../../../src/app/open-engine.ts'
import { parseRedisAddress } from '../../../src/redis/redis-address.ts'
import { slotOf } from '../../../src/redis/partitions.ts'
import { RedisConnection } from '../../../src/redis/redis-connection.ts'
import { hashKey, lockKey, openRedisEngine } from '../../../src/redis/open-redis-engine.ts'
import { lockStoreRules } from '../../../src/testing.ts'
import { describeCollections } from '../../contract/collection.ts'
import { describeLockJournal } from '../../contract/lock-journal.ts'
import { makeLockState } from '../../contract/lock-store.ts'
import { cliFolder, type CliRun } from '../../support/cli-run.ts'
import { startRedisCluster, startRedisServer, type RedisNode, type RedisServers } from '../../support/redis-cluster.ts'
import { until } from '../../support/until.ts'

/** One host of the address is enough. */
function oneHost({ address }: RedisServers): string {
  return address.replace(/,[^?]*/, '')
}

function connect(servers: RedisServers): RedisConnection {
  const address = parseRedisAddress(oneHost(servers), '/')
  return new RedisConnection(address, { maxProfiles: 10_000, onWarning: () => undefined })
}

async function open(test: TestContext, servers: RedisServers, options: EngineOptions = {}): Promise<Engine> {
  const engine = await openRedisEngine({ ...options, address: oneHost(servers) })
  test.after(() => engine.close())
  // Where the machine is busy, a server may respond at the second attempt only.
  await until(() =>
    engine.pause.read().then(
      () => true,
      () => false,
    ),
  )
  return engine
}

async function replicaOf(servers: RedisServers, primary: RedisNode): Promise<RedisNode> {
  for (const node of servers.nodes) {
    if (node !== primary && (await node.command('INFO', 'replication')).includes(`master_port:${primary.port}\r`))
      return node
  }
  throw new Error('it has none')
}

/** All four with `npm run test:redis`. */
const isWhole = process.env['REDIS_CONTRACT'] === 'whole'
const places: readonly (readonly [name: string, start: () => Promise<RedisServers>, isAlways: boolean])[] = [
  ['a cluster', () => startRedisCluster(), false],
  ['a cluster with TLS and a user', () => startRedisCluster({ isSecure: true }), true],
  ['a single server', () => startRedisServer(), true],
  ['a single server with TLS and a user', () => startRedisServer({ isSecure: true }), false],
]

for (const [name, start] of places.filter(([, , isAlways]) => isWhole || isAlways)) {
  describe(name, () => {
    let servers: RedisServers
    let cleaning: RedisConnection
    before(async () => {
      servers = await start()
      cleaning = connect(servers)
      await until(() => cleaning.problem === null)
    })
    after(async () => {
      await cleaning.close()
      // What the user may not do would be logged there.
      if (servers.caFile !== undefined) {
        for (const node of servers.nodes) assert.equal(await node.command('ACL', 'LOG'), '')
      }
      await servers.stop()
    })

    const openTwo = async (test: TestContext): Promise<readonly [Engine, Engine]> => {
      await cleaning
        .use()
        .client.send(slotOf(lockKey), [
          ['unlink', lockKey, ...['records', '@periods', '@turned-away', '@reports', '@recording'].map(hashKey)],
        ])
      return [await open(test, servers), await open(test, servers)]
    }
    it('tells other processes that recording is paused', async (test) => {
      const [one, other] = [await open(test, servers), await open(test, servers)]
      const heard: (number | undefined)[] = []
      test.after(other.pause.watch((pause) => heard.push(pause?.since)))
      await one.pause.write({ since: 5, by: 'anna@web-1' })
      await until(() => heard.at(-1) === 5)
      assert.deepEqual(await other.pause.read(), { since: 5, by: 'anna@web-1' })
      await other.pause.write(null)
      assert.deepEqual([heard.at(-1), await one.pause.read()], [undefined, null])
    })

    for (const rule of lockStoreRules) {
      it(`has a lock that ${rule.name}`, async (test) => {
        const [one, other] = await openTwo(test)
        await rule.check(one.lock, other.lock)
      })
    }
    describeCollections('the store', openTwo)
    describeLockJournal('the store', async (test) => {
      const [, shared] = await openTwo(test)
      return shared
    })
  })
}

describe('a collection', () => {
  let servers: RedisServers
  before(async () => {
    servers = await startRedisServer()
  })
  after(() => servers.stop())

  it('has what version 0.1 kept under the same name', async (test) => {
    const one = await open(test, servers)
    const [node] = servers.nodes
    await node?.command('HSET', 'fanlight:{lock}:currencies', '@version', 'a', 'EUR', '{"code":"EUR"}')
    const { version, records } = await one.collection('currencies').readAll()
    assert.deepEqual([version, [...records]], ['a', [['EUR', { code: 'EUR' }]]])
  })

  it('tells watchers that the store is away, and what there is once it is back', async (test) => {
    const [node] = servers.nodes
    const one = await open(test, servers)
    await one.collection('records').write({ key: 1 })
    const told: unknown[] = []
    const errors: unknown[] = []
    const take = ({ records }: CollectionContent): void => void told.push(records.get('key'))
    test.after(one.collection('records').watch(take, (error) => errors.push(error)))
    await until(() => told.length === 1)
    node?.pause()
    await until(() => errors.length > 0)
    node?.resume()
    await until(() => told.length > 1)
    assert.deepEqual(new Set(told), new Set([1]))
    await node?.kill()
    const other = await openRedisEngine({ address: oneHost(servers) })
    test.after(() => other.close())
    await assert.rejects(other.collection('records').read('key'), {
      code: 'ERR_STORE_UNAVAILABLE',
      message: /is not reachable: .*ECONNREFUSED/,
    })
    await node?.start()
  })
})

describe('a lock on a cluster', () => {
  let servers: RedisServers
  before(async () => {
    servers = await startRedisCluster()
  })
  after(() => servers.stop())

  const read = (state: LockState): number => state.value

  it('is set although its primary is killed meanwhile, and others hear of it', async (test) => {
    const one = await open(test, servers)
    const other = await open(test, servers)
    const heard: number[] = []
    other.lock.watch(
      (state) => heard.push(read(state)),
      () => undefined,
    )
    await one.lock.write(makeLockState({ value: 4 }))
    await until(() => heard.includes(4))
    const primary = await servers.primaryOf('fanlight:{lock}')
    await primary.kill()
    test.after(async () => {
      await primary.start()
      await servers.untilWhole()
    })
    await one.lock.write(makeLockState({ value: 5 }))
    await until(() => heard.at(-1) === 5)
    assert.equal((await other.lock.read()).value, 5)
  })

  it('counts as set only once a replica has it, while there is one', async (test) => {
    const one = await open(test, servers)
    await one.lock.write(makeLockState({ value: 6 }))
    const own = await replicaOf(servers, await servers.primaryOf('fanlight:{lock}'))
    own.pause()
    test.after(async () => {
      own.resume()
      await servers.untilWhole()
    })
    // Where the machine is busy, the server itself may be the one that responds too late.
    await assert.rejects(one.lock.write(makeLockState({ value: 7 })), {
      message: / The change (may be in force|is in force, but is lost with that node)\.$/,
    })
    own.resume()
    await one.lock.write(makeLockState({ value: 8 }))
    assert.equal((await one.lock.read()).value, 8)
  })

  it('is refused by a primary that has lost its replica, unless that is asked for', async (test) => {
    const one = await open(test, servers)
    await one.lock.write(makeLockState({ value: 6 }))
    const replica = await replicaOf(servers, await servers.primaryOf('fanlight:{lock}'))
    await replica.kill()
    test.after(async () => {
      await replica.start()
      await servers.untilWhole()
    })
    await assert.rejects(one.lock.write(makeLockState({ value: 7 })), {
      message: /has lost its replica, so it may be lost\. The change is in force, but is lost with that node\.$/,
    })
    await one.lock.write(makeLockState({ value: 8 }), { isForced: true })
    assert.equal((await one.lock.read()).value, 8)
    await using folder = await cliFolder()
    const lock = (...words: string[]): Promise<CliRun> =>
      folder.spawn(['lock', ...words], { APP_STORE: servers.address, APP_ENV: 'prod' })
    const refused = await lock('plan', '--from', '+1h', '--to', '+2h')
    assert.match(refused.stderr, /has lost its replica, so it may be lost/)
    assert.equal(refused.exitCode, 1)
    const planned = await lock('plan', '--from', '+2h', '--to', '+3h', '--force', '--json')
    const { id } = JSON.parse(planned.stdout) as { readonly id: string }
    for (const words of [['cancel', id], ['on'], ['off']]) {
      const { exitCode, stderr } = await lock(...words, '--force')
      assert.deepEqual([exitCode, stderr], [0, ''], words.join(' '))
    }
  })

  it('is refused by a primary whose replica has lost touch and could take over', async (test) => {
    const one = await open(test, servers)
    const primary = await servers.primaryOf('fanlight:{lock}')
    const replica = await replicaOf(servers, primary)
    await replica.command('CONFIG', 'SET', 'masteruser', 'nobody', 'masterauth', 'wrong')
    await primary.command('CLIENT', 'KILL', 'TYPE', 'replica')
    test.after(async () => {
      await replica.command('CONFIG', 'SET', 'masteruser', '', 'masterauth', '')
      await servers.untilWhole()
    })
    await until(async () => (await primary.command('INFO', 'replication')).includes('connected_slaves:0'))
    // Nothing says that there was a replica but the cluster.
    await servers.empty()
    await assert.rejects(one.lock.write(makeLockState({ value: 7 })), { message: /has lost its replica/ })
  })

  it('is changed though nobody can read its record, and a plan for it is not; a history that cannot be written is no doubt', async (test) => {
    const one = await open(test, servers)
    const primary = await servers.primaryOf(lockKey)
    await using folder = await cliFolder()
    const lock = (...words: string[]): Promise<CliRun> =>
      folder.spawn(['lock', ...words], { APP_STORE: servers.address, APP_ENV: 'prod' })
    await primary.command('SET', lockKey, 'torn')
    const plan = await lock('plan', '--from', '+1h', '--to', '+2h')
    assert.match(plan.stderr, /allowed is a JSON object in it\. Nothing was changed\.\n$/)
    assert.equal(plan.exitCode, 1)
    const on = await lock('on')
    assert.match(on.stderr, /allowed is a JSON object in it\. It is replaced\.\n/)
    assert.equal(on.exitCode, 0)
    assert.equal((await one.lock.read()).value, 1)
    await primary.command('DEL', hashKey('@periods'))
    await primary.command('SET', hashKey('@periods'), '')
    test.after(() => primary.command('DEL', hashKey('@periods')))
    const off = await lock('off')
    assert.match(off.stderr, /WRONGTYPE .* The change is in force\.\n$/)
    assert.equal(off.exitCode, 1)
    assert.equal((await one.lock.read()).value, 0)
  })

  it('is never acknowledged by a primary that was replaced and does not know it yet', async (test) => {
    const writer = await open(test, servers)
    await writer.lock.write(makeLockState({ value: 9 }))
    const old = await servers.primaryOf('fanlight:{lock}')
    old.pause()
    await until(async () => (await servers.primaryOf('fanlight:{lock}').catch(() => old)) !== old)
    const writing = writer.lock.write(makeLockState({ value: 10 }))
    old.resume()
    await writing
    await servers.untilWhole()
    const reader = await open(test, servers)
    assert.equal((await reader.lock.read()).value, 10)
  })
})

it('a command that changes the lock: waits for the replica that takes over, and no longer where no node is there', async (test) => {
  // No replica takes over by itself before the test makes it.
  const servers = await startRedisCluster({ nodeTimeoutMs: 60_000 })
  test.after(() => servers.stop())
  const engine = async (isPatient: boolean): Promise<Engine> => {
    const made = await openEngine(servers.address, { isPatient })
    test.after(() => made.close())
    return made
  }
  await (await engine(false)).lock.write(makeLockState({ value: 4 }))
  const primary = await servers.primaryOf(lockKey)
  const replica = await replicaOf(servers, primary)
  await primary.kill()
  await assert.rejects((await engine(false)).lock.read(), { code: 'ERR_STORE_UNAVAILABLE' })
  const waiting = (await engine(true)).lock.read()
  await assert.rejects((await engine(false)).lock.read(), { code: 'ERR_STORE_UNAVAILABLE' })
  await replica.promote()
  assert.equal((await waiting).value, 4)
  await using folder = await cliFolder()
  await Promise.all(servers.nodes.map((node) => node.kill()))
  const { exitCode, stderr } = await folder.spawn(['lock', 'on'], { APP_STORE: servers.address, APP_ENV: 'prod' })
  assert.match(stderr, /is not reachable: .*ECONNREFUSED.*\. Nothing was changed\.\n$/)
  assert.equal(exitCode, 1)
})
