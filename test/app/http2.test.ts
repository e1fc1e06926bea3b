// An application behind a server of HTTP/2, which it does not speak: the client and the log are told.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Http2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { createApp, loadRuntimeContext, RouteCollection, text, type LogLine } from '../../src/index.ts'

it('answers HTTP/2 with 505 and says once in the log what to use', async () => {
  const { context } = loadRuntimeContext({ cwd: '/', env: { APP_ENV: 'prod', APP_STORE: 'memory:' } })
  const lines: LogLine[] = []
  const routes = new RouteCollection()
  routes.get('home', '/', () => text('home'))
  const app = await createApp({ routes, context, log: { write: (line) => lines.push(line) } })
  // Its types refuse the handler; JavaScript does not.
  const server: Http2Server = Reflect.apply(createServer, undefined, [app.handler])
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  try {
    for (let index = 0; index < 2; index += 1) {
      const stream = client.request({ ':path': '/' })
      const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
      assert.equal(headers[':status'], 505)
      stream.resume()
      await once(stream, 'close')
    }
    assert.deepEqual(
      lines.filter(({ level }) => level === 'error').map(({ message, context: { version } }) => [message, version]),
      [
        [
          'Requests of HTTP/{version} get a 505: app.handler serves HTTP/1.1. Use node:http or node:https, and let a proxy speak HTTP/2.',
          '2.0',
        ],
      ],
    )
  } finally {
    client.close()
    server.close()
    await app.close()
  }
})
