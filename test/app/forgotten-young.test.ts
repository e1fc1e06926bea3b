// What a request leaves in memory: once its profile is stored nothing that only a full collection takes away, and with recording off nothing.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createApp, json, loadRuntimeContext, RouteCollection } from '../../src/index.ts'
import { LineList } from '../support/exchange.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { until } from '../support/until.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

const run = promisify(execFile)
const supportFile = (name: string): string => fileURLToPath(new URL(`../support/${name}`, import.meta.url))

/** Some 8,000 of each were held by maps, literals and weak maps that live long. */
const maxHeldBytes = 4000
/** A full collection while it measures would count everything that died young as held: none comes before 512 MiB. */
const wideHeap = '--initial-heap-size=512'

describe('a recorded request', () => {
  it('is forgotten with the young once its profile is stored', async (test) => {
    await isForgotten([supportFile('surviving-requests.ts'), makeTemporaryDirectory(test)])
  })

  for (const framework of ['Express', 'Koa']) {
    it(`of ${framework} is forgotten as well`, async (test) => {
      const env = { NODE_ENV: 'development', FANLIGHT_STORE: `sqlite:${makeTemporaryDirectory(test)}/profiles.db` }
      await isForgotten([supportFile('surviving-observed.ts'), framework], env, { FANLIGHT: 'off' })
    })
  }
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

it('an open connection does not hold the response that has left', async (test) => {
  const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env: { APP_ENV: 'prod', APP_STORE: 'memory:' } })
  const routes = new RouteCollection().get('home', '/', async () => json({ ok: true }))
  const app = await createApp({ context, routes, log: new LineList() })
  const responses: WeakRef<ServerResponse>[] = []
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    responses.push(new WeakRef(response))
    app.handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = await RawConnection.open((server.address() as AddressInfo).port)
  test.after(async () => {
    client.socket.destroy()
    server.close()
    await app.close()
  })
  for (const path of ['/', '/missing', '/']) client.send(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`)
  await until(() => client.answerCount === 3)
  await until(() => {
    collect()
    return responses.every((response) => response.deref() === undefined)
  })
  assert.equal(client.isClosed, false)
})

/** `without` is the environment of the same program without Fanlight: what the framework itself holds is not ours (Express on Node 22). */
async function isForgotten(
  program: readonly string[],
  variables: NodeJS.ProcessEnv = {},
  without?: NodeJS.ProcessEnv,
): Promise<void> {
  const measured: number[] = []
  // A starved machine has more requests under way when it measures; what is held shows every time.
  while (measured.length < 3 && !measured.some((bytes) => bytes < maxHeldBytes)) {
    const held = await heldBytes(program, variables)
    assert.ok(held > 0)
    const isOthers = held >= maxHeldBytes && without !== undefined
    measured.push(held - (isOthers ? await heldBytes(program, { ...variables, ...without }) : 0))
  }
  assert.ok(Math.min(...measured) < maxHeldBytes, `${measured.join(', ')} bytes of each request are still held`)
}

async function heldBytes(program: readonly string[], variables: NodeJS.ProcessEnv): Promise<number> {
  const { stdout } = await run(process.execPath, [wideHeap, ...program], { env: { ...process.env, ...variables } })
  return Number(stdout)
}
