// Calls made with `fetch`, against real services on loopback.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { HttpClientData } from '../../../src/profiler/capture/http-client-data.ts'
import type { Profile } from '../../../src/profiler/profile.ts'
import { profileOf, startWorking } from '../../support/captured.ts'
import { startEchoService } from '../../support/echo-service.ts'
import { freePort } from '../../support/free-port.ts'
import { until } from '../../support/until.ts'
import { pick } from '../../support/pick.ts'

describe('FetchClient', () => {
  it('keeps method, URL, status, times, sizes and the call site of a call', async () => {
    await using service = await startEchoService()
    await using app = await startWorking(async () => {
      const answer = await fetch(`${service.url}/echo?page=2`, { method: 'POST', body: 'four' })
      await answer.text()
    })
    const [call] = calls(await profileOf(app)).calls
    assert.ok(call)
    assert.deepEqual(
      [call.client, call.method, call.url, call.status, call.error, call.requestBytes, call.responseBytes],
      ['fetch', 'POST', `${service.url}/echo?page=2`, 200, null, 4, 5],
    )
    assert.match(call.callSite ?? '', /^test\/profiler\/capture\/fetch-client\.test\.ts:\d+$/)
    const times = [0, call.waitMs ?? -1, call.firstByteMs ?? -1, call.durationMs ?? -1]
    assert.deepEqual(
      times,
      times.toSorted((one, other) => one - other),
    )
  })

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

  it('says why there was no answer', async () => {
    const port = await freePort()
    await using app = await startWorking(() => fetch(`http://127.0.0.1:${port}/`))
    const [call] = calls(await profileOf(app)).calls
    assert.match(call?.error ?? '', /ECONNREFUSED/)
    assert.deepEqual([call?.status, typeof call?.durationMs], [null, 'number'])
  })

  it('keeps a call that was given up', async () => {
    await using service = await startEchoService()
    await using app = await startWorking(async () => {
      const controller = new AbortController()
      const answer = fetch(`${service.url}/silent`, { signal: controller.signal })
      await until(() => service.requests.length === 1)
      controller.abort()
      await answer
    })
    const [call] = calls(await profileOf(app)).calls
    assert.match(call?.error ?? '', /AbortError/)
  })

  it('keeps a call whose answer broke off, with its status', async () => {
    await using service = await startEchoService()
    await using app = await startWorking(async () => (await fetch(`${service.url}/broken`)).text())
    const [call] = calls(await profileOf(app)).calls
    assert.equal(call?.status, 200)
    assert.match(call?.error ?? '', /UND_ERR_SOCKET/)
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

  it('leaves a traceparent of the caller as it is', async () => {
    await using service = await startEchoService()
    const traceparent = '00-11111111111111111111111111111111-2222222222222222-00'
    await using app = await startWorking(async () =>
      (await fetch(`${service.url}/echo`, { headers: { traceparent } })).text(),
    )
    const [call] = calls(await profileOf(app)).calls
    assert.equal(service.requests[0]?.headers['traceparent'], traceparent)
    assert.equal(call?.spanId, '2222222222222222')
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
