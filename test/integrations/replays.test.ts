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
