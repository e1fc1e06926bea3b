// What was seen is evidence: the line that first gave the value that failed, and the variables of each frame.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import express from 'express'
import { ask, browser, listen, profileOf, tokenOf, type SeenProfile } from '../../integrations/served.ts'
import { RouteCollection, json } from '../../../src/index.ts'
import type { RanCode } from '../../../src/observe/ran-code.ts'
import { startApp } from '../../support/running-app.ts'
import { fine, programs } from './wrong.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../../src/express.ts')

interface Exception {
  readonly errors: readonly { readonly frames: readonly Frame[] }[]
  readonly candidates: readonly { readonly file: string; readonly line: number; readonly why: string }[]
}

interface Frame {
  readonly functionName: string | null
  readonly file: string
  readonly variables?: readonly (readonly [name: string, text: string])[]
}

interface Owner {
  after(work: () => Promise<void>): void
}

/** To trace a request takes long, and nothing is said of any of those that are fine: they share one. */
const all: typeof programs = { ...programs, fine: async () => Promise.all(Object.values(fine).map((run) => run())) }
const file = 'test/profiler/ran/wrong.ts'
const lines = readFileSync(new URL('wrong.ts', import.meta.url), 'utf8').split('\n')

async function inFanlight(test: Owner): Promise<number> {
  const routes = new RouteCollection()
  for (const [name, run] of Object.entries(all)) routes.any(name, `/${name}`, async () => json(await run()))
  const app = await startApp({ routes })
  test.after(async () => app[Symbol.asyncDispose]())
  return app.port
}

async function inExpress(test: Owner): Promise<number> {
  const app = express()
  fanlight(app)
  for (const [name, run] of Object.entries(all)) app.all(`/${name}`, async (_, response) => response.json(await run()))
  return (await listen(test, app)).port
}

interface Traced {
  readonly text: string
  readonly profile: SeenProfile
}

/** Of the second of two requests, which has the values; again where a busy machine cut them. */
async function trace(port: number, path: string): Promise<Traced> {
  const headers = { 'x-fanlight-profile': 'code', accept: 'text/markdown' }
  for (let turn = 0; ; turn += 1) {
    await ask(port, { path, headers })
    const got = await ask(port, { path, headers })
    const profile = await profileOf(port, tokenOf(got))
    const { state, cuts } = profile.data['code'] as RanCode
    if ((state === 'lines' && cuts.length === 0) || turn === 20) return { text: got.text, profile }
  }
}

async function plain(port: number, path: string): Promise<SeenProfile> {
  return profileOf(port, tokenOf(await ask(port, { path, headers: { accept: 'text/markdown' } })))
}

function exceptionOf({ data }: SeenProfile): Exception {
  return data['exception'] as Exception
}

/** What is read of a request is the same for both: Express is asked for one program of each kind. */
const inBoth: ReadonlySet<string> = new Set(['nan', 'again', 'branch', 'twins'])

for (const [framework, start] of [
  ['Fanlight', inFanlight],
  ['Express', inExpress],
] as const) {
  describe(`what was seen, in ${framework}`, async () => {
    const port = await start({ after })
    const asked = Object.keys(programs).filter((name) => framework === 'Fanlight' || inBoth.has(name))
    const traces = new Map<string, Promise<Traced>>()
    // To trace a program takes long: each is traced once.
    const traced = (path: string): Promise<Traced> => {
      const found = traces.get(path) ?? trace(port, path)
      traces.set(path, found)
      return found
    }

    it('says first, and only where it is certain, which line first gave the value that failed', async () => {
      const found: Record<string, string> = {}
      const wanted: Record<string, string> = {}
      for (const name of asked) {
        const { profile } = await traced(`/${name}`)
        const [first, ...others] = exceptionOf(profile).candidates
        const line = lines.findIndex((text) => new RegExp(`// seen .*\\b${name}\\b`).test(text)) + 1
        wanted[name] = line === 0 ? '' : `${file}:${line}`
        found[name] = first?.why.startsWith('seen: ') === true ? `${first.file}:${first.line}` : ''
        assert.ok(
          others.every(({ why }) => !why.startsWith('seen')),
          name,
        )
      }
      assert.deepEqual(found, wanted)
      const again = exceptionOf((await traced('/again')).profile).candidates[0]?.why
      assert.equal(again, 'seen: `chosen` was again `undefined` here; `first.next` was `undefined`')
      const { text } = await traced('/nan')
      assert.match(
        text,
        /1\. `+ test.*wrong\.ts:\d+ – seen: `total` was first `NaN` here; `line\.count` was `undefined`/,
      )
    })

    it('gives each frame its variables, masked, as they were when its line began', async () => {
      const { text, profile } = await traced('/secret')
      const frames =
        exceptionOf(profile)
          .errors.at(-1)
          ?.frames.filter((frame) => frame.file === file) ?? []
      assert.deepEqual(
        frames.slice(0, 2).map(({ functionName, variables }) => [functionName, Object.fromEntries(variables ?? [])]),
        [
          ['sign', { given: '******', password: '******', touchy: '{ value: [Getter] }', user: 'undefined' }],
          ['secret', { found: '[]', touchy: '{ value: [Getter] }' }],
        ],
      )
      assert.match(text, /at sign .*\n +[^\n]*\bpassword = \*{6}, [^\n]*\buser = undefined/)
      const walked = exceptionOf((await traced('/walk')).profile).errors.at(-1)?.frames ?? []
      assert.deepEqual(walked[0]?.variables, [['node', '{ next: null }']])
      const [wrapping, wrapped] = exceptionOf((await traced('/wrapped')).profile).errors
      assert.deepEqual(
        wrapping?.frames[0]?.variables?.map(([name]) => name),
        ['id', 'cause'],
      )
      assert.deepEqual(wrapped?.frames[0]?.variables, [['id', '7']])
      // What may change something is asked for first.
      const page = await ask(port, { method: 'POST', path: '/argument', headers: browser })
      assert.match(page.text, new RegExp(`href="/_profiler/${tokenOf(page)}/replay">Run again with values`))
      // Of two calls that are alike the one that failed is known by what it waited for.
      const twins = exceptionOf((await traced('/twins')).profile).errors.at(-1)?.frames ?? []
      assert.equal(twins.find(({ functionName }) => functionName === 'slow')?.variables?.[0]?.join(), 'id,2')
    })

    it('no longer says what it refutes, and nothing of a response that is only wrong', async () => {
      for (const [name, refuted] of [
        ['number', /gives NaN/],
        ['or', /takes 0/],
        ['branch', /is what `rateOf` returns/],
      ] as const) {
        if (!asked.includes(name)) continue
        const path = `/${name}`
        assert.match(JSON.stringify(exceptionOf(await plain(port, path)).candidates), refuted, path)
        assert.doesNotMatch(JSON.stringify(exceptionOf((await traced(path)).profile).candidates), refuted, path)
      }
      const { profile } = await traced('/fine')
      assert.equal(profile.status, 200)
      assert.equal(profile.data['exception'], undefined)
      assert.doesNotMatch(JSON.stringify(profile.data), /seen:/)
    })
  })
}

const others: Readonly<Record<string, (test: Owner, run: () => unknown) => Promise<number>>> = {
  koa: async (test, run) => {
    const { default: Koa } = await import('koa')
    const app = (await import('../../../src/koa.ts')).fanlight(new Koa({ env: 'test' }))
    app.silent = true
    app.use((context) => (context.body = run()))
    return (await listen(test, app.callback())).port
  },
  fastify: async (test, run) => {
    const { default: Fastify } = await import('fastify')
    const app = (await import('../../../src/fastify.ts')).fanlight(Fastify())
    app.get('/', () => run())
    await app.listen({ port: 0, host: '127.0.0.1' })
    test.after(async () => app.close())
    return (app.server.address() as AddressInfo).port
  },
  hono: async (test, run) => {
    const { Hono } = await import('hono')
    const { createAdaptorServer } = await import('@hono/node-server')
    const app = (await import('../../../src/hono.ts')).fanlight(new Hono())
    app.get('/', (context) => context.json(run() as object))
    return (await listen(test, createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server)).port
  },
  h3: async (test, run) => {
    const { H3, toNodeHandler } = await import('h3')
    const app = (await import('../../../src/h3.ts')).fanlight(new H3({ silent: true }))
    app.get('/', () => run())
    return (await listen(test, createServer(toNodeHandler(app) as RequestListener))).port
  },
  nest: async (test, run) => {
    await import('reflect-metadata')
    const { Controller, Get, Module } = await import('@nestjs/common')
    const { NestFactory } = await import('@nestjs/core')
    class Pages {
      show(): unknown {
        return run()
      }
    }
    class Root {
      readonly name = 'root'
    }
    const descriptor = Object.getOwnPropertyDescriptor(Pages.prototype, 'show') ?? {}
    Get()(Pages.prototype, 'show', descriptor)
    Controller()(Pages)
    Module({ controllers: [Pages] })(Root)
    const app = (await import('../../../src/nest.ts')).fanlight(await NestFactory.create(Root, { logger: false }))
    await app.listen(0, '127.0.0.1')
    test.after(async () => app.close())
    return ((app.getHttpServer() as Server).address() as AddressInfo).port
  },
}

describe('what was seen, in the other frameworks', () => {
  for (const [name, start] of Object.entries(others))
    it(`is on the error page of ${name}, which runs the request again`, async (test) => {
      const port = await start(test, () => programs['nan']?.())
      const { text, profile } = await trace(port, '/')
      assert.match(text, /wrong\.ts:\d+ – seen: `total` was first `NaN` here/)
      const frame = exceptionOf(profile)
        .errors.at(-1)
        ?.frames.find((one) => one.file === file)
      assert.equal(Object.fromEntries(frame?.variables ?? [])['total'], 'NaN')
      const page = await ask(port, { headers: browser })
      assert.ok(/data-run-again="\/"\s+data-measure="code"\s+data-panel="exception"/.test(page.text))
    })
})

it('a response that failed is named before what its data was seen to lack', async (test) => {
  const { port } = await listen(test, (_, response) => void response.writeHead(404).end('{}'))
  const forecast = async (): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}/forecast`)
    const { days } = (await response.json()) as { readonly days: readonly string[] }
    return days.map((day) => day.trim())
  }
  const routes = new RouteCollection().get('forecast', '/forecast', async () => json(await forecast()))
  const app = await startApp({ routes })
  test.after(async () => app[Symbol.asyncDispose]())
  const [first, second] = exceptionOf((await trace(app.port, '/forecast')).profile).candidates
  assert.deepEqual([first?.why, second?.why], ['got 404 Not Found', 'seen: `days` was first `undefined` here'])
})
