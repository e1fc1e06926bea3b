// Calls made with `node:http`, against real services on loopback.

import assert from 'node:assert/strict'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import type { HttpClientData } from '../../../src/profiler/capture/http-client-data.ts'
import type { Profile } from '../../../src/profiler/profile.ts'
import { call as send, profileOf, startWorking } from '../../support/captured.ts'
import { startEchoService } from '../../support/echo-service.ts'
import { freePort } from '../../support/free-port.ts'
import { until } from '../../support/until.ts'
import { pick } from '../../support/pick.ts'

describe('NodeHttpClient', () => {
  it('keeps method, URL, status, times, sizes, headers and the call site of a call', async () => {
    await using service = await startEchoService()
    await using app = await startWorking(() =>
      send(`${service.url}/echo?page=2`, { method: 'POST', headers: { 'Content-Length': 4, Accept: 'a/b' } }, 'four'),
    )
    const [call] = calls(await profileOf(app)).calls
    assert.ok(call)
    assert.deepEqual(
      [call.client, call.method, call.url, call.status, call.error, call.requestBytes, call.responseBytes],
      ['node:http', 'POST', `${service.url}/echo?page=2`, 200, null, 4, 5],
    )
    assert.ok(call.requestHeaders.some(([name, value]) => name === 'Accept' && value === 'a/b'))
    assert.match(call.callSite ?? '', /^test\/support\/captured\.ts:\d+$/)
    const times = [0, call.waitMs ?? -1, call.firstByteMs ?? -1, call.durationMs ?? -1]
    assert.deepEqual(
      times,
      times.toSorted((one, other) => one - other),
    )
  })

  it('says why there was no answer', async () => {
    const port = await freePort()
    await using app = await startWorking(() => send(`http://127.0.0.1:${port}/`))
    const [call] = calls(await profileOf(app)).calls
    assert.match(call?.error ?? '', /ECONNREFUSED/)
    assert.equal(call?.waitMs, null)
  })

  it('keeps a call that was given up', async () => {
    await using service = await startEchoService()
    await using app = await startWorking(async () => {
      const controller = new AbortController()
      const answer = send(`${service.url}/silent`, { signal: controller.signal })
      await until(() => service.requests.length === 1)
      controller.abort()
      await answer
    })
    const [call] = calls(await profileOf(app)).calls
    assert.match(call?.error ?? '', /ABORT_ERR/)
  })

  it('keeps a call whose answer broke off, with its status', async () => {
    await using service = await startEchoService()
    await using app = await startWorking(() => send(`${service.url}/broken`))
    const [call] = calls(await profileOf(app)).calls
    assert.deepEqual([call?.status, call?.error], [200, 'Error: the response broke off'])
  })

  it('hands the trace of the request on where the caller set none', async () => {
    await using service = await startEchoService()
    const own = '00-11111111111111111111111111111111-2222222222222222-00'
    await using app = await startWorking(async () => {
      await send(`${service.url}/echo`)
      await send(`${service.url}/echo`, { headers: { traceparent: own } })
    })
    const data = calls(await profileOf(app))
    const [handed, kept] = service.requests.map(({ headers }) => headers['traceparent'])
    assert.match(String(handed), new RegExp(`^00-${data.traceId}-[0-9a-f]{16}-01$`))
    assert.equal(kept, own)
    assert.deepEqual(pick(data.calls, 'spanId'), [String(handed).split('-')[2], '2222222222222222'])
  })

  it('leaves a request alone whose headers were given as a list', async () => {
    await using service = await startEchoService()
    await using app = await startWorking(() =>
      send(`${service.url}/echo`, { headers: ['Host', 'shop.example:81', 'X-Own', '1'] as never }),
    )
    const [call] = calls(await profileOf(app)).calls
    // Such headers cannot be read back, the host named there neither: the address is that of the connection.
    assert.deepEqual([call?.status, call?.url, call?.spanId], [200, `${service.url}/echo`, null])
    assert.equal(service.requests[0]?.headers['traceparent'], undefined)
  })

  it('keeps a call whose connection went over to another protocol', async () => {
    const server = createServer().on('upgrade', (_request, socket) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: own\r\n\r\n')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await using app = await startWorking(
      () =>
        new Promise<void>((resolve) => {
          const request = get({ port, host: '127.0.0.1', headers: { Connection: 'Upgrade', Upgrade: 'own' } })
          request.on('upgrade', (_response, socket) => socket.destroy())
          request.on('close', resolve)
        }),
    )
    const [call] = calls(await profileOf(app)).calls
    server.close()
    assert.deepEqual([call?.status, call?.error, typeof call?.durationMs], [101, null, 'number'])
  })

  it('tells a call that has not ended yet', async () => {
    await using service = await startEchoService()
    await using app = await startWorking(() => {
      get(`${service.url}/silent`).on('error', () => undefined)
    })
    const [call] = calls(await profileOf(app)).calls
    assert.deepEqual([call?.status, call?.durationMs, call?.error], [null, null, null])
  })
})

function calls(profile: Profile): HttpClientData {
  return profile.data['http-client'] as HttpClientData
}
