// Keys of a real Redis that overlapping requests wrote over each other.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { startRedis, type DatabaseServer } from '../../../../support/database-servers.ts'
import { startTurns, type Step, type Turns } from '../../../../support/taking-turns.ts'

/** One command of a library. */
type Send = (...command: readonly string[]) => Promise<unknown>

describe('lost updates in a real Redis', () => {
  let server: DatabaseServer
  let turns: Turns
  const clients: Record<string, Send> = {}
  const ends: (() => unknown)[] = []
  before(async () => {
    server = await startRedis()
    turns = await startTurns()
    const ioredis = new Redis(server.socket)
    clients['ioredis'] = (name = '', ...args) => ioredis.call(name, ...args)
    const redis = createClient({ socket: { path: server.socket, tls: false } })
    await redis.connect()
    clients['redis'] = (...command) => redis.sendCommand(command)
    ends.push(
      () => ioredis.disconnect(),
      () => redis.destroy(),
    )
  })
  after(async () => {
    await turns.close()
    for (const end of ends) end()
    await server.stop()
  })

  for (const library of ['ioredis', 'redis'])
    it(`are found with ${library}`, async () => {
      const send =
        (...command: readonly string[]): Step =>
        () =>
          clients[library]?.(...command)
      const steps: Readonly<Record<string, Step>> = {
        read: send('GET', 'stock'),
        write: send('SET', 'stock', '9'),
        readHash: send('HGET', 'cart', 'lions'),
        writeHash: send('HSET', 'cart', 'lions', '9'),
        readNone: send('GET', 'none'),
        writeNone: send('SET', 'none', '9', 'EX', '60'),
        writeFor: send('SET', 'stock', '9', 'EX', '60'),
        lock: send('SET', 'stock', '9', 'NX'),
        other: send('SET', 'price', '9'),
        count: send('INCR', 'stock'),
        watch: send('WATCH', 'stock'),
        unwatch: send('UNWATCH'),
      }
      const found = async (order: string): Promise<readonly string[]> => {
        const ended = await turns.run(order.split(', '), steps)
        return Object.values(ended).flatMap((one) => one.found.map(({ text }) => text.split(',', 1)[0] ?? ''))
      }
      await found('a write')
      assert.deepEqual(await found('a read, b read, b write, a write'), ['It and GET /b wrote the key "stock"'])
      for (const order of [
        'a read, b other, a write',
        'a read, b count, a count',
        'a read, b write, a lock',
        'a read, b writeFor, a writeFor',
        'a readHash, b writeHash, a writeHash',
        'a watch, a read, b write, a unwatch, a write',
        'a readNone, b readNone, b writeNone, a writeNone',
        'a read, a write, b read, b write',
      ])
        assert.deepEqual(await found(order), [], order)
    })
})
