// `fanlight routes` and `fanlight match` ask a running application of another framework.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import Fastify from 'fastify'
import { cliFolder, type CliFolder } from '../support/cli-run.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/fastify.ts')

const app = fanlight(Fastify())
app.get('/', () => 'home')
app.get('/orders/:id', function showOrder() {
  return {}
})
app.post('/orders', () => ({}))

let folder: CliFolder
let address: string
before(async () => {
  folder = await cliFolder()
  address = await app.listen({ port: 0, host: '127.0.0.1' })
})
after(async () => {
  await app.close()
  await folder[Symbol.asyncDispose]()
})

describe('fanlight routes --at', () => {
  it('lists the routes as the framework writes them, filtered and as JSON', async () => {
    const { exitCode, stdout } = await folder.run(['routes', 'orders', '--at', address])
    assert.equal(exitCode, 0)
    assert.match(
      stdout,
      /\/orders\/:id +GET, HEAD +showOrder +test\/integrations\/routes-in-terminal\.test\.ts:16\n\/orders +POST /,
    )
    assert.ok(!stdout.includes('GET|HEAD / '))
    const { stdout: document } = await folder.run(['routes', '--at', `${address}/_profiler/`, '--json'])
    const { routes } = JSON.parse(document) as { routes: readonly { readonly path: string }[] }
    assert.deepEqual(routes.map(({ path }) => path).sort(), ['/', '/orders', '/orders/:id'])
  })
})

describe('fanlight match --at', () => {
  it('names the route with its parameters, or the closest one and exit code 3', async () => {
    const matched = await folder.run(['match', 'GET', '/orders/7', '--at', address])
    assert.equal(matched.exitCode, 0)
    assert.match(matched.stdout, /matches GET\|HEAD \/orders\/:id\.\n[^]*\nid +7\n/)
    const missed = await folder.run(['match', 'GET', '/order/7', '--at', address])
    assert.equal(missed.exitCode, 3)
    assert.match(missed.stdout, /GET \/orders\/7 +It is "orders", not "order"\./)
    const wrong = await folder.run(['match', 'DELETE', '/orders', '--at', address])
    assert.match(wrong.stdout, /is not allowed\. Use .*POST/)
  })
})

describe('an address that cannot be asked', () => {
  it('ends with one line that says why', async () => {
    const plain = createServer((_, response) => response.end('plain'))
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    const { port } = plain.address() as AddressInfo
    const cases = [
      ['ftp://x', 2, /^fanlight: --at: "ftp:\/\/x" is not valid\. Use the address of an application[^\n]*\n$/],
      ['here', 2, /^fanlight: --at: "here" is not valid\.[^\n]*\n$/],
      [`${address}/debug`, 3, /^fanlight: there is no profiler at http:\/\/127\.0\.0\.1:\d+\/debug; [^\n]*\n$/],
    ] as const
    for (const [given, expected, line] of cases) {
      const { exitCode, stderr } = await folder.run(['routes', '--at', given])
      assert.equal(exitCode, expected, stderr)
      assert.match(stderr, line)
    }
    await new Promise((resolve) => plain.close(resolve))
    const gone = await folder.run(['routes', '--at', `http://127.0.0.1:${port}`])
    assert.equal(gone.exitCode, 3)
    assert.match(gone.stderr, /^fanlight: no application responds at [^\n]*ECONNREFUSED[^\n]*\n$/)
    const both = await folder.run(['routes', '--at', address, '--module', 'app.ts'])
    assert.equal(both.exitCode, 2)
  })
})
