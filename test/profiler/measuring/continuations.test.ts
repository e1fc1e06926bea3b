import assert from 'node:assert/strict'
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { followContinuations } from '../../../src/measuring/measuring.ts'
import { LoopWatch } from '../../../src/measuring/loop-watch.ts'
import type { RequestMeter } from '../../../src/measuring/request-meter.ts'
import { noLateContext } from '../../support/node-features.ts'

const storage = new AsyncLocalStorage<RequestMeter>()

interface Followed {
  readonly watch: LoopWatch
  /** Runs work as a part of a request, as an application does. */
  asRequest(token: string, work: () => Promise<void>): Promise<void>
}

async function followed(test: (parts: Followed) => Promise<void>): Promise<void> {
  const watch = new LoopWatch({
    now: () => performance.now(),
    idle: () => performance.nodeTiming.idleTime,
    onTurn: () => undefined,
  })
  const stop = followContinuations(watch, () => storage.getStore())
  try {
    await test({
      watch,
      asRequest: async (token, work) => {
        const meter = watch.begin({ token, method: 'GET', path: '/' }, { arrivedMs: performance.now() })
        await storage.run(meter, work)
      },
    })
  } finally {
    stop()
  }
}

describe('followContinuations', () => {
  it('knows for whom code runs after an answer through a connection that others share', async () => {
    await using server = createServer((socket) => socket.on('data', (data) => socket.write(data))).listen(
      0,
      '127.0.0.1',
    )
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    await once(socket, 'connect')
    const waiting: (() => void)[] = []
    socket.on('data', (data: Buffer) => {
      for (let answers = data.length; answers > 0; answers -= 1) waiting.shift()?.()
    })
    const ask = async (): Promise<void> =>
      new Promise((resolve) => {
        waiting.push(resolve)
        socket.write('?')
      })
    await followed(async ({ watch, asRequest }) => {
      const seen: (string | undefined)[] = []
      const serve = async (): Promise<void> => {
        await ask()
        seen.push(watch.current?.request.token, storage.getStore()?.request.token)
      }
      await Promise.all([asRequest('one', serve), asRequest('two', serve)])
      assert.deepEqual(seen, ['one', 'one', 'two', 'two'])
    })
    socket.destroy()
  })

  it('follows timers, ticks, immediates and microtasks', async () => {
    await followed(async ({ watch, asRequest }) => {
      const seen: (string | undefined)[] = []
      const note = (): unknown => seen.push(watch.current?.request.token)
      await asRequest('one', async () => {
        await new Promise<void>((resolve) => setTimeout(() => resolve(void note()), 1))
        await new Promise<void>((resolve) => process.nextTick(() => resolve(void note())))
        await new Promise<void>((resolve) => setImmediate(() => resolve(void note())))
        await new Promise<void>((resolve) => queueMicrotask(() => resolve(void note())))
      })
      note()
      assert.deepEqual(seen, ['one', 'one', 'one', 'one', undefined])
    })
  })

  it('counts a callback of another request with the one that calls it', { skip: noLateContext }, async () => {
    await followed(async ({ watch, asRequest }) => {
      let inner: AsyncResource | undefined
      await asRequest('inner', async () => {
        inner = new AsyncResource('pool')
      })
      const seen: (string | undefined)[] = []
      await asRequest('outer', async () => {
        await new Promise<void>((resolve) => {
          setImmediate(() => {
            inner?.runInAsyncScope(() => seen.push(watch.current?.request.token))
            seen.push(watch.current?.request.token)
            resolve()
          })
        })
      })
      assert.deepEqual(seen, ['outer', 'outer'])
    })
  })
})
