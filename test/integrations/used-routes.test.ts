// How often the routes of other frameworks were hit, as the route table tells: where several routes share a path, each has the requests of its
// own methods.

import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { it } from 'node:test'
import type { UsedRoute } from '../../src/profiles/query/route-table.ts'
import { pageText } from '../support/running-app.ts'
import { until } from '../support/until.ts'
import { ask, browser, listen } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight: onExpress } = await import('../../src/express.ts')
const { fanlight: onKoa } = await import('../../src/koa.ts')
const { default: express, Router } = await import('express')
const { default: Koa } = await import('koa')
const { default: KoaRouter } = await import('@koa/router')

const done: RequestListener = (_request, response) => void response.end('done')

function expressApp(): RequestListener {
  const app = onExpress(express())
  app.get('/orders', done).post('/orders', done).put('/orders', done)
  const shop = Router()
  shop.get(['/lamps', '/lights'], done)
  app.use('/shop', shop)
  app.all('/any', (_request, _response, next) => next()).get('/any', done)
  app.get('/once', done)
  return app
}

function koaApp(): RequestListener {
  const app = onKoa(new Koa())
  const router = new KoaRouter()
  router.get('order', '/orders/:id', (context) => void (context.body = 'done'))
  router.delete('/orders/:id', (context) => void (context.body = 'done'))
  app.use(router.routes())
  return app.callback() as RequestListener
}

interface Row {
  /** `POST /orders` */
  readonly sent: readonly string[]
  /** By what the table calls a route: its profiles, the method that their link asks for, and whether it is told as never hit. */
  readonly seen: Readonly<Record<string, readonly [count: number, methods: string, isUnused: boolean]>>
  readonly make: () => RequestListener
  /** In the page: no column that only says what another one says. */
  readonly shown: RegExp
}

const rows: Readonly<Record<string, Row>> = {
  Express: {
    make: expressApp,
    sent: ['GET /orders', 'HEAD /orders', 'GET /orders', 'POST /orders', 'GET /shop/lights', 'PUT /any', 'GET /once'],
    seen: {
      'GET /orders': [3, 'GET,HEAD', false],
      'POST /orders': [1, 'POST', false],
      'PUT /orders': [0, '', true],
      'GET /shop/lamps': [0, '', true],
      'GET /shop/lights': [1, '', false],
      '/any': [1, '', false],
      'GET /any': [0, '', true],
      'GET /once': [1, '', false],
    },
    shown: /\sPath\s+Methods\s+Handler\s+Defined at\s+Profiles\s+Median\s[^]*\s\/any\s+any\s+test\/integrations/,
  },
  'Koa, with a name': {
    make: koaApp,
    sent: ['GET /orders/1', 'GET /orders/2'],
    seen: { order: [2, '', false], 'DELETE /orders/:id': [0, '', true] },
    shown: /\sName\s+Methods\s+Path\s[^]*\sorder\s+HEAD, GET\s+\/orders\/:id\s/,
  },
}

for (const [name, { make, sent, seen, shown }] of Object.entries(rows)) {
  it(`${name}: each route has the profiles of its requests, and is never hit where it has none`, async (test) => {
    const { port } = await listen(test, createServer(make()))
    const routes = async (query = ''): Promise<readonly UsedRoute[]> => {
      const { text } = await ask(port, { path: `/_profiler/routes.json${query}` })
      // The table lists every application of the process.
      return (JSON.parse(text) as { routes: readonly UsedRoute[] }).routes.filter((route) => route.name in seen)
    }
    for (const each of sent) {
      const [method = '', path = ''] = each.split(' ')
      await ask(port, { method, path })
    }
    const found = async (): Promise<object> => {
      const unused = new Set((await routes('?unused=yes')).map((route) => route.name))
      return Object.fromEntries(
        (await routes()).map((route) => {
          const { profileCount, profileMethods } = route
          return [route.name, [profileCount, profileMethods.join(), unused.has(route.name)]]
        }),
      )
    }
    const total = Object.values(seen).reduce((sum, [count]) => sum + count, 0)
    await until(async () => (await routes()).reduce((sum, { profileCount }) => sum + profileCount, 0) >= total)
    assert.deepEqual(await found(), seen)
    for (const { profileCount, p50Ms, profileMethods } of await routes())
      assert.equal(p50Ms !== null, profileCount > 0 && profileMethods.length < 2)
    const page = await ask(port, { path: '/_profiler/routes', headers: browser })
    assert.match(pageText(page.text), shown)
  })
}
