// Sessions, users and flash messages of other frameworks in the profile, with the libraries that keep them.

import assert from 'node:assert/strict'
import { createServer, type RequestListener, type Server } from 'node:http'
import { describe, it } from 'node:test'
import fastifyCookie from '@fastify/cookie'
import fastifySession from '@fastify/session'
import flash from 'connect-flash'
import cookieSession from 'cookie-session'
import express from 'express'
import fastifyOf from 'fastify'
import session from 'express-session'
import { H3, toNodeHandler } from 'h3'
import { Hono } from 'hono'
import { getRequestListener } from '@hono/node-server'
import Koa from 'koa'
import koaSession from 'koa-session'
import passportModule from 'passport'
import { Strategy } from 'passport-local'
import type { AccessData } from '../../src/capture/activities/access.ts'
import type { SessionData } from '../../src/observe/collectors/session.ts'
import { ask, listen, profileOf, tokenOf, type Got } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/http.ts')
const { fanlight: withExpress } = await import('../../src/express.ts')
const { fanlight: withKoa } = await import('../../src/koa.ts')
const { fanlight: withFastify } = await import('../../src/fastify.ts')
const { fanlight: withH3 } = await import('../../src/h3.ts')
const { fanlight: withHono } = await import('../../src/hono.ts')

declare module 'express-session' {
  interface SessionData {
    visits: number
    password: string
  }
}
declare module 'express-serve-static-core' {
  interface Request {
    flash(kind: string, text?: string): readonly string[]
  }
}

async function sessionIn(port: number, got: Got): Promise<SessionData> {
  return (await profileOf(port, tokenOf(got))).data['session'] as SessionData
}

describe('sessions that other packages keep', () => {
  const secret = 'a secret that is longer than thirty-two letters'
  const visited = (kept: Record<string, unknown>): void => void (kept['visits'] = Number(kept['visits'] ?? 0) + 1)
  const applications: Readonly<Record<string, () => Promise<Server | RequestListener>>> = {
    '@fastify/session': async () => {
      const app = fastifyOf()
      withFastify(app)
      await app.register(fastifyCookie)
      await app.register(fastifySession, { secret, cookie: { secure: false } })
      app.get('/', async (request) => {
        visited(request.session as unknown as Record<string, unknown>)
        return {}
      })
      await app.ready()
      return app.server
    },
    'cookie-session': async () => {
      const app = express()
      withExpress(app)
      app.use(cookieSession({ secret }))
      app.get('/', (request, response) => {
        visited(Object(request.session) as Record<string, unknown>)
        response.json({})
      })
      return app
    },
    'koa-session': async () => {
      const app = new Koa()
      withKoa(app)
      app.keys = [secret]
      app.use(koaSession(app))
      app.use((context) => {
        visited(Object(context.session) as Record<string, unknown>)
        context.body = {}
      })
      return app.callback()
    },
  }
  for (const [name, make] of Object.entries(applications)) {
    it(`shows what ${name} keeps`, async (test) => {
      const { port } = await listen(test, await make())
      const first = await ask(port)
      const cookie = [first.headers['set-cookie'] ?? []]
        .flat()
        .map((line) => line.split(';', 1)[0])
        .join('; ')
      const second = await ask(port, { headers: { cookie } })
      const seen = await Promise.all([first, second].map(async (got) => sessionIn(port, got)))
      const visits = seen.map(({ session: kept }) =>
        kept?.entries
          .filter((entry) => entry.name === 'visits')
          .map((entry) => [entry.before?.value, entry.after?.value]),
      )
      assert.deepEqual(visits, [[[undefined, 1]], [[1, 2]]])
      assert.deepEqual(
        seen.map(({ session: kept }) => kept?.state),
        ['created', 'kept'],
      )
    })
  }
})

it('sessions of Express: shows what express-session and connect-flash keep, before and after', async (test) => {
  const app = express()
  withExpress(app)
  app.use(session({ secret: 'a secret', resave: false, saveUninitialized: false, cookie: { maxAge: 60_000 } }))
  app.use(flash())
  app.get('/', (request, response) => {
    request.session.visits = (request.session.visits ?? 0) + 1
    request.session.password = `hunter${request.session.visits}`
    const read = request.flash('info')
    request.flash('info', `Visit ${request.session.visits}`)
    response.json(read)
  })
  app.get('/unused', (_request, response) => response.cookie('theme', 'dark').end())
  app.get('/renewed', (request, response) => request.session.regenerate(() => response.end()))
  app.get('/ended', (request, response) => request.session.destroy(() => response.end()))
  const { port } = await listen(test, app)

  const unused = await ask(port, { path: '/unused' })
  assert.equal((await sessionIn(port, unused)).session, null)

  const first = await ask(port)
  const cookie = String(first.headers['set-cookie']?.[0]).split(';', 1)[0] ?? ''
  const created = await sessionIn(port, first)
  assert.equal(created.session?.state, 'created')
  const { lifetimeMs } = created.session
  assert.ok(lifetimeMs !== null && lifetimeMs > 0 && lifetimeMs <= 60_000)
  assert.deepEqual(
    created.cookies.map(({ name, set }) => [name, set?.change, set?.attributes]),
    [['connect.sid', 'new', 'Path=/; HttpOnly']],
  )

  const second = await sessionIn(port, await ask(port, { headers: { cookie } }))
  assert.equal(second.session?.state, 'kept')
  assert.deepEqual(
    second.session.entries.map(({ name, change, before, after }) => [name, change, before?.value, after?.value]),
    [
      ['visits', 'changed', 1, 2],
      ['password', 'changed', '******', '******'],
      ['flash', 'changed', { info: ['Visit 1'] }, { info: ['Visit 2'] }],
    ],
  )
  assert.deepEqual(
    second.flash.map(({ kind, text, state }) => `${kind} ${text} ${state}`),
    ['info Visit 1 read', 'info Visit 2 left'],
  )
  assert.equal(second.cookies[0]?.signature, 'valid')
  const id = decodeURIComponent(cookie).split(/[:.]/)[2] ?? ''
  assert.ok(id.length > 20)
  assert.ok(!JSON.stringify(second).includes(id))

  const forged = await sessionIn(port, await ask(port, { headers: { cookie: `connect.sid=s%3A${id}.forged` } }))
  assert.deepEqual([forged.session?.state, forged.cookies[0]?.signature], ['created', null])
  const renewed = await sessionIn(port, await ask(port, { path: '/renewed', headers: { cookie } }))
  assert.equal(renewed.session?.state, 'renewed')
  const next = await ask(port)
  const ended = await sessionIn(
    port,
    await ask(port, { path: '/ended', headers: { cookie: next.headers['set-cookie']?.[0] ?? '' } }),
  )
  assert.equal(ended.session?.state, 'destroyed')
  assert.ok(ended.session.entries.every(({ change }) => change === 'removed'))
})

it('the user of Express: is the one that passport has found, with roles, and without the rest of it', async (test) => {
  const passport = new passportModule.Passport()
  const user = { id: 17, name: 'ada', roles: ['editor', 'admin'], password: 'hunter2' }
  passport.use(new Strategy((name, password, done) => done(null, password === 'hunter2' && name === 'ada' && user)))
  passport.serializeUser((found, done) => done(null, found.name))
  passport.deserializeUser((_name, done) => done(null, user))
  const app = express()
  withExpress(app)
  app.use(express.urlencoded({ extended: false }))
  app.use(session({ secret: 'a secret', resave: false, saveUninitialized: false }))
  app.use(passport.initialize(), passport.session())
  app.post('/login', passport.authenticate('local'), (_request, response) => void response.end())
  app.get('/', (_request, response) => void response.end())
  const { port } = await listen(test, app)
  const login = await ask(port, {
    method: 'POST',
    path: '/login',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'username=ada&password=hunter2',
  })
  const renewed = await sessionIn(port, login)
  assert.equal(renewed.session?.entries.find(({ name }) => name === 'passport')?.change, 'added')
  const cookie = login.headers['set-cookie']?.[0] ?? ''
  const { data } = await profileOf(port, tokenOf(await ask(port, { headers: { cookie } })))
  const { user: found, entries } = data['access'] as AccessData
  assert.deepEqual([found, entries], [{ id: '17', name: 'ada', roles: ['editor', 'admin'] }, []])
  const nobody = await profileOf(port, tokenOf(await ask(port)))
  assert.equal(nobody.data['access'], undefined)
})

describe('sessions of other frameworks', () => {
  const changed = (data: SessionData): unknown =>
    data.session?.entries.map(({ name, change, before, after }) => [name, change, before?.value, after?.value])
  const expected = [['cart', 'changed', 1, 2]]

  it('are read where Hono keeps them', async (test) => {
    const app = new Hono<{ Variables: { session: { cart: number } } }>()
    withHono(app)
    app.use(async (context, next) => {
      context.set('session', { cart: 1 })
      await next()
    })
    app.get('/', (context) => {
      context.get('session').cart = 2
      return context.text('done')
    })
    const { port } = await listen(test, getRequestListener(app.fetch))
    assert.deepEqual(changed(await sessionIn(port, await ask(port))), expected)
  })

  it('are read where h3 keeps them', async (test) => {
    const app = new H3()
    withH3(app)
    app.use((event) => {
      event.context['session'] = { cart: 1 }
    })
    app.get('/', (event) => {
      Object.assign(event.context['session'] as object, { cart: 2 })
      return 'done'
    })
    const { port } = await listen(test, toNodeHandler(app) as RequestListener)
    assert.deepEqual(changed(await sessionIn(port, await ask(port))), expected)
  })

  it('are read from the request of Node, at its end where there are no steps', async (test) => {
    const { port } = await listen(
      test,
      fanlight(
        createServer((request, response) => {
          Object.assign(request, { session: { cart: 2 } })
          response.end()
        }),
      ),
    )
    const { session: found } = await sessionIn(port, await ask(port))
    assert.equal(found?.hasBefore, false)
    assert.deepEqual(
      found.entries.map(({ name, after }) => [name, after?.value]),
      [['cart', 2]],
    )
  })
})
