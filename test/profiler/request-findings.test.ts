// Faults behind good responses, by requests over real sockets, in an application of this library and in Express.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { serve } from '@hono/node-server'
import express, { type Express } from 'express'
import fastify from 'fastify'
import { H3, redirect as redirectInH3, serve as serveH3 } from 'h3'
import { Hono } from 'hono'
import { setCookie } from 'hono/cookie'
import Koa from 'koa'
import { observeSqlite } from '../../src/capture.ts'
import { json, redirect, RouteCollection, text } from '../../src/index.ts'
import type { Found } from '../../src/observe/profile.ts'
import { ask, profileOf, tokenOf, type Got, type Sent } from '../integrations/served.ts'
import { noBodiesOfFetch } from '../support/node-features.ts'
import { pageText, startApp, type RunningApp } from '../support/running-app.ts'
import { pick } from '../support/pick.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/express.ts')
const { fanlight: inFastify } = await import('../../src/fastify.ts')
const { fanlight: inH3 } = await import('../../src/h3.ts')
const { fanlight: inHono } = await import('../../src/hono.ts')
const { fanlight: inKoa } = await import('../../src/koa.ts')

const own = 'test/profiler/request-findings.test.ts'
const source = readFileSync(own, 'utf8').split('\n')
/** The line of this file that ends in a comment. */
const at = (mark: string): string => `${own}:${source.findIndex((line) => line.endsWith(`// ${mark}`)) + 1}`

function ownRoutes(): RouteCollection {
  const routes = new RouteCollection()
  routes.get('a', '/a', () => redirect('/b')) // own /a
  routes.get('b', '/b', () => redirect('/a')) // own /b
  routes.get('self', '/self', () => redirect('/self')) // own /self
  routes.post('login', '/login', () => redirect('/login', { status: 303 }).cookie('sid', '1'))
  routes.get('form', '/login', () => text('form'))
  routes.get('secure', '/secure', ({ request }) => redirect(`https://${request.authority}/secure`)) // own /secure
  routes.get('check', '/check', ({ request }) =>
    request.cookies.has('seen') ? text('in') : redirect('/check').cookie('seen', '1'),
  )
  routes.get('twice', '/twice', ({ cookies }) => {
    cookies.set('sid', 'first') // own first
    return text('ok').cookie('sid', 'second') // own second
  })
  routes.get('renewed', '/renewed', ({ cookies }) => {
    cookies.delete('other')
    cookies.set('sid', 'one', { path: '/shop' })
    return text('ok').cookie('sid', 'two')
  })
  routes.post('order', '/orders', async ({ request }) => json(await request.body.json(), { status: 201 }))
  routes.put('put', '/orders', async ({ request }) => json(await request.body.json()))
  routes.get('search', '/orders', () => json([]))
  routes.post('flaky', '/flaky', flaky)
  routes.get('step', '/steps/{name}', async ({ request }) => json(await steps[request.params.name]?.()))
  routes.get('asks', '/asks/{what}', async ({ request }) => json(await ask200(request.params.what)))
  return routes
}

/** What requests do with one connection. */
const database = observeSqlite(new DatabaseSync(':memory:'))
let goOn = Promise.withResolvers<void>()
const steps: Readonly<Record<string, () => unknown>> = {
  begin: () => database.exec('BEGIN'), // begun
  ask: () => database.prepare('SELECT 1').get(), // asked
  commit: () => database.exec('COMMIT'),
  whole: () => database.exec('BEGIN; SELECT 1; COMMIT'),
  slow: async () => {
    database.exec('BEGIN')
    await goOn.promise
    database.exec('COMMIT')
  },
}

/** Another service, whose status is always 200. */
const bodies: Readonly<Record<string, string>> = {
  errors: '{"data":null,"errors":[{"message":"no"}]}',
  error: '{"error":"no"}',
  none: '{"data":{},"errors":[],"error":null}',
  text: '"errors"',
}
const service = createServer(({ url = '' }, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(bodies[url.slice(1)])
})

async function ask200(what: string): Promise<unknown> {
  const { port } = service.address() as AddressInfo
  return (await fetch(`http://127.0.0.1:${port}/${what}`)).json() // service
}

let failures = 0
function flaky(): never | ReturnType<typeof text> {
  failures += 1
  if (failures % 2 === 1) throw new Error('not yet')
  return text('ok')
}

function expressApp(): Express {
  const app = express()
  fanlight(app, { captureResponses: true })
  app.use(express.json())
  app.get('/a', (_, response) => response.redirect('/b')) // express /a
  app.get('/b', (_, response) => response.redirect('/a')) // express /b
  app.get('/self', (_, response) => response.redirect('/self')) // express /self
  app.post('/login', (_, response) => response.cookie('sid', '1').redirect(303, '/login'))
  app.get('/login', (_, response) => void response.send('form'))
  app.get('/secure', ({ headers }, response) => response.redirect(`https://${headers.host}/secure`)) // express /secure
  app.get('/check', ({ headers }, response) =>
    headers.cookie?.includes('seen') ? void response.send('in') : response.cookie('seen', '1').redirect('/check'),
  )
  app.get('/twice', (_, response) => {
    response.cookie('sid', 'first') // express first
    response.cookie('sid', 'second').send('ok') // express second
  })
  app.get('/renewed', (_, response) => {
    response.clearCookie('other').cookie('sid', 'one', { path: '/shop' }).cookie('sid', 'two').send('ok')
  })
  app.post('/orders', ({ body }, response) => void response.status(201).json(body))
  app.put('/orders', ({ body }, response) => void response.json(body))
  app.get('/orders', (_, response) => void response.json([]))
  app.get('/steps/:name', async ({ params }, response) => void response.json((await steps[params.name]?.()) ?? null))
  app.get('/asks/:what', async ({ params }, response) => void response.json(await ask200(params.what)))
  app.post('/flaky', (_, response) => void response.send(String(flaky())))
  return app
}

before(() => new Promise<void>((resolve) => void service.listen(0, '127.0.0.1', resolve)))
after(() => service.close())

for (const kind of ['own', 'express'] as const) {
  describe(`findings of requests that look fine, ${kind}`, () => {
    let port = 0
    let close: () => Promise<unknown>
    before(async () => {
      if (kind === 'own') {
        const running: RunningApp = await startApp({ routes: ownRoutes(), captureResponses: true })
        port = running.port
        close = () => running[Symbol.asyncDispose]()
      } else {
        const server = expressApp().listen(0, '127.0.0.1')
        await new Promise((resolve) => server.once('listening', resolve))
        port = (server.address() as { port: number }).port
        close = () => {
          server.closeAllConnections()
          return new Promise((resolve) => server.close(resolve))
        }
      }
    })
    after(() => close())

    const foundOf = async (got: Got): Promise<readonly Found[]> => {
      const { data } = await profileOf(port, tokenOf(got))
      return (data['findings'] as { findings: readonly Found[] } | undefined)?.findings ?? []
    }
    const kinds = async (got: Got): Promise<readonly string[]> => (await foundOf(got)).map((one) => one.kind)
    /** Follows redirects as a browser would, with its cookies. */
    const follow = async (
      path: string,
      most: number,
      headers: Record<string, string> = {},
    ): Promise<readonly Got[]> => {
      const responses: Got[] = []
      const jar = new Map<string, string>()
      for (let next: string | undefined = path; next !== undefined && responses.length < most;) {
        const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
        const got = await ask(port, { path: next, headers: { ...headers, ...(cookie === '' ? {} : { cookie }) } })
        responses.push(got)
        for (const field of [got.headers['set-cookie'] ?? []].flat()) {
          const [name = '', value = ''] = (field.split(';')[0] ?? '').split('=')
          jar.set(name, value)
        }
        const { location } = got.headers
        next = typeof location === 'string' ? new URL(location, 'http://h').pathname : undefined
      }
      return responses
    }
    const post = (sent: Omit<Sent, 'method'> & { readonly method?: string }): Promise<Got> =>
      ask(port, { method: 'POST', ...sent, headers: { 'content-type': 'application/json', ...sent.headers } })

    it('names the redirects of a circle after the second round, and says nothing of one round', async () => {
      const around = await follow('/a', 4)
      const all = await Promise.all(around.map(foundOf))
      assert.deepEqual(
        all.map((found) => found.map((one) => one.kind)),
        [[], [], [], ['redirect_loop']],
      )
      const parts = all[3]?.[0]?.parts ?? []
      assert.deepEqual(new Set(parts.map(({ place }) => place)), new Set([at(`${kind} /a`), at(`${kind} /b`)]))
      assert.deepEqual(pick(parts, 'token'), [tokenOf(around[2] as Got), null])
      const [itself] = await foundOf((await follow('/self', 2))[1] as Got)
      assert.deepEqual([itself?.kind, itself?.parts[0]?.place], ['redirect_loop', at(`${kind} /self`)])
    })

    it('waits for more rounds where the scheme differs, and is quiet about redirects that end', async () => {
      const secure = await Promise.all((await follow('/secure', 4)).map(kinds))
      assert.deepEqual(secure, [[], [], [], ['redirect_loop']])
      for (const got of await follow('/check', 3)) assert.deepEqual(await kinds(got), [])
      const login = { path: '/login', body: '{}' }
      assert.deepEqual([await kinds(await post(login)), await kinds(await ask(port, { path: '/login' }))], [[], []])
      // Two clients take turns.
      const one = { 'user-agent': 'one' }
      const other = { 'user-agent': 'other' }
      for (const [path, headers] of [
        ['/a', one],
        ['/b', other],
        ['/a', one],
        ['/b', other],
      ] as const)
        assert.deepEqual(await kinds(await ask(port, { path, headers })), [])
    })

    it('names both places of a cookie that is set twice', async () => {
      const [found] = await foundOf(await ask(port, { path: '/twice' }))
      assert.equal(found?.kind, 'cookie_twice')
      assert.equal(found?.text, 'The response sets the cookie "sid" twice: browsers keep the last one.')
      assert.deepEqual(
        new Set(found?.parts.map(({ place }) => place)),
        new Set([at(`${kind} first`), at(`${kind} second`)]),
      )
      assert.deepEqual(await kinds(await ask(port, { path: '/renewed' })), [])
    })

    it('names the other profile of a POST that was sent twice', async () => {
      const order = { path: '/orders', body: '{"lion":1}' }
      const [first, second, third] = [await post(order), await post(order), await post(order)]
      const [found] = await foundOf(second)
      assert.deepEqual([found?.kind, found?.parts[0]?.token], ['sent_twice', tokenOf(first)])
      assert.deepEqual([await kinds(first), await kinds(third)], [[], []])
      const quiet: readonly (readonly [string, Parameters<typeof post>[0]])[] = [
        ['another body', { path: '/orders', body: '{"lion":2}' }],
        ['another session', { ...order, headers: { cookie: 'sid=2' } }],
        ['a key of the client', { path: '/orders', body: '{"lion":3}', headers: { 'idempotency-key': '1' } }],
        ['a key of the client, again', { path: '/orders', body: '{"lion":3}', headers: { 'idempotency-key': '1' } }],
        ['PUT', { path: '/orders', method: 'PUT', body: '{"lion":4}' }],
        ['PUT again', { path: '/orders', method: 'PUT', body: '{"lion":4}' }],
        ['GET', { path: '/orders', method: 'GET' }],
        ['GET again', { path: '/orders', method: 'GET' }],
        ['a failure', { path: '/flaky', body: '{}' }],
        ['its retry', { path: '/flaky', body: '{}' }],
      ]
      for (const [what, sent] of quiet) assert.deepEqual(await kinds(await post(sent)), [], what)
    })

    it('names the call of a service whose 200 tells of errors', { skip: noBodiesOfFetch }, async () => {
      for (const what of Object.keys(bodies)) {
        const [found, ...more] = await foundOf(await ask(port, { path: `/asks/${what}` }))
        const expected = what.startsWith('error') ? ['errors_in_200', at('service')] : [undefined, undefined]
        assert.deepEqual([found?.kind, found?.parts[0]?.place], expected, what)
        assert.deepEqual(more, [])
      }
    })

    it('names who left the transaction open that a request runs in', async () => {
      const step = (name: string): Promise<Got> => ask(port, { path: `/steps/${name}` })
      const begun = await step('begin')
      await profileOf(port, tokenOf(begun))
      const [found, ...more] = await foundOf(await step('ask'))
      assert.deepEqual(
        [found?.kind, found?.parts[0]?.place, found?.parts[0]?.token, found?.parts[1]?.place, more.length],
        ['left_open', at('begun'), tokenOf(begun), at('asked'), 0],
      )
      const quiet = [await step('commit'), await step('ask'), await step('whole'), await step('ask')]
      // One that is under way is not left open.
      goOn = Promise.withResolvers<void>()
      const slow = step('slow')
      quiet.push(await step('ask'))
      goOn.resolve()
      quiet.push(await slow, await step('ask'))
      for (const got of quiet) assert.deepEqual(await kinds(got), [])
    })

    it('shows them on the page, as Markdown, in the list and to agents', async () => {
      const got = await ask(port, { path: '/twice' })
      const token = tokenOf(got)
      await profileOf(port, token)
      const text = async (path: string): Promise<string> =>
        pageText((await ask(port, { path: `/_profiler/${path}` })).text).replaceAll(/\s+/g, ' ')
      const place = at(`${kind} first`)
      assert.match(await text(token), /Findings: cookie set twice/)
      const page = await text(`${token}?panel=findings`)
      assert.ok(page.includes('Cookie set twiceThe response sets the cookie "sid" twice'), page)
      assert.ok(page.includes(place), page)
      const { text: markdown } = await ask(port, { path: `/_profiler/${token}.md?panel=findings` })
      assert.ok(markdown.includes(place), markdown)
      assert.match(await text('?finding=cookie_twice'), /\/twice/)
    })
  })
}

function fastifyServer(): Server {
  const app = inFastify(fastify())
  app.get('/self', (_, reply) => reply.redirect('/self')) // fastify /self
  app.get('/twice', (_, reply) => {
    void reply.header('set-cookie', 'sid=first') // fastify first
    void reply.header('set-cookie', 'sid=second') // fastify second
    return reply.send('ok')
  })
  void app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}

function honoServer(): Server {
  const app = inHono(new Hono())
  app.get('/self', (context) => context.redirect('/self')) // hono /self
  app.get('/twice', (context) => {
    setCookie(context, 'sid', 'first') // hono first
    setCookie(context, 'sid', 'second') // hono second
    return context.text('ok')
  })
  return serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server
}

function koaServer(): Server {
  const app = inKoa(new Koa())
  app.use((context) => {
    if (context.path === '/self') return context.redirect('/self') // koa /self
    context.cookies.set('sid', 'first') // koa first
    context.cookies.set('sid', 'second') // koa second
    context.body = 'ok'
  })
  return app.listen(0, '127.0.0.1')
}

/** Its redirects are objects: all that is known of them is the route. */
function h3Server(): Server {
  const app = inH3(new H3({ silent: true }))
  const self = async (): Promise<unknown> => {
    await Promise.resolve()
    return redirectInH3('/self')
  }
  app.get('/self', self) // h3 /self
  app.get('/twice', (event) => {
    event.res.headers.append('set-cookie', 'sid=first') // h3 first
    event.res.headers.append('set-cookie', 'sid=second') // h3 second
    return 'ok'
  })
  return serveH3(app, { port: 0, hostname: '127.0.0.1', silent: true }).node?.server as Server
}

describe('places of redirects and cookies', () => {
  for (const [kind, start] of Object.entries({
    fastify: fastifyServer,
    h3: h3Server,
    hono: honoServer,
    koa: koaServer,
  })) {
    it(`are those of the calls in ${kind}`, async (test) => {
      const server = start()
      if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
      test.after(() => {
        server.closeAllConnections()
        server.close()
      })
      const { port } = server.address() as AddressInfo
      const placesOf = async (path: string): Promise<unknown> => {
        const { data } = await profileOf(port, tokenOf(await ask(port, { path })))
        const { findings = [] } = (data['findings'] ?? {}) as { findings?: readonly Found[] }
        return findings.map(({ kind: found, parts }) => `${found} ${parts.map(({ place }) => place).join(' ')}`)
      }
      assert.deepEqual(await placesOf('/self'), [])
      assert.deepEqual(await placesOf('/self'), [`redirect_loop ${at(`${kind} /self`)}`])
      assert.deepEqual(await placesOf('/twice'), [`cookie_twice ${at(`${kind} first`)} ${at(`${kind} second`)}`])
    })
  }
})
