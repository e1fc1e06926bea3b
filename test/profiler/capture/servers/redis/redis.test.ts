// The package `redis` against a real Redis.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createClient, createClientPool } from 'redis'
import { observeRedis } from '../../../../../src/capture.ts'
import type { CacheData } from '../../../../../src/profiler/activities/cache.ts'
import { startWorking } from '../../../../support/captured.ts'
import { capture, captureSideBySide, codeAt, findingsOf } from '../../../../support/captured-queries.ts'
import { startRedis, type DatabaseServer } from '../../../../support/database-servers.ts'
import { pick } from '../../../../support/pick.ts'

describe('nodeRedisSource, with the package redis and a real Redis', () => {
  let server: DatabaseServer
  let client: ReturnType<typeof connect>

  before(async () => {
    server = await startRedis()
    client = connect(server)
    await client.connect()
    await client.set('user:1', 'Ann')
    await client.rPush('list', ['a', 'b', 'c'])
  })
  after(async () => {
    client.destroy()
    await server.stop()
  })

  it('keeps command and key, no value; how long it took, how much came back, where it was called', async () => {
    const { captured, profile } = await capture(async () => {
      assert.equal(await client.get('user:1'), 'Ann')
      await client.get('user:none')
      await client.set('token', 's3cret', { EX: 60 })
      await client.lRange('list', 0, -1)
      await client.hSet('hash', { name: 's3cret' })
      await client.sendCommand(['CONFIG', 'SET', 'loglevel', 's3cret']).catch(() => undefined)
    })
    assert.deepEqual(pick(captured, 'text', 'rows'), [
      ['GET user:1', null],
      ['GET user:none', 0],
      ['SET token ?', null],
      ['LRANGE list ?', 3],
      ['HSET hash ?', null],
      ['CONFIG ?', null],
    ])
    for (const { system, library, namespace, durationMs } of captured) {
      assert.deepEqual([system, library, namespace, Number(durationMs) > 0], ['redis', 'redis', 'db 0', true])
    }
    assert.match(codeAt(captured[0]?.callSite ?? null), /await client\.get\('user:1'\)/)
    assert.match(codeAt(captured[3]?.callSite ?? null), /await client\.lRange/)
    assert.doesNotMatch(JSON.stringify(profile), /s3cret/)
  })

  it('keeps why a command failed', async () => {
    const { captured } = await capture(() => client.incr('list'))
    assert.match(captured[0]?.error ?? '', /WRONGTYPE/)
    assert.equal(typeof captured[0]?.durationMs, 'number')
  })

  it('shows a transaction as one statement, and the commands of a pipeline one by one', async () => {
    const { captured } = await capture(async () => {
      await client.multi().set('a', '1').get('a').exec()
      await client.multi().set('b', '2').get('b').execAsPipeline()
      await Promise.all([client.get('a'), client.get('b')])
    })
    assert.deepEqual(pick(captured, 'text', 'rows', 'error'), [
      ['MULTI ?', 2, null],
      ['SET b ?', null, null],
      ['GET b', null, null],
      ['GET a', null, null],
      ['GET b', null, null],
    ])
  })

  it('keeps a transaction that was given up because a watched key changed', async () => {
    const { captured } = await capture(async () => {
      await client.watch('watched')
      await client.set('watched', '1')
      await client.multi().get('watched').exec()
    })
    assert.deepEqual(pick(captured, 'text'), ['WATCH ?', 'SET watched ?', 'MULTI ?'])
    assert.match(captured[2]?.error ?? '', /watched keys has been changed/)
  })

  it('tells an N+1 from the very same command sent again', async () => {
    const manyKeys = await capture(async () => {
      for (const id of [1, 2, 3, 4]) await client.get(`user:${id}`)
    })
    assert.deepEqual(findingsOf(manyKeys), ['n+1 4'])
    const oneKey = await capture(async () => {
      for (let round = 0; round < 4; round += 1) await client.get('user:1')
    })
    assert.deepEqual(findingsOf(oneKey), ['duplicate 4'])
  })

  it('shows hits and misses of the client-side cache, and what it missed as a query', async () => {
    const cached = createClient({
      socket: { path: server.socket, tls: false },
      RESP: 3,
      clientSideCache: { ttl: 0, maxEntries: 0, evictPolicy: 'LRU' },
    })
    await cached.connect()
    const { captured, profile } = await capture(async () => {
      for (let turn = 0; turn < 3; turn += 1) assert.equal(await cached.get('user:1'), 'Ann')
    })
    cached.destroy()
    assert.deepEqual(pick(captured, 'text'), ['GET user:1'])
    // Only the collector keeps something under the name.
    const { entries } = profile.data['cache'] as CacheData
    assert.deepEqual(
      entries.map(({ library, operation, outcome }) => `${library} ${operation} ${outcome}`),
      ['redis get miss', 'redis get hit', 'redis get hit'],
    )
    assert.match(codeAt(entries[1]?.callSite ?? null), /await cached\.get\('user:1'\)/)
  })

  it('gives each of several requests its own commands, over one connection and over a pool', async () => {
    const pool = observeRedis(
      createClientPool({ socket: { path: server.socket, tls: false } }, { minimum: 1, maximum: 2 }),
    )
    assert.equal(observeRedis(pool), pool)
    await pool.connect()
    await using app = await startWorking(async ({ request }) => {
      const who = request.header('x-who') ?? ''
      for (const round of ['a', 'b', 'c']) await client.get(`one:${who}:${round}`)
      await Promise.all(['a', 'b', 'c'].map((round) => pool.get(`pool:${who}:${round}`)))
    })
    const names = ['ann', 'bob', 'cid', 'dan', 'eve', 'fay']
    const texts = await captureSideBySide(app, names)
    await pool.close()
    assert.deepEqual(
      texts.map((own) => own.toSorted()),
      names.map((who) =>
        ['one', 'pool'].flatMap((way) => ['a', 'b', 'c'].map((round) => `GET ${way}:${who}:${round}`)),
      ),
    )
  })
})

function connect(server: DatabaseServer) {
  return createClient({ socket: { path: server.socket, tls: false } })
}
