// Bodies sent to other services and their responses in profiles.

import assert from 'node:assert/strict'
import { createServer, get, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { json, RouteCollection } from '../../../src/index.ts'
import { profiler } from '../../../src/profiler.ts'
import type { CapturedBody } from '../../../src/http/recording/captured-body.ts'
import type { HttpClientData } from '../../../src/observe/outgoing/http-client-data.ts'
import { startApp } from '../../support/running-app.ts'

it('keeps bodies of fetch and node:http, decoded and masked, and shows them', async (test) => {
  const service = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    const lamps = Array.from({ length: 50 }, () => 'A lamp of brass '.repeat(40))
    response.end(gzipSync(JSON.stringify({ price: 12, password: 'geheim', lamps })))
  })
  await new Promise<void>((resolve) => void service.listen(0, '127.0.0.1', resolve))
  test.after(() => service.close())
  const origin = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const routes = new RouteCollection()
  routes.get('price', '/price', async () => {
    await (await fetch(`${origin}/fetched`)).json()
    await new Promise((resolve) => get(`${origin}/got`, (response) => response.resume().on('end', resolve)))
    return json({})
  })
  await using app = await startApp({ routes, captureResponses: true })
  const response = await fetch(`${app.url}/price`)
  await response.arrayBuffer()
  const token = response.headers.get('x-debug-token') ?? ''
  const page = await app.send({ target: `/_profiler/${token}?panel=http-client&from=3` })
  assert.match(page.body, /Response body/)
  assert.match(page.body, /price&quot;:12|price":12/)
  assert.ok(!page.body.includes('geheim'))
  assert.ok(Buffer.byteLength(page.body) <= 60_000, `${page.body.length} characters`)
})

const sends: readonly (readonly [what: string, ask: (url: string) => Promise<unknown>])[] = [
  [
    'JSON by fetch',
    async (url) => fetch(url, jsonOf('{"lamp":"oak","password":"geheim"}')).then(async (one) => one.text()),
  ],
  [
    'a form by fetch',
    async (url) =>
      fetch(url, { method: 'POST', body: new URLSearchParams({ lamp: 'oak', password: 'geheim' }) }).then(async (one) =>
        one.text(),
      ),
  ],
  [
    'JSON in pieces by node:http',
    async (url) =>
      new Promise((resolve, reject) => {
        const sent = request(url, jsonOf(''), (response) => response.resume().on('end', resolve))
        sent.on('error', reject)
        sent.write('{"lamp":"oak",')
        sent.end(Buffer.from('"password":"geheim"}'))
      }),
  ],
]

function jsonOf(body: string): {
  readonly method: string
  readonly body: string
  readonly headers: { 'content-type': string }
} {
  return { method: 'POST', body, headers: { 'content-type': 'application/json' } }
}

for (const [what, ask] of sends) {
  it(`keeps what was sent to another service where the route says so, masked: ${what}`, async (test) => {
    const service = createServer((asked, response) => void asked.resume().on('end', () => response.end('taken')))
    await new Promise<void>((resolve) => void service.listen(0, '127.0.0.1', resolve))
    test.after(() => service.close())
    const origin = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
    const routes = new RouteCollection()
    const handler = async (): Promise<ReturnType<typeof json>> => {
      await ask(`${origin}/lamps`)
      return json({})
    }
    routes.get('kept', '/kept', handler, { captureBody: true })
    routes.get('bare', '/bare', handler)
    routes.get('none', '/none', handler, { captureBody: false })
    await using app = await startApp({ routes })
    const callsOf = async (target: string): Promise<HttpClientData['calls']> => {
      const token = (await app.send({ target })).header('x-debug-token') ?? ''
      const profile = (await app.profiles.read(token)) ?? assert.fail()
      return (profile.data['http-client'] as HttpClientData).calls
    }
    const [call] = await callsOf('/kept')
    assert.match(call?.requestBody?.text ?? '', /lamp(?:":"|=)oak/)
    assert.match(call?.requestBody?.text ?? '', /password(?:":"|=)\*{6}/)
    assert.deepEqual([call?.requestBody?.isWhole, call?.responseBody?.text], [true, 'taken'])
    const { body } = await app.send({ target: '/_profiler/?search=oak' })
    assert.match(body, /<mark>oak<\/mark>/)
    const [bare] = await callsOf('/bare')
    assert.deepEqual([bare?.requestBody, bare?.responseBody], [call?.requestBody, undefined])
    const [none] = await callsOf('/none')
    assert.deepEqual([none?.requestBody, none?.responseBody], [undefined, undefined])
  })
}

const debugInProd = { APP_ENV: 'prod', APP_DEBUG: '1', APP_ALLOW_DEBUG_IN_PRODUCTION: hostname() }

for (const [what, options, states, out] of [
  ['by default in development', {}, ['kept', 'kept'], true],
  ['by default in prod', { env: debugInProd }, ['not-asked', undefined], false],
  ['with captureBodies: false', { captureBodies: false }, ['not-asked', undefined], false],
  ['with captureBodies: true', { captureBodies: true }, ['kept', 'kept'], true],
  ['with captureResponses: false', { captureResponses: false }, ['kept', 'kept'], false],
] as const) {
  it(`keeps JSON of requests, responses and outgoing requests ${what}`, async (test) => {
    const service = createServer((asked, response) => void asked.resume().on('end', () => response.end()))
    await new Promise<void>((resolve) => void service.listen(0, '127.0.0.1', resolve))
    test.after(() => service.close())
    const { port } = service.address() as AddressInfo
    const routes = new RouteCollection()
    routes.post('lamp', '/lamp', async ({ request }) => {
      await fetch(`http://127.0.0.1:${port}`, jsonOf('{"lamp":"oak"}')).then(async (one) => one.text())
      return json(await request.body.json())
    })
    await using app = await startApp({ routes, ...options })
    const { method, headers, body } = jsonOf('{"password":"geheim"}')
    const sent = await fetch(`${app.url}/lamp`, { method, headers, body })
    await sent.arrayBuffer()
    const { data } = (await app.profiles.read(sent.headers.get('x-debug-token') ?? '')) ?? assert.fail()
    const kept = data['request'] as Readonly<Record<string, CapturedBody | undefined>>
    assert.deepEqual([kept['body']?.state, kept['responseBody']?.state], states)
    assert.equal((data['http-client'] as HttpClientData).calls[0]?.requestBody !== undefined, out)
    assert.doesNotMatch(JSON.stringify(data), /geheim/)
  })
}

it('keeps 128 KB of outgoing bodies that nobody asked for, and says what was left out', async (test) => {
  const service = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.from({ length: 80 }, () => 'b'.repeat(500))))
  })
  await new Promise<void>((resolve) => void service.listen(0, '127.0.0.1', resolve))
  test.after(() => service.close())
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const statesOf = async (captureBody: boolean | undefined): Promise<readonly unknown[]> => {
    const routes = new RouteCollection()
    const handler = async (): Promise<ReturnType<typeof json>> => {
      for (let index = 0; index < 4; index += 1) await fetch(url).then(async (one) => one.text())
      return json({})
    }
    routes.get('lamps', '/lamps', handler, captureBody === undefined ? {} : { captureBody })
    await using app = await startApp({ routes })
    const token = (await app.send({ target: '/lamps' })).header('x-debug-token') ?? ''
    const { data } = (await app.profiles.read(token)) ?? assert.fail()
    const page = await app.send({ target: `/_profiler/${token}?panel=http-client&from=3` })
    assert.equal(page.body.includes('Response body was left out'), captureBody === undefined)
    return (data['http-client'] as HttpClientData).calls.map(({ responseBody }) => responseBody?.state)
  }
  assert.deepEqual(await statesOf(undefined), ['kept', 'kept', 'kept', 'left-out'])
  assert.deepEqual(await statesOf(true), ['kept', 'kept', 'kept', 'kept'])
})

it('checks the options', () => {
  assert.throws(() => profiler({ captureResponses: 'yes' as never }), /captureResponses/)
  assert.throws(() => profiler({ captureBodies: 'yes' as never }), /captureBodies/)
})
