// Case 59 of the conformance table: faults of ours. Whatever throws in an integration or in what it is given, applications of every
// framework respond as without us, and the status page notes it.

import assert from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { describe, it, type TestContext } from 'node:test'
import { createAdaptorServer } from '@hono/node-server'
import { NestFactory } from '@nestjs/core'
import { Controller, Get, Module } from '@nestjs/common'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import Router from '@koa/router'
import express from 'express'
import Fastify from 'fastify'
import { H3, toNodeHandler } from 'h3'
import { Hono } from 'hono'
import Koa from 'koa'
import type { Integration, ObservedRequest, Observer } from '../../src/integrations/integration.ts'
import { Notes } from '../../src/integrations/notes.ts'
import { notesOf } from './seen.ts'
import { ask, listen, type Got } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { sharedParts } = await import('../../src/integrations/process-wide.ts')
const { attachWhenOn } = await import('../../src/integrations/switch.ts')
const { fanlight } = await import('../../src/koa.ts')

const older = createRequire(new URL('older/package.json', import.meta.url))

type Attach = (application: object) => unknown
type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

const fail = (): never => {
  // Frames of ours are in the stack, which Express sends.
  throw Object.assign(new Error('The shop failed'), { stack: 'Error: The shop failed' })
}

function decorated(): new () => object {
  class Orders {
    show(): object {
      return { order: 7 }
    }
    fails(): never {
      return fail()
    }
  }
  const decorate = (name: 'show' | 'fails', path: string): void => {
    const descriptor = Object.getOwnPropertyDescriptor(Orders.prototype, name)
    assert.ok(descriptor !== undefined)
    Get(path)(Orders.prototype, name, descriptor)
  }
  decorate('show', 'orders/:id')
  decorate('fails', 'fails')
  Controller()(Orders)
  class Shop {
    readonly name = 'shop'
  }
  Module({ controllers: [Orders] })(Shop)
  return Shop
}

function expressShop(make: typeof express, attach: Attach): Server {
  const app = make()
  attach(app)
  app.use((_request, _response, next) => next())
  app.get('/orders/:id', (_request, response) => void response.json({ order: 7 }))
  app.get('/fails', fail)
  return createServer(app)
}

/** Each with a middleware or hook, a route, a route that fails, and no others. */
const shops: Readonly<Record<string, (attach: Attach) => Promise<Server> | Server>> = {
  express: (attach) => expressShop(express, attach),
  // These publish nothing, so their layers are observed.
  'express 5.0.1': (attach) => expressShop(older('express5') as typeof express, attach),
  'express 4': (attach) => expressShop(older('express') as typeof express, attach),
  async fastify(attach) {
    let listener: Listener | undefined
    const app = Fastify({ serverFactory: (handler) => createServer((listener = handler)) })
    attach(app)
    app.addHook('onRequest', (_request, _reply, done) => done())
    app.addHook('onError', async () => {})
    app.get('/orders/:id', async () => ({ order: 7 }))
    app.get('/fails', fail)
    await app.ready()
    assert.ok(listener !== undefined)
    return createServer(listener)
  },
  koa(attach) {
    const app = new Koa()
    app.silent = true
    attach(app)
    const router = new Router()
    router.get('/orders/:id', (context) => {
      context.body = { order: 7 }
    })
    router.get('/fails', fail)
    app.use(async (_context, next) => next())
    app.use(router.routes()).use(router.allowedMethods())
    return createServer(app.callback())
  },
  hono(attach) {
    const app = new Hono()
    attach(app)
    app.use(async (_context, next) => next())
    app.get('/orders/:id', (context) => context.json({ order: 7 }))
    app.get('/fails', fail)
    const mounted = new Hono()
    mounted.get('/there', (context) => context.text('there'))
    app.route('/mounted', mounted)
    // h3 does not know the Response that the adapter puts in place of the global one.
    return createAdaptorServer({
      fetch: (request, env) => app.fetch(request, env),
      overrideGlobalObjects: false,
    }) as Server
  },
  async nest(attach) {
    const app = await NestFactory.create(decorated(), { logger: false })
    attach(app)
    app.use((_request: unknown, _response: unknown, next: () => void) => next())
    app.useGlobalGuards({ canActivate: () => true })
    await app.init()
    return createServer(app.getHttpAdapter().getInstance() as Listener)
  },
  async 'nest on Fastify'(attach) {
    const app = await NestFactory.create<NestFastifyApplication>(decorated(), new FastifyAdapter(), { logger: false })
    attach(app)
    app.useGlobalInterceptors({ intercept: (_, next) => next.handle() })
    app.useGlobalPipes({ transform: (value: unknown) => value })
    await app.init()
    const fastify = app.getHttpAdapter().getInstance()
    await fastify.ready()
    return createServer((request, response) => fastify.routing(request, response))
  },
  h3(attach) {
    const app = new H3({ silent: true })
    attach(app)
    app.use(async (_event, next) => await next())
    app.get('/orders/:id', () => ({ order: 7 }))
    app.get('/fails', fail)
    return createServer(toNodeHandler(app) as Listener)
  },
}

/** `express` for `express 4`. */
function packageOf(framework: string): string {
  const [name = ''] = framework.split(' ')
  return name === 'nest' ? '@nestjs/core' : name
}

const paths = ['/orders/7', '/fails', '/nowhere'] as const
// h3 sends the host back.
const headers = { accept: '*/*', host: 'localhost', connection: 'close' } as const

/** What clients see, but for our headers and what each response has anew. */
function visible({ status, reason, text, rawHeaders }: Got): unknown {
  const fields = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name.toLowerCase()}: ${rawHeaders[index + 1]}`] : [],
  )
  return {
    status,
    reason,
    text,
    fields: fields.filter((field) => !/^(?:date|x-debug-|server-timing)/.test(field)).sort(),
  }
}

async function asked(
  test: TestContext,
  made: Promise<Server> | Server,
): Promise<{ readonly port: number; readonly responses: readonly unknown[] }> {
  const { port } = await listen(test, await made)
  const responses: unknown[] = []
  for (const path of paths) {
    responses.push(visible(await ask(port, { path, headers: { ...headers } })))
  }
  return { port, responses }
}

async function responsesOf(test: TestContext, made: Promise<Server> | Server): Promise<readonly unknown[]> {
  return (await asked(test, made)).responses
}

/** Breaks a member of an application for who reads it first. */
function brokenOnce(application: object, name: string): void {
  const own = Object.getOwnPropertyDescriptor(application, name)
  Object.defineProperty(application, name, {
    configurable: true,
    get() {
      if (own === undefined) Reflect.deleteProperty(application, name)
      else Object.defineProperty(application, name, own)
      throw new TypeError(`${name} is not what it was`)
    },
  })
}

interface Changed {
  readonly framework: string
  readonly what: string
  readonly change: (application: object) => void
}

/** Frameworks that are not as they were. */
const changed: readonly Changed[] = [
  ...Object.entries({
    express: ['handle', 'use'],
    fastify: ['addHook', 'printRoutes'],
    koa: ['callback', 'handleRequest'],
    hono: ['fetch', 'router', 'route'],
    nest: ['getHttpAdapter', 'routesResolver', 'middlewareModule'],
    h3: ['config', '~routes', '~addRoute', '~findRoute', 'handler'],
  }).flatMap(([framework, names]) =>
    names.map((name) => ({
      framework,
      what: `${name} cannot be read`,
      change: (application: object) => brokenOnce(application, name),
    })),
  ),
  {
    framework: 'express',
    what: 'a router has a layer of another kind',
    change: (application) => {
      const { stack } = (application as ReturnType<typeof express>).router
      stack.push({ name: 'foreign', match: () => false } as never)
    },
  },
  ...['koa', 'hono', 'h3'].map((framework) => ({
    framework,
    what: 'nothing can be added to its application',
    change: (application: object) => void Object.preventExtensions(application),
  })),
]

const given: (keyof Observer)[] = ['requestOf', 'addRoutes', 'note']
const ofRequests = [
  'keepsIn',
  'respondsIf',
  'matched',
  'startStep',
  'failed',
  'failedToRespond',
  'respondsByDefault',
  'respondsItself',
  'respondsToOptions',
] as const
const faulty = [...given, ...ofRequests, 'end'] as const
type Faulty = (typeof faulty)[number]

/** An observer that works, but for one method. */
class FaultyObserver implements Observer {
  breaks: Faulty | undefined
  notes = new Notes()
  thrown = 0
  readonly #observer: Observer

  constructor(observer: Observer) {
    this.#observer = observer
  }

  requestOf(raw: IncomingMessage, application?: object): ObservedRequest | undefined {
    this.#breakAt('requestOf')
    const observed = this.#observer.requestOf(raw, application)
    if (observed === undefined) return undefined
    return {
      respondsIf: (has) => this.#run('respondsIf', () => observed.respondsIf(has)),
      keepsIn: (read) => this.#run('keepsIn', () => observed.keepsIn(read)),
      matched: (route) => this.#run('matched', () => observed.matched(route)),
      startStep: (...given) => {
        this.#breakAt('startStep')
        const step = observed.startStep(...given)
        return { end: (status) => this.#run('end', () => step.end(status)) }
      },
      failed: (thrown, status) => this.#run('failed', () => observed.failed(thrown, status)),
      failedToRespond: (thrown) => this.#run('failedToRespond', () => observed.failedToRespond(thrown)),
      respondsByDefault: (to) => this.#run('respondsByDefault', () => observed.respondsByDefault(to)),
      respondsItself: () => this.#run('respondsItself', () => observed.respondsItself()),
      respondsToOptions: () => this.#run('respondsToOptions', () => observed.respondsToOptions()),
    }
  }

  addRoutes(application: object, read: Parameters<Observer['addRoutes']>[1]): void {
    this.#run('addRoutes', () => this.#observer.addRoutes(application, read))
  }

  guard<Value>(place: string, work: () => Value): Value | undefined {
    return this.notes.guard(place, work)
  }

  note(text: string): void {
    this.#run('note', () => this.notes.add(text))
  }

  #run(method: Faulty, work: () => void): void {
    this.#breakAt(method)
    work()
  }

  #breakAt(method: Faulty): void {
    if (this.breaks !== method) return
    this.thrown += 1
    throw new TypeError(`${method} is broken`)
  }
}

let changeFastify: Attach | undefined
subscribe('fastify.initialization', (message) => {
  changeFastify?.(Reflect.get(Object(message), 'fastify') as object)
})

const shared = sharedParts()
assert.ok(shared !== null)

// Nothing is observed in this process until the responses without us are known.
const withoutUs = new Map<string, readonly unknown[]>()

describe('faults of ours', () => {
  it('have responses without us beside them', async (test) => {
    for (const [name, make] of Object.entries(shops)) {
      withoutUs.set(
        name,
        await responsesOf(
          test,
          make(() => undefined),
        ),
      )
    }
    const statuses = [...withoutUs.values()].map((responses) =>
      responses.map((seen) => Reflect.get(Object(seen), 'status')),
    )
    assert.deepEqual(
      statuses,
      Object.keys(shops).map(() => [200, 500, 404]),
    )
  })

  const observer = new FaultyObserver(shared.observer)
  const subscribed = new Set<Integration>()
  const subscribeOnce = (integration: Integration): void => {
    for (const below of integration.builtOn ?? []) subscribeOnce(below)
    if (subscribed.has(integration)) return
    subscribed.add(integration)
    integration.subscribe?.(observer)
  }
  Object.defineProperty(globalThis, Symbol.for('fanlight.integrations'), {
    configurable: true,
    value: { ...shared, observer, subscribe: subscribeOnce },
  })
  const prepare = (breaks?: Faulty): void => {
    observer.breaks = breaks
    observer.notes = new Notes()
    observer.thrown = 0
  }

  for (const [name, make] of Object.entries(shops)) {
    const attach: Attach = (application) => attachWhenOn(packageOf(name), application, {})

    it(`${name} is the same where nothing is broken`, async (test) => {
      prepare()
      assert.deepEqual(await responsesOf(test, make(attach)), withoutUs.get(name))
      assert.deepEqual(observer.notes.list(), [])
    })

    for (const method of faulty) {
      it(`${name} responds as without us where ${method}() throws`, async (test) => {
        prepare(method)
        assert.deepEqual(await responsesOf(test, make(attach)), withoutUs.get(name))
        const noted = observer.notes.list().filter((note) => note.includes(`${method} is broken`))
        assert.equal(noted.length > 0, observer.thrown > 0, observer.notes.list().join('\n'))
        if (['requestOf', 'addRoutes', 'startStep', 'end', 'failed', 'matched'].includes(method))
          assert.ok(observer.thrown > 0)
      })
    }

    it(`${name} still throws at a wrong application and at wrong options`, () => {
      prepare('addRoutes')
      assert.throws(() => attachWhenOn(packageOf(name), {}, {}), {
        name: 'TypeError',
        message: /takes an? \w+ application, not an object/,
      })
      assert.throws(() => attachWhenOn(packageOf(name), {}, { profilerPath: 7 } as never), {
        name: 'TypeError',
        message: /profilerPath/,
      })
      assert.deepEqual(observer.notes.list(), [])
    })
  }

  for (const { framework, what, change } of changed) {
    it(`${framework} responds as without us where ${what}`, async (test) => {
      prepare()
      // The integration knows applications of Fastify before they are given back.
      const isEarly = framework === 'fastify'
      changeFastify = isEarly ? change : undefined
      const attach: Attach = (application) => {
        if (!isEarly) change(application)
        assert.equal(attachWhenOn(packageOf(framework), application, {}), application)
      }
      const made = shops[framework]?.(attach)
      assert.ok(made !== undefined)
      const { port, responses } = await asked(test, made)
      changeFastify = undefined
      assert.deepEqual(responses, withoutUs.get(framework))
      const noted = [...observer.notes.list(), ...(await notesOf(port))]
      assert.ok(
        noted.some((note) => note.includes('failed: TypeError')),
        noted.join('\n'),
      )
    })
  }
})

describe('case 59 at the public entry', () => {
  it('shows on the status page what failed', async (test) => {
    Object.defineProperty(globalThis, Symbol.for('fanlight.integrations'), { configurable: true, value: shared })
    const app = new Koa()
    app.silent = true
    brokenOnce(app, 'callback')
    assert.equal(fanlight(app), app)
    app.use((context) => {
      context.body = 'there'
    })
    const { port } = await listen(test, createServer(app.callback()))
    assert.equal((await ask(port)).text, 'there')
    const notes = await notesOf(port)
    assert.ok(notes.includes('Koa: application failed: TypeError: callback is not what it was'), notes.join('\n'))
  })

  it('holds for a server that takes no methods of ours, and for a request that cannot be read', async (test) => {
    const there: Listener = (_request, response) => response.end('there')
    const unchanging = createServer(there)
    // A server is met when it begins to listen.
    Object.defineProperty(unchanging, 'emit', { value: unchanging.emit })
    const closed = await listen(test, unchanging)
    const broken = await listen(test, createServer(there))
    broken.server.on('connection', (socket) => brokenOnce(socket, 'remoteAddress'))
    for (const { port } of [closed, broken]) {
      const { status, text, headers: fields } = await ask(port, { headers })
      assert.deepEqual([status, text, fields['x-debug-token']], [200, 'there', undefined])
    }
    const notes = await notesOf((await listen(test, createServer(there))).port)
    for (const place of ['A new server', 'The begin of a request']) {
      assert.ok(
        notes.some((note) => note.startsWith(`${place} failed: TypeError`)),
        notes.join('\n'),
      )
    }
  })
})
