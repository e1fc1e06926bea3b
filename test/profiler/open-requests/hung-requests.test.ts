import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RouteCollection, text } from '../../../src/index.ts'
import { fillPlaceholders } from '../../../src/base/log/logger.ts'
import type { LineList } from '../../support/exchange.ts'
import { RawConnection } from '../../support/raw-connection.ts'
import { startApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'

const said = (log: LineList): readonly string[] =>
  log.lines
    .filter(({ level, channel }) => level === 'warn' && channel === 'kernel')
    .map((line) => fillPlaceholders({ message: line.message, context: line.context ?? {} }))

describe('HungRequests', () => {
  it('explains once where a request without a response is', async () => {
    const settle = Promise.withResolvers<void>()
    const routes = new RouteCollection().get('wait', '/wait', async ({ log }) => {
      log.info('asked the warehouse')
      await settle.promise
      return text('done')
    })
    await using running = await startApp({ routes, hungRequestMs: 60 })
    const client = await RawConnection.open(running.port)
    client.socket.write('GET /wait?password=hunter2 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await until(() => said(running.log).length > 0)
    const [line = ''] = said(running.log)
    assert.match(line, /^GET http:\/\/127\.0\.0\.1\S*\/wait\?password=\*+ has not responded for \d+\.\d s\. /)
    assert.match(line, /In handler "wait" for [\d.]+ m?s\. No tracked I\/O: busy, or awaiting an unresolved promise\.$/)
    assert.ok(!line.includes('hunter2'))
    settle.resolve()
    await until(() => client.received.includes('done'))
    assert.equal(said(running.log).length, 1)
    const { items } = (await running.profiles.find({})) as { items: readonly { token: string }[] }
    const profile = await running.profiles.read(items[0]?.token ?? '')
    assert.match(JSON.stringify(profile?.data['logger']), /has not responded/)
    client.socket.destroy()
  })

  it('says so when the client goes away first', async () => {
    const settle = Promise.withResolvers<void>()
    const routes = new RouteCollection().get('wait', '/wait', async () => {
      await settle.promise
      return text('done')
    })
    await using running = await startApp({ routes, hungRequestMs: 60 })
    const client = await RawConnection.open(running.port)
    client.socket.write('GET /wait HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await until(() => running.log.lines.some(({ message }) => message.startsWith('Matched')))
    client.socket.destroy()
    await until(() => said(running.log).some((line) => /^The client of GET .* went away .*handler "wait"/.test(line)))
    settle.resolve()
  })

  it('says nothing of an answer that is on its way, or when it is switched off', async () => {
    for (const hungRequestMs of [0, 10]) {
      const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('first')) })
      const routes = new RouteCollection().get('stream', '/stream', () => new Response(body))
      await using running = await startApp({ routes, hungRequestMs, drainMs: 0 })
      const client = await RawConnection.open(running.port)
      client.socket.write('GET /stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
      await until(() => client.received.includes('first'))
      // Several looks are taken meanwhile.
      const since = performance.now()
      await until(() => performance.now() - since > 60)
      assert.deepEqual(said(running.log), [])
      client.socket.destroy()
    }
  })
})
