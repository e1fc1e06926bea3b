// `OPTIONS *` asks about the whole server: a profile of it has that target and no address, route or near route that nobody sent.

import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { it } from 'node:test'
import { see } from './seen.ts'
import { ask, listen } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
await import('../../src/register.ts')

/** Hono replaces the global `Response`, which h3 looks at: it is the last. */
const servers: Readonly<Record<string, () => Promise<RequestListener>>> = {
  'node:http': async () => (_, response) => response.end('all'),
  Express: async () => {
    const app = (await import('express')).default()
    app.get('/x', () => undefined)
    return app as RequestListener
  },
  Fastify: async () => {
    const app = (await import('fastify')).default()
    app.get('/x', () => 'x')
    await app.ready()
    return app.routing as RequestListener
  },
  Koa: async () => {
    const app = new (await import('koa')).default()
    app.use((_, next) => next())
    return app.callback() as RequestListener
  },
  h3: async () => {
    const { H3 } = await import('h3')
    const { toNodeHandler } = await import('srvx/node')
    return toNodeHandler(new H3().get('/x', () => 'x').fetch) as RequestListener
  },
  Hono: async () => {
    const { Hono } = await import('hono')
    const { getRequestListener } = await import('@hono/node-server')
    return getRequestListener(new Hono().get('/x', (context) => context.text('x')).fetch)
  },
}

for (const [name, make] of Object.entries(servers)) {
  it(`${name}: OPTIONS * is what was asked`, async (test) => {
    const { port } = await listen(test, createServer(await make()))
    const { profile } = await see(port, '*', { method: 'OPTIONS', headers: { accept: 'text/html' } })
    assert.deepEqual([profile.method, Reflect.get(profile, 'url'), profile.route], ['OPTIONS', '*', null])
    assert.deepEqual((profile.data['router'] as { suggestions: unknown }).suggestions, [])
    assert.match(profile.errorMessage ?? 'none', /^(?:none|No route found for "OPTIONS \*")$/)
    for (const panel of ['request', 'router', 'exception']) {
      const { text } = await ask(port, { path: `/_profiler/${profile.token}?panel=${panel}` })
      assert.doesNotMatch(text, new RegExp(`:${port}\\*`), panel)
    }
  })
}
