// Small real applications of several files with one fault each, in our own framework and in Express, asked over sockets: the line that
// decides is among those shown, with its own file and line, and nothing that is said of a line is false.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { after, before, describe, it } from 'node:test'
import { loadRuntimeContext } from '../../src/http/config/runtime-context.ts'
import { createApp, type RouteCollection } from '../../src/index.ts'
import { root as projectRoot } from '../support/documentation.ts'
import { LineList } from '../support/exchange.ts'
import { installSources } from '../support/page-programs.ts'
import {
  faultsOf,
  readSmallApplications,
  writeSmallApplication,
  type SmallApplication,
} from '../support/small-applications.ts'
import { searchWithoutClock } from '../support/search-without-clock.ts'
import { removeDirectory } from '../support/temporary-directory.ts'

const frameworks = ['own', 'express', 'hono', 'fastify', 'koa']
/** Packages that the applications use. */
const packages =
  'express hono zod fastify fastify-plugin koa @koa/router koa-bodyparser better-sqlite3 knex mongoose jose pg'.split(
    ' ',
  )
const applications = readSmallApplications(join(import.meta.dirname, 'applications'))

let folder = ''
const workingFolder = process.cwd()
const upstream = createServer((request, response) => {
  response.write('a;1\n')
  setTimeout(() => response.end(), 400)
})

before(async () => {
  searchWithoutClock()
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'fanlight-'))
  installSources(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  mkdirSync(join(folder, 'node_modules', '@koa'))
  for (const name of packages)
    symlinkSync(join(projectRoot, 'node_modules', name), join(folder, 'node_modules', name), 'dir')
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  process.env['UPSTREAM_URL'] = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  // Express prints no errors then.
  process.env['NODE_ENV'] = 'test'
  process.env['FANLIGHT_STORE'] = 'memory:'
  // Modules of their own, so that neither finds what the other one left.
  for (const one of applications) for (const framework of frameworks) place(one, framework)
  process.chdir(folder)
})

after(async () => {
  process.chdir(workingFolder)
  upstream.closeAllConnections()
  upstream.close()
  await removeDirectory(folder)
})

/** Writes the files of an application; `age` makes one some days old. */
function place(one: SmallApplication, framework: string): void {
  const here = join(folder, framework, one.name)
  writeSmallApplication(one, here)
  for (const [kind, rest] of one.settings) {
    const [file = '', days] = rest.split(' ')
    const time = Date.now() / 1000 - Number(days) * 86_400
    if (kind === 'age') utimesSync(join(here, file), time, time)
  }
}

interface Said {
  /** *Where to change it* */
  readonly places: readonly string[]
  /** The places in *Where the values come from*. */
  readonly values: readonly string[]
  readonly page: string
}

/** What the error page of the last request says. */
async function saidAt(port: number, { requests, settings }: SmallApplication): Promise<Said> {
  const headers = new Headers({ accept: 'text/markdown' })
  const body = settings.find(([kind]) => kind === 'body')?.[1]
  if (body !== undefined) headers.set('content-type', 'application/json')
  for (const [kind, rest] of settings) {
    const [name = '', value = ''] = rest.split(': ', 2)
    if (kind === 'header') headers.set(name, value)
  }
  let page = ''
  for (const { method, target } of requests) {
    const sent = { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body }) } as const
    const address = `http://127.0.0.1:${port}`
    const response = await fetch(address + target, sent)
    page = await response.text()
    // A response that had left before the error is no page of it; its profile says the same.
    if (response.status === 302)
      page = await (await fetch(`${address}/_profiler/${response.headers.get('x-debug-token') ?? ''}.md`)).text()
  }
  const section = /## Where to change it\n([^]*?)\n###? /.exec(page)?.[1] ?? ''
  const values = [...page.matchAll(/^`+.*, used at .*\((\S+:\d+)\) ?`+$/gm)].map(([, place = '']) => place)
  return {
    places: section.split('\n').flatMap((line) => /^(?:1\.|-) `+ ?(.*?) ?`+$/.exec(line)?.[1] ?? []),
    values,
    page,
  }
}

const listeners: Readonly<Record<string, (app: never) => Promise<RequestListener>>> = {
  // Its applications say `fanlight(app)` themselves: it must come before their routes.
  async fastify(app: { readonly routing: RequestListener; ready(): Promise<unknown> }) {
    await app.ready()
    return app.routing
  },
  koa: async (app: { readonly middleware: unknown; callback(): RequestListener }) =>
    (await import('../../src/koa.ts')).fanlight(app).callback(),
  express: async (app) => (await import('../../src/express.ts')).fanlight(app),
  hono: async (app: { readonly fetch: never; readonly basePath: never }) =>
    getRequestListener((await import('../../src/hono.ts')).fanlight(app).fetch) as RequestListener,
}

/** A setting may be for one framework: `express first …`. */
function check(one: SmallApplication, framework: string, { places, values, page }: Said): void {
  const { name } = one
  const settings = one.settings.map(([kind, rest]) => {
    const [, inner = '', after = ''] = /^(\w+) (.*)$/.exec(rest) ?? []
    return kind === framework ? [inner, after] : [kind, rest]
  })
  const shorten = (place: string): string =>
    place.replaceAll(new RegExp(`(?:${frameworks.join('|')})/${name}/`, 'g'), '')
  const said = places.map(shorten)
  const faults = faultsOf(one).map((fault) => `${fault} `)
  assert.ok(
    faults.some((fault) => said.some((one) => one.startsWith(fault))),
    `not shown: ${faults.join()}\n${said.join('\n')}`,
  )
  for (const [kind, rest = ''] of settings) {
    if (kind === 'first') assert.ok(said[0]?.startsWith(rest), said.join('\n'))
    if (kind === 'says')
      assert.ok(
        said.some((one) => one.includes(rest)),
        said.join('\n'),
      )
    if (kind === 'values') assert.equal(values.map(shorten).join(' '), rest)
    if (kind === 'unsaid') assert.ok(!page.includes(rest), page)
    if (kind === 'never') assert.ok(!said.some((one) => one.includes(rest)), said.join('\n'))
  }
}

/** Sets what an application finds in its environment while it is asked. */
async function surrounded(application: SmallApplication, work: () => Promise<void>): Promise<void> {
  const set = application.settings.flatMap(([kind, rest]): [string, string][] => {
    if (kind === 'zone') return [['TZ', rest]]
    const [name = '', value = ''] = rest.split('=')
    return kind === 'env' ? [[name, value]] : []
  })
  const known = set.map(([name]) => [name, process.env[name]] as const)
  for (const [name, value] of set) process.env[name] = value
  try {
    await work()
  } finally {
    for (const [name, value] of known) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

describe('where to change a small application', () => {
  for (const application of applications) {
    const { name } = application
    const inOurs = (): Promise<void> =>
      surrounded(application, async () => {
        const path = join(folder, 'own', name, 'own.ts')
        process.argv[1] = path
        const { routes } = (await import(path)) as { readonly routes: RouteCollection }
        const { context } = loadRuntimeContext({
          cwd: join(folder, 'own', name),
          env: { APP_ENV: 'dev', APP_STORE: 'memory:', PORT: '0' },
        })
        const app = await createApp({ routes, context, log: new LineList() })
        try {
          const { port } = await app.listen()
          check(application, 'own', await saidAt(port, application))
        } finally {
          await app.close()
        }
      })
    if (application.files.has('own.ts')) it(`${name}, in our own framework`, inOurs)

    for (const [framework, listenerOf] of Object.entries(listeners)) {
      if (!application.files.has(`${framework}.ts`)) continue
      it(`${name}, in ${framework}`, (test) =>
        surrounded(application, async () => {
          // Hono and Koa print errors there.
          test.mock.method(console, 'error', () => undefined)
          const path = join(folder, framework, name, `${framework}.ts`)
          process.argv[1] = path
          const { app } = (await import(path)) as { readonly app: never }
          const server = createServer(await listenerOf(app))
          await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
          try {
            check(application, framework, await saidAt((server.address() as AddressInfo).port, application))
          } finally {
            server.closeAllConnections()
            server.close()
          }
        }))
    }
  }
})
