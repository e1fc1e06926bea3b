// Recorded requests of other frameworks that are sent again.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { it } from 'node:test'
import { askReplay } from '../../src/profiler/replay/ask-replay.ts'
import { replayHeader } from '../../src/profiler/replay/send-replay.ts'
import { ask, listen, tokenOf } from './served.ts'

process.env['APP_ENV'] = 'test'
process.env['APP_STORE'] = 'memory:'
const { fanlight } = await import('../../src/http.ts')

it('an application of node:http gets its request again, and other services respond from the recording', async (test) => {
  let asked = 0
  const service = await listen(test, (_request, response) => response.end(String((asked += 1))))
  const seen: { readonly names: readonly string[]; readonly answer: string }[] = []
  const application = createServer((request, response) => {
    void (async () => {
      const answer = await (await fetch(`http://127.0.0.1:${service.port}/`)).text()
      seen.push({ names: [...Object.keys(request.headers), ...request.rawHeaders], answer })
      response.end(answer)
    })()
  })
  const { port } = await listen(test, fanlight(application, { captureResponses: true }))
  const token = tokenOf(await ask(port, { path: '/orders?page=2' }))
  const profiler = { url: new URL(`http://127.0.0.1:${port}/_profiler`) }
  for (const isOffline of [false, true]) {
    const replay = await askReplay(profiler, { token, isConfirmed: false, isOffline })
    assert.ok(replay.state === 'sent', JSON.stringify(replay))
    const { of, runs } = replay.report
    assert.deepEqual([of.token, runs[0]?.status, runs[0]?.problem], [token, 200, null])
  }
  assert.deepEqual([asked, seen.map(({ answer }) => answer)], [2, ['1', '2', '1']])
  assert.deepEqual(
    seen.flatMap(({ names }) => names).filter((name) => name.toLowerCase() === replayHeader),
    [],
  )
})
