// The package `redis` against a real Redis.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createClient, createClientPool } from 'redis'
import { observeRedis } from '../../../../../src/capture.ts'
import type { Activities } from '../../../../../src/observe/activities/activity.ts'
import type { CacheFacts } from '../../../../../src/capture/activities/cache.ts'
import { capture, codeAt, expectCaptured, itKeepsApart, itTellsRepeats } from '../../../../support/captured-queries.ts'
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
    const work = async (): Promise<void> => {
      assert.equal(await client.get('user:1'), 'Ann')
      await client.get('user:none')
      await client.set('token', 's3cret', { EX: 60 })
      await client.lRange('list', 0, -1)
      await client.hSet('hash', { name: 's3cret' })
      await client.sendCommand(['CONFIG', 'SET', 'loglevel', 's3cret']).catch(() => undefined)
    }
    await expectCaptured(work, { system: 'redis', library: 'redis', namespace: 'db 0' }, [
      ['GET user:1', null, /await client\.get\('user:1'\)/],
      ['GET user:none', 0],
      ['SET token ?', null],
      ['LRANGE list ?', 3, /await client\.lRange/],
      ['HSET hash ?', null],
      ['CONFIG ?', null],
    ])
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

  itTellsRepeats((id) => client.get(`user:${id}`))

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
    const { entries } = profile.data['cache'] as Activities<CacheFacts>
    assert.deepEqual(
      entries.map(({ library, operation, outcome }) => `${library} ${operation} ${outcome}`),
      ['redis get miss', 'redis get hit', 'redis get hit'],
    )
    assert.match(codeAt(entries[1]?.callSite ?? null), /await cached\.get\('user:1'\)/)
  })

  describe('over one connection and over a pool', () => {
    let pool: ReturnType<typeof poolOf>
    before(async () => {
      pool = observeRedis(poolOf(server))
      assert.equal(observeRedis(pool), pool)
      await pool.connect()
    })
    after(async () => pool.close())

    itKeepsApart(
      'alone or by two',
      async (who) => {
        for (const round of ['a', 'b', 'c']) await client.get(`one:${who}:${round}`)
        await Promise.all(['a', 'b', 'c'].map((round) => pool.get(`pool:${who}:${round}`)))
      },
      (who) => ['one', 'pool'].flatMap((way) => ['a', 'b', 'c'].map((round) => `GET ${way}:${who}:${round}`)),
    )
  })
})

function connect(server: DatabaseServer) {
  return createClient({ socket: { path: server.socket, tls: false } })
}

function poolOf(server: DatabaseServer) {
  return createClientPool({ socket: { path: server.socket, tls: false } }, { minimum: 1, maximum: 2 })
}
