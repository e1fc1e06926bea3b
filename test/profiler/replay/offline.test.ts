// An error that came from another service happens again without it.

import assert from 'node:assert/strict'
import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { html, json, RouteCollection } from '../../../src/index.ts'
import { profiler } from '../../../src/profiler.ts'
import { askReplay } from '../../../src/profiler/replay/ask-replay.ts'
import type { ReplayReport } from '../../../src/profiler/replay/replay-report.ts'
import { startApp, type RunningApp } from '../../support/running-app.ts'

let app: RunningApp
let service: Server
let served = 0
let isAsked = false

before(async () => {
  service = createServer((request, response) => {
    served += 1
    if (request.url?.startsWith('/packed') === true) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      return void response.end(gzipSync('{"price":12,"password":"geheim"}'))
    }
    response.writeHead(503, { 'content-type': 'text/plain', 'x-reason': 'stock' }).end(`out of stock, ${served}`)
  })
  await new Promise<void>((resolve) => void service.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const routes = new RouteCollection()
  routes.get('price', '/price', async () => {
    const { price } = (await (await fetch(`${origin}/packed?token=abc`)).json()) as { price: number }
    const { status, text, reason } = await read(`${origin}/stock`)
    if (status !== 200) throw new RangeError(`${price}: ${status} ${reason}: ${text}`)
    return html`${price}`
  })
  routes.get('more', '/more', async () => {
    await (await fetch(`${origin}/stock`)).text()
    if (isAsked) await fetch(`${origin}/packed`)
    return json({})
  })
  app = await startApp({ routes, captureResponses: true })
})
after(async () => {
  await app[Symbol.asyncDispose]()
  service.close()
  service.closeAllConnections()
})

function read(url: string): Promise<{ status: number | undefined; text: string; reason: unknown }> {
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof read>>>()
  get(url, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk))
    response.on('end', () => resolve({ status: response.statusCode, text, reason: response.headers['x-reason'] }))
  }).on('error', reject)
  return promise
}

async function recorded(target: string): Promise<string> {
  const response = await fetch(`${app.url}${target}`)
  await response.arrayBuffer()
  return response.headers.get('x-debug-token') ?? assert.fail('not recorded')
}

async function offline(token: string, times = 1): Promise<ReplayReport> {
  const order = { token, times, isConfirmed: false, isOffline: true }
  const answer = await askReplay({ url: new URL('/_profiler', app.url) }, order)
  assert.ok(answer.state === 'sent', JSON.stringify(answer))
  assert.equal(answer.report.isOffline, true)
  return answer.report
}

describe('an offline replay', () => {
  it('gets the recorded responses of fetch and node:http, and asks nobody', async () => {
    const token = await recorded('/price')
    const first = await app.profiles.read(token)
    assert.match(first?.errorMessage ?? '', /^12: 503 stock: out of stock, \d+$/)
    const count = served
    const { runs } = await offline(token, 2)
    assert.equal(served, count)
    for (const run of runs) {
      const profile = await app.profiles.read(run.token ?? '')
      assert.equal(profile?.errorMessage, first?.errorMessage)
      assert.equal(run.status, 500)
    }
    // Afterwards, requests go out again.
    await recorded('/price')
    assert.equal(served, count + 2)
  })

  it('masks what it keeps, and shows it', async () => {
    const token = await recorded('/price')
    const page = await app.send({ target: `/_profiler/${token}?panel=http-client` })
    assert.match(page.body, /Response body/)
    assert.match(page.body, /price&quot;:12|price":12/)
    assert.ok(!page.body.includes('geheim'))
  })

  it('names a request that was not recorded', async () => {
    const token = await recorded('/more')
    isAsked = true
    const count = served
    const { runs } = await offline(token)
    isAsked = false
    assert.equal(served, count)
    const profile = await app.profiles.read(runs[0]?.token ?? '')
    assert.match(
      JSON.stringify(profile?.data['http-client']),
      /Offline replay: GET http:[^ ]*\/packed was not recorded/,
    )
    assert.equal(runs[0]?.status, 500)
  })

  it('fails again as a service failed that was away', async () => {
    const away = createServer()
    await new Promise<void>((resolve) => void away.listen(0, '127.0.0.1', resolve))
    const { port } = away.address() as AddressInfo
    await new Promise((resolve) => void away.close(resolve))
    const routes = new RouteCollection()
    routes.get('away', '/away', async () => {
      await read(`http://127.0.0.1:${port}/`)
      return json({})
    })
    await using other = await startApp({ routes })
    const response = await fetch(`${other.url}/away`)
    await response.arrayBuffer()
    const token = response.headers.get('x-debug-token') ?? ''
    const answer = await askReplay(
      { url: new URL('/_profiler', other.url) },
      { token, isConfirmed: false, isOffline: true },
    )
    assert.ok(answer.state === 'sent')
    const profile = await other.profiles.read(answer.report.runs[0]?.token ?? '')
    assert.match(profile?.errorMessage ?? '', /ECONNREFUSED/)
  })

  it('checks the option', () => {
    assert.throws(() => profiler({ captureResponses: 'yes' as never }), /captureResponses/)
  })
})
