import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { RouteCollection, stream, text } from '../../../src/index.ts'
import { startApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'
import { pick } from '../../support/pick.ts'

describe('exchange.signal', () => {
  it('aborts when the client goes away while the handler works', async () => {
    let signal: AbortSignal | undefined
    const routes = new RouteCollection().get('wait', '/wait', async (exchange) => {
      signal = exchange.signal
      await once(signal, 'abort')
      return text('nobody reads this')
    })
    await using running = await startApp({ routes, env: { APP_ENV: 'prod' } })
    const socket = connect(running.port, '127.0.0.1')
    socket.write('GET /wait HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await until(() => signal !== undefined)
    assert.equal(signal?.aborted, false)
    socket.destroy()
    await until(() => signal?.aborted === true)
    assert.match(String(signal?.reason), /The client went away/)
  })

  it('does not abort when the response has left', async () => {
    const signals: AbortSignal[] = []
    const routes = new RouteCollection().get('quick', '/quick', (exchange) => {
      signals.push(exchange.signal)
      return text('ok')
    })
    await using running = await startApp({ routes, env: { APP_ENV: 'prod' } })
    for (let round = 0; round < 20; round += 1) assert.equal((await running.send({ target: '/quick' })).status, 200)
    assert.deepEqual(
      pick(signals, 'aborted'),
      Array.from({ length: 20 }, () => false),
    )
  })

  it('aborts when the application closes, so that an endless stream does not hold the end up', async () => {
    let hasEnded = false
    const routes = new RouteCollection().get('events', '/events', ({ signal }) =>
      stream(
        new ReadableStream<Uint8Array>({
          start: (controller) => {
            controller.enqueue(Buffer.from('data: first\n\n'))
            signal.addEventListener('abort', () => {
              hasEnded = true
              controller.close()
            })
          },
        }),
      ),
    )
    const running = await startApp({ routes, env: { APP_ENV: 'prod' }, drainMs: 60_000 })
    const socket = connect(running.port, '127.0.0.1')
    socket.write('GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await once(socket, 'data')
    await running.app.close()
    assert.equal(hasEnded, true)
    socket.destroy()
  })
})
