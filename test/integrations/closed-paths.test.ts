// A lock that closes or excepts paths in front of other frameworks: no way of writing a path passes what is closed, or opens anything else.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { serve as serveHono } from '@hono/node-server'
import Router from '@koa/router'
import { NestFactory } from '@nestjs/core'
import express from 'express'
import Fastify from 'fastify'
import { H3, serve as serveH3 } from 'h3'
import { Hono } from 'hono'
import Koa from 'koa'
import { forAll } from '../support/for-all.ts'
import { openGate } from '../support/gate.ts'

const paths = ['/', '/checkout', '/admin', '/health'] as const

class EmptyModule {
  readonly name = 'empty'
}

const listening = (server: Server): Server => server.listen(0, '127.0.0.1')

function expressApp(): express.Express {
  const app = express()
  for (const path of paths) app.get(path, (_request, response) => void response.send(`served ${path}`))
  app.get('/admin/*rest', (_request, response) => void response.send('served /admin/*'))
  app.get('/health/*rest', (_request, response) => void response.send('served /health/*'))
  return app
}

/** Each says which of its routes has served a request, as it is set up when nobody changes an option, and once with those that make it forgiving. */
const frameworks: Readonly<Record<string, () => Promise<Server>>> = {
  Express: async () => listening(createServer(expressApp())),
  Fastify: async () => startFastify({}),
  'Fastify, forgiving': async () =>
    startFastify({
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      caseSensitive: false,
      useSemicolonDelimiter: true,
    }),
  Koa: async () => {
    const router = new Router()
    for (const path of paths) router.get(path, (context) => void (context.body = `served ${path}`))
    for (const path of ['/admin', '/health']) {
      router.get(`${path}/{*rest}`, (context) => void (context.body = `served ${path}/*`))
    }
    return listening(createServer(new Koa().use(router.routes()).callback()))
  },
  Hono: async () => {
    const app = new Hono()
    for (const path of paths) app.get(path, (context) => context.text(`served ${path}`))
    for (const path of ['/admin', '/health']) app.get(`${path}/*`, (context) => context.text(`served ${path}/*`))
    return serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server
  },
  Nest: async () => {
    const app = await NestFactory.create(EmptyModule, { logger: false })
    app.use(expressApp())
    await app.listen(0, '127.0.0.1')
    return app.getHttpServer() as Server
  },
  h3: async () => {
    const app = new H3()
    for (const path of paths) app.get(path, () => `served ${path}`)
    for (const path of ['/admin', '/health']) app.get(`${path}/**`, () => `served ${path}/*`)
    const served = serveH3(app, { port: 0, hostname: '127.0.0.1', silent: true, gracefulShutdown: false })
    await served.ready()
    return served.node?.server as Server
  },
}

async function startFastify(routerOptions: object): Promise<Server> {
  const app = Fastify({ forceCloseConnections: true, routerOptions })
  for (const path of paths) app.get(path, async () => `served ${path}`)
  for (const path of ['/admin', '/health']) app.get(`${path}/*`, async () => `served ${path}/*`)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}

const ends = [
  '',
  ...(
    String.raw`/ // # #x #? #/x ? /. /.. /%2e /%2E%2e /x/.. \ \. %5c %2f %2F ; ;x ;x=1/.. %3b %23 %00 %zz /%zz %c0%af %20 . .. ` +
    String.raw`/x //x \x /x# /%2e/x /x/../y /X /%78`
  ).split(' '),
]
const begins = (
  String.raw`/. /.. /x/.. /%2e /%2E /%2e%2e /.%2e /%2e. /x/%2e%2e /x/.%2e /x\.. /x/..\.. \x\.. / // //x \ /\ /%5c /%2f /; ` +
  String.raw`/x;/.. /..; /health/.. /health/%2e%2e /health\.. /health/..;`
).split(' ')
const origins = [
  'http://a',
  'HTTP://a',
  'http://a/x/..',
  'http://a/',
  'http://a\\',
  'http://a/checkout/..',
  'http://a:80',
  '//a',
]

/** Ways to write a name that a router may take for it: the first two differ most. */
function wordsFor(name: string): readonly string[] {
  const upper = name.toUpperCase()
  const capital = upper.slice(0, 1) + name.slice(1)
  const encoded = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`
  const lowEncoded = `%${upper.charCodeAt(0).toString(16)}${name.slice(1)}`
  return [name, encoded, upper, capital, lowEncoded]
}

/** Ways to write the path `/<word>`, or one below it, that a router may take for it. */
function spellings(words: readonly string[]): readonly string[] {
  const ways = [
    words.flatMap((word) => ends.map((end) => `/${word}${end}`)),
    words.flatMap((word) =>
      begins.flatMap((begin) => [`${begin}/${word}`, `${begin}/${word}/x`, `${begin}\\${word}`, `${begin}/${word}#`]),
    ),
    words.flatMap((word) =>
      origins.flatMap((origin) => [`${origin}/${word}`, `${origin}/${word}#x`, `${origin}/${word}/x`]),
    ),
  ].flat()
  return [...new Set(ways)]
}

/** Ways to leave `/health/` for the root. */
const ways = (
  String.raw`/.. /..# /%2e%2e /%2e%2e# /.%2e# /../ \.. /..\ \..# %5c.. /x/../.. ` +
  String.raw`/x/../..# /;/.. /..; /../. /./.. //.. /%2f.. /..%2f /..%5c /..? ` +
  String.raw`#/.. /..// /%2E./#`
).split(' ')
const outOfHealth = ways.flatMap((way) => [`/health${way}`, `/health/live${way}`, `http://a/health${way}`])

async function send(server: Server, target: string): Promise<string> {
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.end(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`, 'latin1')
  return text(socket)
}

/** Which of the routes served a target. */
const servedBy = async (server: Server, target: string): Promise<string> =>
  /^served (.*)$/m.exec(await send(server, target))?.[1] ?? ''

describe('app.guardServer() with paths', async () => {
  const gate = await forAll(openGate({ except: ['/health/*'] }))
  for (const [name, start] of Object.entries(frameworks)) {
    const server = await start()
    if (!server.listening) await once(server, 'listening')
    gate.guard(server)

    it(`serves nothing of a closed path in ${name}, and what is not closed as before`, async () => {
      await gate.set({})
      assert.equal(await servedBy(server, '/checkout'), '/checkout')
      await gate.set({ only: ['/checkout', '/admin/*'] })
      const passed: string[] = []
      for (const target of [...spellings(wordsFor('checkout')), ...spellings(wordsFor('admin').slice(0, 2))]) {
        if (/^\/(checkout|admin)/.test(await servedBy(server, target))) passed.push(target)
      }
      assert.deepEqual(passed, [])
      for (const path of ['/', '/health', '/health/live']) assert.notEqual(await servedBy(server, path), '', path)
    })

    it(`serves nothing but the exception in ${name} while everything is closed`, async () => {
      await gate.set({ value: 1 })
      const opened: string[] = []
      const closed = spellings(wordsFor('checkout').slice(0, 2))
      for (const target of [...outOfHealth, ...outOfHealth.map((one) => `${one}/checkout`), ...closed]) {
        if (!['', '/health', '/health/*'].includes(await servedBy(server, target))) opened.push(target)
      }
      assert.deepEqual(opened, [])
      assert.match(await send(server, '/checkout'), /^HTTP\/1\.1 503 /)
      assert.match(await servedBy(server, '/health/live'), /^\/health/)
    })
  }
})
