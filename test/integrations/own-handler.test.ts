// `app.handler` of an application of this library on a server of one's own, in a process that is observed: the application records its
// requests itself, so each has one profile.

import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import { createApp, html, loadRuntimeContext, RouteCollection, text, type App } from '../../src/index.ts'
import { ask, browser, listen, profileOf, profilesOf, tokenOf, type Got } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
await import('../../src/register.ts')

async function shop(test: TestContext): Promise<App> {
  const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env: { APP_ENV: 'dev', APP_STORE: 'memory:' } })
  const routes = new RouteCollection()
  routes.get(
    'orders',
    '/orders/{id}',
    () =>
      html`<html>
        <body>
          <h1>Orders</h1>
        </body>
      </html>`,
  )
  routes.post('add', '/orders', async ({ request }) => text((await request.body.text()).toUpperCase()))
  routes.get('fails', '/fails', () => {
    throw new Error('The shop failed')
  })
  const app = await createApp({ routes, context, log: { write: () => undefined } })
  test.after(async () => {
    await app.close()
  })
  return app
}

const closing = { ...browser, connection: 'close' } as const

/** How often a field is there, and the toolbar. */
function counts({ rawHeaders, text: body }: Got): object {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  return {
    tokens: names.filter((name) => name === 'x-debug-token').length,
    timings: names.filter((name) => name === 'server-timing').length,
    toolbars: body.match(/<fanlight-toolbar/g)?.length ?? 0,
  }
}

async function tokens(port: number): Promise<readonly string[]> {
  return (await profilesOf(port)).map(({ token }) => token)
}

describe('app.handler on its own server, with fanlight/register', () => {
  it('records each request once, in the profiler of the application', async (test) => {
    const app = await shop(test)
    const { port } = await listen(test, createServer(app.handler))
    const page = await ask(port, { path: '/orders/7', headers: closing })
    assert.equal(page.status, 200)
    assert.deepEqual(counts(page), { tokens: 1, timings: 1, toolbars: 1 })
    const profile = await profileOf(port, tokenOf(page))
    assert.equal(profile.route, 'orders')
    const failed = await ask(port, { path: '/fails', headers: closing })
    assert.equal(failed.status, 500)
    assert.equal((await profileOf(port, tokenOf(failed))).errorMessage, 'The shop failed')
    assert.deepEqual(await tokens(port), [tokenOf(failed), tokenOf(page)])
  })

  it('records it once where another function hands some requests to it', async (test) => {
    const app = await shop(test)
    const own = await listen(test, createServer(app.handler))
    const mixed: RequestListener = (request, response) => {
      if (request.url === '/plain')
        response.setHeader('content-type', 'text/html').end('<html><body>plain</body></html>')
      else setImmediate(() => app.handler(request, response))
    }
    const { port } = await listen(test, createServer(mixed))
    const plain = await ask(port, { path: '/plain', headers: closing })
    assert.deepEqual(counts(plain), { tokens: 1, timings: 1, toolbars: 1 })
    await profileOf(port, tokenOf(plain))
    const page = await ask(port, { path: '/orders/7', headers: closing })
    assert.deepEqual(counts(page), { tokens: 1, timings: 1, toolbars: 1 })
    const added = await ask(port, { method: 'POST', path: '/orders', headers: { host: 'localhost' }, body: 'seven' })
    assert.deepEqual([added.status, added.text], [200, 'SEVEN'])
    const failed = await ask(port, { path: '/fails', headers: closing })
    assert.deepEqual(counts(failed), counts(await ask(own.port, { path: '/fails', headers: closing })))
    for (const got of [page, failed]) assert.equal((await profileOf(own.port, tokenOf(got))).status, got.status)
    // What comes later has ended later.
    const last = await ask(port, { path: '/plain', headers: closing })
    await profileOf(port, tokenOf(last))
    assert.deepEqual(await tokens(port), [tokenOf(last), tokenOf(plain)])
  })
})
