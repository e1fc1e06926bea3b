// How many bytes a stored profile takes: `node bench/http/profile-size.ts`. Serves a JSON route and a 404 page with everything
// on, then asks the store, and measures the file.

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp, json, loadRuntimeContext, RouteCollection } from '../../src/index.ts'
import { statusBody } from './table.ts'

const requestCount = 500

for (const path of ['/api/status', '/no/such/page']) await measure(path)

async function measure(path: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'fanlight-bench-size-'))
  const { context } = loadRuntimeContext({ cwd: directory, env: { APP_ENV: 'dev', APP_STORE: 'sqlite:size.db' } })
  const routes = new RouteCollection().merge(new RouteCollection())
  routes.get('status', '/api/status', () => json(statusBody))
  const app = await createApp({ context, routes, log: { write: () => undefined } })
  const headers = { accept: '*/*', 'user-agent': 'bench' }
  for (let index = 0; index < requestCount; index += 1) {
    await app.inject({ url: path, headers })
    // The store keeps up, as it does with requests that come over a socket.
    if (index % 50 === 49) await app.profiles?.find({})
  }
  await app.profiles?.find({})
  const stats = await app.profiles?.stats()
  await app.close()
  const file = statSync(join(directory, 'size.db')).size
  const { count = 0, bytes = 0 } = stats ?? {}
  console.log(
    `${path}: ${count} profiles of ${requestCount} requests, ${Math.round(bytes / count)} bytes counted for one, ` +
      `${Math.round(file / count)} bytes of the file`,
  )
  rmSync(directory, { recursive: true })
}
