// Recorded requests of other frameworks that are sent again.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { it } from 'node:test'
import { askReplay } from '../../src/analysis/replay/ask-replay.ts'
import { replayHeader } from '../../src/profiles/replays.ts'
import { ask, listen, tokenOf } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/http.ts')

it('an application of node:http gets its request again', async (test) => {
  const seen: (readonly string[])[] = []
  const application = createServer((request, response) => {
    seen.push([...Object.keys(request.headers), ...request.rawHeaders])
    response.end()
  })
  const { port } = await listen(test, fanlight(application))
  const token = tokenOf(await ask(port, { path: '/orders?page=2' }))
  const profiler = { url: new URL(`http://127.0.0.1:${port}/_profiler`) }
  const replay = await askReplay(profiler, { token, isConfirmed: false })
  assert.ok(replay.state === 'sent', JSON.stringify(replay))
  const { of, run } = replay.report
  assert.deepEqual([of.token, run.status, run.problem], [token, 200, null])
  assert.equal(seen.length, 2)
  assert.deepEqual(
    seen.flat().filter((name) => name.toLowerCase() === replayHeader),
    [],
  )
})

it('goes to the server that recorded it, whichever is asked, and to none where that cannot be known', async (test) => {
  const seen: string[] = []
  const [metrics, shop] = [createServer(), createServer()]
  for (const server of [metrics, shop]) {
    server.on('request', (request, response) => {
      seen.push(server === shop ? 'shop' : 'metrics')
      response.end()
    })
  }
  const first = await listen(test, fanlight(metrics))
  const second = await listen(test, fanlight(shop))
  const token = tokenOf(await ask(second.port, { path: '/orders' }))
  const profiler = { url: new URL(`http://127.0.0.1:${first.port}/_profiler`) }
  for (const guessed of [0, 1, 2]) await askReplay(profiler, { token, isConfirmed: false, guessed })
  assert.deepEqual(seen, ['shop', 'shop', 'shop', 'shop'])
  const proxied = tokenOf(await ask(second.port, { path: '/orders', headers: { host: 'localhost:1' } }))
  const answer = await askReplay(profiler, { token: proxied, isConfirmed: false, guessed: 1 })
  assert.ok(answer.state === 'refused')
  assert.match(answer.problem, /^No server here listens on port 1\. Name the one to ask: --at /)
  assert.equal(seen.length, 5)
})
