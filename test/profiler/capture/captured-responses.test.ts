// Responses of other services in profiles, with `captureResponses`.

import assert from 'node:assert/strict'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { json, RouteCollection } from '../../../src/index.ts'
import { profiler } from '../../../src/profiler.ts'
import { startApp } from '../../support/running-app.ts'

it('keeps bodies of fetch and node:http, decoded and masked, and shows them', async (test) => {
  const service = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    response.end(gzipSync('{"price":12,"password":"geheim"}'))
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
  const page = await app.send({ target: `/_profiler/${token}?panel=http-client` })
  assert.match(page.body, /Response body/)
  assert.match(page.body, /price&quot;:12|price":12/)
  assert.ok(!page.body.includes('geheim'))
})

it('checks the option', () => {
  assert.throws(() => profiler({ captureResponses: 'yes' as never }), /captureResponses/)
})
