// The package `ioredis` against a real Redis.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Redis } from 'ioredis'
import { observeRedis } from '../../../../../src/capture.ts'
import { startWorking } from '../../../../support/captured.ts'
import {
  capture,
  captureSideBySide,
  codeAt,
  expectCaptured,
  itKeepsApart,
  itTellsRepeats,
} from '../../../../support/captured-queries.ts'
import { startRedis, type DatabaseServer } from '../../../../support/database-servers.ts'

describe('ioredisSource, with the package ioredis and a real Redis', () => {
  let server: DatabaseServer
  let client: Redis

  before(async () => {
    server = await startRedis()
    client = new Redis({ path: server.socket })
    await client.set('user:1', 'Ann')
    await client.rpush('list', 'a', 'b', 'c')
  })
  after(async () => {
    client.disconnect()
    await server.stop()
  })

  it('keeps command and key, no value; how long it took, how much came back, where it was called', async () => {
    const work = async (): Promise<void> => {
      assert.equal(await client.get('user:1'), 'Ann')
      await client.get('user:none')
      await client.set('token', 's3cret', 'EX', 60)
      await client.lrange('list', 0, -1)
      await client.hset('hash', { name: 's3cret' })
      await client.getset('user:1', 's3cret')
      await client.eval('return ARGV[1]', 1, 'key', 's3cret')
    }
    await expectCaptured(work, { system: 'redis', library: 'ioredis', namespace: 'db 0' }, [
      ['GET user:1', null, /await client\.get\('user:1'\)/],
      ['GET user:none', 0],
      ['SET token ?', null],
      ['LRANGE list ?', 3, /await client\.lrange/],
      ['HSET hash ?', null],
      ['GETSET user:1 ?', null],
      ['EVAL ?', null],
    ])
  })

  it('keeps why a command failed', async () => {
    const { captured } = await capture(() => client.incr('list'))
    assert.match(captured[0]?.error ?? '', /WRONGTYPE/)
    assert.equal(typeof captured[0]?.durationMs, 'number')
  })

  it('shows the commands of a pipeline and of a transaction one by one', async () => {
    const { captured } = await capture(async () => {
      await client.pipeline().set('a', '1').get('a').incr('list').exec()
      await client.multi().set('b', '2').get('b').exec()
    })
    assert.deepEqual(
      captured.map(({ text, error }) => [text, error === null]),
      [
        ['SET a ?', true],
        ['GET a', true],
        ['INCR list', false],
        ['MULTI', true],
        ['SET b ?', true],
        ['GET b', true],
        ['EXEC', true],
      ],
    )
    assert.match(codeAt(captured[0]?.callSite ?? null), /client\.pipeline\(\)/)
  })

  itTellsRepeats((id) => client.get(`user:${id}`))

  describe('over one connection', () => {
    let pipelining: Redis
    before(async () => {
      pipelining = observeRedis(new Redis({ path: server.socket, enableAutoPipelining: true }))
      await pipelining.ping()
    })
    after(() => pipelining.disconnect())

    itKeepsApart(
      'pipelined by itself or not',
      async (who) => {
        for (const round of ['a', 'b', 'c']) await client.get(`one:${who}:${round}`)
        await Promise.all(['a', 'b', 'c'].map((round) => pipelining.get(`auto:${who}:${round}`)))
      },
      (who) => ['auto', 'one'].flatMap((way) => ['a', 'b', 'c'].map((round) => `GET ${way}:${who}:${round}`)),
    )
  })

  it('gives each of several requests its own commands while they wait for the connection', async () => {
    const lazy = observeRedis(new Redis({ path: server.socket, lazyConnect: true }))
    assert.equal(observeRedis(lazy), lazy)
    await using app = await startWorking(async ({ request }) => {
      await lazy.get(`lazy:${request.header('x-who')}`)
    })
    const names = ['ann', 'bob', 'cid']
    const texts = await captureSideBySide(app, names)
    lazy.disconnect()
    // What the library says when it connects belongs to the request that made it connect.
    assert.deepEqual(
      texts.map((own) => own.filter((text) => text.startsWith('GET'))),
      names.map((who) => [`GET lazy:${who}`]),
    )
  })
})
