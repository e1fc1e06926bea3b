// Calls made with `fetch` and with `node:http`, against real services on loopback.

import assert from 'node:assert/strict'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import type { HttpClientData } from '../../../src/observe/outgoing/http-client-data.ts'
import type { Profile } from '../../../src/observe/profile.ts'
import { call as callWithNode, profileOf, startWorking } from '../../support/captured.ts'
import { startEchoService } from '../../support/echo-service.ts'
import { freePort } from '../../support/free-port.ts'
import { until } from '../../support/until.ts'
import { pick } from '../../support/pick.ts'

interface Call {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** How each makes a call and reads what comes; what it says of one that was given up and of one that broke off. */
const clients = [
  {
    client: 'fetch',
    send: async (url: string, call?: Call, body: string | null = null) => (await fetch(url, { ...call, body })).text(),
    place: /^test\/profiler\/capture\/http-clients\.test\.ts:\d+$/,
    givenUp: /AbortError/,
    brokenOff: /UND_ERR_SOCKET/,
  },
  {
    client: 'node:http',
    send: async (url: string, call?: Call, body?: string) => callWithNode(url, call, body),
    place: /^test\/support\/captured\.ts:\d+$/,
    givenUp: /ABORT_ERR/,
    brokenOff: /^Error: the response broke off$/,
  },
]

for (const { client, send, place, givenUp, brokenOff } of clients) {
  describe(`a call with ${client}`, () => {
    it('is kept with method, URL, status, times, sizes, headers and the call site', async () => {
      await using service = await startEchoService()
      const headers = { 'content-length': '4', accept: 'a/b' }
      await using app = await startWorking(() =>
        send(`${service.url}/echo?page=2`, { method: 'POST', headers }, 'four'),
      )
      const [call] = calls(await profileOf(app)).calls
      assert.ok(call)
      assert.deepEqual(
        [call.client, call.method, call.url, call.status, call.error, call.requestBytes, call.responseBytes],
        [client, 'POST', `${service.url}/echo?page=2`, 200, null, 4, 5],
      )
      assert.ok(call.requestHeaders.some(([name, value]) => name === 'accept' && value === 'a/b'))
      assert.match(call.callSite ?? '', place)
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
      assert.deepEqual([call?.status, call?.waitMs, typeof call?.durationMs], [null, null, 'number'])
    })

    it('is kept where it was given up', async () => {
      await using service = await startEchoService()
      await using app = await startWorking(async () => {
        const controller = new AbortController()
        const answer = send(`${service.url}/silent`, { signal: controller.signal })
        await until(() => service.requests.length === 1)
        controller.abort()
        await answer
      })
      const [call] = calls(await profileOf(app)).calls
      assert.match(call?.error ?? '', givenUp)
    })

    it('is kept with its status where the answer broke off', async () => {
      await using service = await startEchoService()
      await using app = await startWorking(() => send(`${service.url}/broken`))
      const [call] = calls(await profileOf(app)).calls
      assert.equal(call?.status, 200)
      assert.match(call?.error ?? '', brokenOff)
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
  })
}

describe('fetch', () => {
  it('masks secrets in the URL and in the headers of both directions', async () => {
    await using service = await startEchoService({ 'set-cookie': 'session=s3cr3t' })
    await using app = await startWorking(async () => {
      const headers = { authorization: 'Bearer s3cr3t', 'x-api-key': 's3cr3t', accept: 'text/plain' }
      await (await fetch(`${service.url}/echo?access_token=s3cr3t`, { headers })).text()
    })
    const profile = await profileOf(app)
    assert.equal(JSON.stringify(profile).includes('s3cr3t'), false)
    const [call] = calls(profile).calls
    assert.ok(call?.requestHeaders.some(([name, value]) => name === 'accept' && value === 'text/plain'))
    assert.ok(
      call?.requestHeaders.some(
        ([name, value]) => name === 'authorization' && value === 'Bearer ****** (fewer than 8 characters)',
      ),
    )
  })

  it('is a client span in the words of OpenTelemetry', async () => {
    await using service = await startEchoService()
    await using app = await startWorking(async () => (await fetch(`${service.url}/status/404`)).text())
    const span = spans(await profileOf(app)).find(({ category }) => category === 'http')
    assert.deepEqual(
      [span?.kind, span?.status, span?.attributes],
      [
        'client',
        'error',
        {
          'http.request.method': 'GET',
          'url.full': `${service.url}/status/404`,
          'server.address': '127.0.0.1',
          'server.port': service.port,
          'http.response.status_code': 404,
        },
      ],
    )
  })

  it('keeps the calls of requests that run side by side apart, on one connection too', async () => {
    await using service = await startEchoService()
    await using app = await startWorking(async ({ request }) => {
      const who = request.header('x-who') ?? ''
      for (let round = 0; round < 5; round += 1) await (await fetch(`${service.url}/echo?who=${who}`)).text()
    })
    const profiles = await Promise.all(['one', 'two', 'three'].map((who) => profileOf(app, { 'x-who': who })))
    const urls = profiles.map((profile) => [...new Set(calls(profile).calls.map(({ url }) => new URL(url).search))])
    assert.deepEqual(urls, [['?who=one'], ['?who=two'], ['?who=three']])
    assert.deepEqual(
      profiles.map((profile) => calls(profile).calls.length),
      [5, 5, 5],
    )
  })

  it('hands the trace of the request on, a new span for each call', async () => {
    await using service = await startEchoService()
    await using app = await startWorking(async () => {
      await (await fetch(`${service.url}/echo`)).text()
      await (await fetch(`${service.url}/echo`)).text()
    })
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const sent = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: 'vendor=1' }
    const data = calls(await profileOf(app, sent))
    assert.deepEqual([data.traceId, data.parentSpanId], [traceId, '00f067aa0ba902b7'])
    const got = service.requests.map(({ headers }) => headers)
    assert.deepEqual(pick(got, 'tracestate'), ['vendor=1', 'vendor=1'])
    const parents = got.map(({ traceparent }) => String(traceparent))
    for (const parent of parents) assert.match(parent, new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
    assert.equal(new Set([...parents, sent.traceparent]).size, 3)
    assert.deepEqual(
      pick(data.calls, 'spanId'),
      parents.map((parent) => parent.split('-')[2]),
    )
  })

  it('links the profile of the called service', async () => {
    await using service = await startEchoService()
    await using app = await startWorking(async () => (await fetch(`${service.url}/profiled`)).text())
    const [call] = calls(await profileOf(app)).calls
    assert.deepEqual(call?.profile, { token: 'abc123def4', link: `${service.url}/_profiler/abc123def4` })
  })

  it('keeps 200 calls and counts the others', async () => {
    await using service = await startEchoService()
    await using app = await startWorking(async () => {
      await Promise.all(Array.from({ length: 210 }, async () => (await fetch(`${service.url}/echo`)).text()))
    })
    const data = calls(await profileOf(app))
    assert.deepEqual([data.calls.length, data.dropped], [200, 10])
  })
})

describe('node:http', () => {
  it('leaves a request alone whose headers were given as a list', async () => {
    await using service = await startEchoService()
    await using app = await startWorking(() =>
      callWithNode(`${service.url}/echo`, { headers: ['Host', 'shop.example:81', 'X-Own', '1'] as never }),
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

interface SpanView {
  readonly category: string
  readonly kind: string
  readonly status: string
  readonly attributes: unknown
}

function spans(profile: Profile): readonly SpanView[] {
  return (profile.data['time'] as { spans: readonly SpanView[] }).spans
}
