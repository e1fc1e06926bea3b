// What becomes of calls to other services in the cases that clients meet: the same for `fetch` and for `node:http(s)`.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createSecureServer, request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { after, describe, it } from 'node:test'
import { setDefaultCACertificates } from 'node:tls'
import type { OutgoingRequest, HttpClientData } from '../../../src/observe/outgoing/http-client-data.ts'
import { RouteCollection, json } from '../../../src/index.ts'
import type { Profile } from '../../../src/observe/profile.ts'
import { call as send, profileOf, startWorking, type Work } from '../../support/captured.ts'
import { startEchoService } from '../../support/echo-service.ts'
import { ownCertificate } from '../../support/own-certificate.ts'
import { startApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'
import { noBodiesOfFetch } from '../../support/node-features.ts'
import { pick } from '../../support/pick.ts'

describe('outgoing calls', () => {
  it('over TLS are kept with a certificate that is trusted, and say why where it is not', async () => {
    const server = createSecureServer(ownCertificate, (_request, response) => response.end('hello'))
    const url = `https://127.0.0.1:${await portOf(server)}/`
    const untrusted = await callsOf(async () => {
      await fetch(url).catch(() => undefined)
      await sendSecurely(url).catch(() => undefined)
    })
    assert.deepEqual(
      untrusted.map(({ client, status, error }) => [client, status, error?.split(':')[0]]),
      [
        ['fetch', null, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
        ['node:http', null, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
      ],
    )
    setDefaultCACertificates([ownCertificate.cert])
    const trusted = await callsOf(async () => {
      await (await fetch(url)).text()
      await sendSecurely(url)
    })
    server.closeAllConnections()
    server.close()
    assert.deepEqual(
      trusted.map((call) => [call.client, call.url, call.status, inOrder(call)]),
      [
        ['fetch', url, 200, true],
        ['node:http', url, 200, true],
      ],
    )
  })

  it('over a connection that is kept open each have times of their own', async () => {
    await using service = await startEchoService()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const calls = await callsOf(async () => {
      await Promise.all([1, 2, 3].map((turn) => send(`${service.url}/echo?turn=${turn}`, { agent })))
      for (const turn of [4, 5, 6]) await (await fetch(`${service.url}/echo?turn=${turn}`)).text()
    })
    agent.destroy()
    assert.deepEqual(
      calls.map((call) => [call.status, call.responseBytes, inOrder(call)]),
      Array.from({ length: 6 }, () => [200, 5, true]),
    )
    assert.ok(new Set(service.requests.map(({ socket }) => socket)).size < 6)
    // The second waited for the connection until the first was answered.
    const [first, second] = calls.map(({ startMs, waitMs, firstByteMs }) => ({
      answeredMs: startMs + Number(firstByteMs),
      sentMs: startMs + Number(waitMs),
    }))
    assert.ok(Number(second?.sentMs) >= Number(first?.answeredMs) - 0.1)
  })

  it('that are redirected show each hop, with the address of its own', async () => {
    const url = await serving((request, response) => {
      if (request.url === '/old') response.writeHead(302, { location: '/new?token=s3cret' }).end()
      else response.end('hello')
    })
    const calls = await callsOf(async () => {
      await (await fetch(`${url}/old`)).text()
    })
    assert.deepEqual(
      calls.map(({ status, url: own }) => [status, own]),
      [
        [302, `${url}/old`],
        [200, `${url}/new?token=******`],
      ],
    )
  })

  it('to a name that nobody knows say so', async () => {
    // Longer than a part of a name may be: the resolver knows without asking a network that may be slow, or not there.
    const url = `http://${'nobody'.repeat(11)}.invalid/`
    const calls = await callsOf(async () => {
      await fetch(url).catch(() => undefined)
      await send(url).catch(() => undefined)
    })
    assert.deepEqual(
      calls.map(({ status, waitMs, firstByteMs, durationMs }) => [status, waitMs, firstByteMs, durationMs !== null]),
      [
        [null, null, null, true],
        [null, null, null, true],
      ],
    )
    for (const { error } of calls) assert.match(error ?? '', /ENOTFOUND|EAI_AGAIN/)
  })

  it(
    'with streamed bodies have the size of the answer, and of the body sent where it was told',
    { skip: noBodiesOfFetch },
    async () => {
      let received = ''
      const url = await serving((request, response) => {
        request.setEncoding('utf8').on('data', (piece: string) => (received += piece))
        request.on('end', () => Readable.from(['one', 'two', 'three']).pipe(response))
      })
      const calls = await callsOf(async () => {
        const body = ReadableStream.from([Buffer.from('four'), Buffer.from('five')])
        const answer = await fetch(url, { method: 'POST', body, duplex: 'half' })
        let text = ''
        for await (const piece of answer.body ?? []) text += Buffer.from(piece as Uint8Array).toString()
        assert.equal(text, 'onetwothree')
        const request = httpRequest(url, { method: 'POST' })
        Readable.from(['six', 'seven']).pipe(request)
        const [response] = (await once(request, 'response')) as [IncomingMessage]
        await response.toArray()
      })
      assert.equal(received, 'fourfivesixseven')
      assert.deepEqual(
        calls.map((call) => [call.client, call.status, call.requestBytes, call.responseBytes, inOrder(call)]),
        [
          ['fetch', 200, null, 11, true],
          ['node:http', 200, null, 11, true],
        ],
      )
    },
  )

  it('whose answer nobody reads are there without an end', async () => {
    await using service = await startEchoService()
    const calls = await callsOf(async () => {
      const request = httpRequest(`${service.url}/echo`).end()
      await once(request, 'response')
    })
    assert.deepEqual(pick(calls, 'status', 'durationMs', 'error'), [[200, null, null]])
  })

  it('between two applications link the profile of the called one and share a trace', async () => {
    const routes = new RouteCollection()
    routes.get('price', '/price', () => json({ price: 3 }))
    await using shop = await startApp({ routes })
    await using office = await startWorking(async () => {
      await (await fetch(`${shop.url}/price`)).text()
      await send(`${shop.url}/price`)
    })
    const profile = await profileOf(office)
    const data = dataOf(profile)
    const tokens = data.calls.map((call) => call.profile?.token ?? '')
    assert.deepEqual(
      data.calls.map((call) => call.profile?.link),
      tokens.map((token) => `${shop.url}/_profiler/${token}`),
    )
    for (const token of tokens) {
      let called: Profile | undefined
      await until(async () => (called = await shop.profiles.read(token)) !== undefined)
      assert.deepEqual([called?.method, called?.route, called?.status], ['GET', 'price', 200])
      const page = await shop.send({ target: `/_profiler/${token}` })
      assert.equal(page.status, 200)
      const { headers } = (called?.data['request'] ?? { headers: [] }) as { headers: [string, string][] }
      const sent = new Map(headers)
      assert.match(String(sent.get('traceparent')), new RegExp(`^00-${data.traceId}-[0-9a-f]{16}-`))
    }
  })
})

async function callsOf(work: Work): Promise<readonly OutgoingRequest[]> {
  await using app = await startWorking(work)
  return dataOf(await profileOf(app)).calls
}

function dataOf(profile: Profile): HttpClientData {
  // Only the collector keeps something under the name.
  return profile.data['http-client'] as HttpClientData
}

/** Written before answered, answered before complete. */
function inOrder({ waitMs, firstByteMs, durationMs }: OutgoingRequest): boolean {
  if (waitMs === null || firstByteMs === null || durationMs === null) return false
  return waitMs >= 0 && waitMs <= firstByteMs && firstByteMs <= durationMs
}

async function portOf(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Address of a service that lives as long as the test. */
async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${await portOf(server)}`
}

function sendSecurely(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(url, { agent: false }, (response) => response.resume().on('end', resolve))
    request.on('error', reject).end()
  })
}
