// An application that is told to end still serves for a time, in which its readiness check fails.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createApp, json, RouteCollection, type Services } from '../../src/index.ts'
import { loadRuntimeContext } from '../../src/http/config/runtime-context.ts'
import { LineList } from '../support/exchange.ts'

const routes = ({ closing }: Services): RouteCollection =>
  new RouteCollection()
    .get('ready', '/ready', () => json({ isClosing: closing.aborted }, { status: closing.aborted ? 503 : 200 }))
    .get('work', '/work', ({ signal }) => json({ isAborted: signal.aborted }))

it('lingerMs: serves on while the readiness check fails, and then accepts nothing', async () => {
  const env = { APP_ENV: 'prod', APP_STORE: 'memory:', PORT: '0' }
  const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env })
  const app = await createApp({ context, routes, lingerMs: 2000, log: new LineList() })
  const { url } = await app.listen()
  assert.equal((await fetch(`${url}/ready`)).status, 200)
  const closed = app.close({ lingers: true })
  const ready = await fetch(`${url}/ready`)
  assert.deepEqual([ready.status, ready.headers.get('connection')], [503, 'close'])
  assert.deepEqual(await (await fetch(`${url}/work`)).json(), { isAborted: false })
  await closed
  await assert.rejects(fetch(`${url}/ready`))
})
