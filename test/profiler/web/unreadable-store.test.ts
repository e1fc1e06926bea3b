// Pages, JSON and agents while nothing can be read: the store is in a Redis that is not there.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { freePort } from '../../support/free-port.ts'
import { forAll } from '../../support/for-all.ts'
import { startApp } from '../../support/running-app.ts'

const running = await forAll(startApp({ env: { APP_STORE: `redis://127.0.0.1:${await freePort()}` } }))

describe('a store that cannot be read', () => {
  for (const target of [
    '',
    'index.json',
    'index.md',
    'runs.json',
    'errors',
    'latest',
    'trace',
    'token0part0000.json',
  ]) {
    it(`is a 503 with Retry-After at /_profiler/${target}`, async () => {
      const { status, body, header } = await running.send({ target: `/_profiler/${target}` })
      assert.deepEqual([status, header('retry-after')], [503, '2'], body)
      assert.match(body, /cannot be read/)
    })
  }

  it('is a failed call for agents, which says why and when to call again: clients drop what comes with a 503', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'find', arguments: {} } }
    const { status, body } = await running.send({
      method: 'POST',
      target: '/_profiler/mcp',
      headers: ['Content-Type: application/json', 'Accept: application/json, text/event-stream'],
      body: JSON.stringify(call),
    })
    assert.deepEqual([status, /"isError":true/.test(body)], [200, true], body)
    assert.match(body, /`find` failed: .*The store cannot be read now: call it again in 2 seconds\./)
  })
})
