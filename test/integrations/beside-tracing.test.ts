// OpenTelemetry's SDK and Sentry's in the same process, before us and after us: both see the request, and responses are as without us.
// Case 54 of the conformance table.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { request, type RawResponse } from '../support/raw-client.ts'
import { appFolder, register } from '../support/registered-app.ts'
import { runNode } from '../support/running-process.ts'
import { profileOf, type SeenProfile } from './served.ts'
import { failedStepsOf, stepsOf } from './seen.ts'

type Tool = 'OpenTelemetry' | 'Sentry'
type Framework = 'express' | 'fastify'

/** What a tool exported, printed as one line of JSON when the process is told to end. */
const tools: Readonly<Record<Tool, string>> = {
  OpenTelemetry: `
const { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-node')
const { registerInstrumentations } = require('@opentelemetry/instrumentation')
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http')
const { ExpressInstrumentation } = require('@opentelemetry/instrumentation-express')
const exporter = new InMemorySpanExporter()
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()
registerInstrumentations({ instrumentations: [new HttpInstrumentation(), new ExpressInstrumentation()] })
process.once('SIGTERM', () => {
  const seen = exporter.getFinishedSpans().map(({ name, attributes, parentSpanContext }) =>
    [name, attributes['url.path'] ?? attributes['http.target'] ?? '', parentSpanContext === undefined ? 'root' : 'inside'].join(' '))
  console.log(JSON.stringify(seen))
  process.exit()
})`,
  Sentry: `
const Sentry = require('@sentry/node')
const seen = []
Sentry.init({
  dsn: 'http://public@127.0.0.1:9/1',
  tracesSampleRate: 1,
  transport: (options) => Sentry.createTransport(options, async ({ body }) => {
    for (const line of String(body).split('\\n')) {
      const item = JSON.parse(line)
      if (item.exception !== undefined) seen.push('error ' + item.exception.values.at(-1).value)
      // It sees requests for the profiler, too.
      const requests = item.items?.filter((span) => span.is_segment && !JSON.stringify(span).includes('/_profiler')) ?? []
      seen.push(...requests.map(({ name }) => 'request ' + name))
    }
    return { statusCode: 200 }
  }),
})
globalThis.errorsToSentry = (app) => Sentry.setupExpressErrorHandler(app)
process.once('SIGTERM', async () => {
  await Sentry.flush(20_000)
  console.log(JSON.stringify(seen))
  process.exit()
})`,
}

const applications: Readonly<Record<Framework, string>> = {
  express: `
const express = require('express')
const app = attach(express())
app.use(function logger(request, response, next) { next() })
app.get('/orders/:id', function showOrder(request, response) { response.json({ id: request.params.id }) })
app.get('/broken', function broken() { throw new Error('The order is broken') })
globalThis.errorsToSentry?.(app)
const server = app.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port))`,
  fastify: `
const app = attach(require('fastify')())
app.addHook('onRequest', async function logger() {})
app.get('/orders/:id', async function showOrder(request) { return { id: request.params.id } })
app.get('/broken', async function broken() { throw new Error('The order is broken') })
app.listen({ port: 0, host: '127.0.0.1' }).then((url) => console.log(url))`,
}

/** How we come into the process: what is preloaded, and how the application begins. */
interface Way {
  readonly name: string
  readonly preloaded: readonly ('us' | 'tool')[]
  readonly begins: readonly ('us' | 'tool')[]
}

const ways = [
  { name: 'before fanlight/register', preloaded: ['tool', 'us'], begins: [] },
  { name: 'after fanlight/register', preloaded: ['us', 'tool'], begins: [] },
  { name: 'before the module of fanlight(app)', preloaded: ['tool'], begins: ['us'] },
  { name: 'after the module of fanlight(app)', preloaded: [], begins: ['us', 'tool'] },
] as const satisfies readonly Way[]

const json = { headers: ['Accept: application/json'] }
const page = { headers: ['Accept: text/html'] }

interface Outcome {
  readonly order: RawResponse
  readonly broken: RawResponse
  readonly page: RawResponse
  /** Of the first two; empty where it is off. */
  readonly profiles: readonly SeenProfile[]
  /** Sorted. */
  readonly exported: readonly string[]
}

async function run(tool: Tool, framework: Framework, way: Way, isOn: boolean): Promise<Outcome> {
  const { preloaded, begins } = way
  const entry = join(import.meta.dirname, `../../src/${framework}.ts`)
  const begin = begins.map((part) =>
    part === 'us' ? `attach = require(${JSON.stringify(entry)}).fanlight` : "require('./tool.cjs')",
  )
  await using folder = appFolder({
    'tool.cjs': tools[tool],
    'app.cjs': ['let attach = (app) => app', ...begin, applications[framework]].join('\n'),
  })
  const files = preloaded.map((part) => (part === 'us' ? register : pathToFileURL(join(folder.path, 'tool.cjs')).href))
  // With this, Express prints no stack into its responses.
  const env = { APP_ENV: isOn ? 'dev' : 'prod', NODE_ENV: 'production' }
  await using running = await runNode([...files.flatMap((file) => ['--import', file]), 'app.cjs'], env, folder.path)
  const port = Number(new URL(running.url).port)
  const order = await request(port, { target: '/orders/7', ...json })
  const broken = await request(port, { target: '/broken', ...json })
  const drawn = await request(port, { target: '/broken', ...page })
  const tokens = isOn ? [order, broken].map((response) => response.header('x-debug-token') ?? '') : []
  const profiles = await Promise.all(tokens.map(async (token) => profileOf(port, token)))
  await running.end('SIGTERM')
  const line = running.output.trim().split('\n').at(-1) ?? ''
  assert.ok(line.startsWith('['), running.output)
  return { order, broken, page: drawn, profiles, exported: (JSON.parse(line) as string[]).sort() }
}

const ours = new Set(['x-debug-token', 'x-debug-token-link', 'server-timing', 'date'])

function comparable({ status, reason, headers, body }: RawResponse): object {
  return { status, reason, body, headers: headers.filter(([name]) => !ours.has(name)) }
}

/** What a tool has to export after one request of the order and two that break. */
const exported: Readonly<Record<Tool, Readonly<Record<Framework, readonly string[]>>>> = {
  OpenTelemetry: {
    express: [
      'GET /broken /broken root',
      'GET /broken /broken root',
      'GET /orders/:id /orders/7 root',
      ...Array<string>(3).fill('middleware - logger  inside'),
      ...Array<string>(3).fill('request handler  inside'),
    ],
    fastify: ['GET /broken root', 'GET /broken root', 'GET /orders/7 root'],
  },
  // Sentry sends one of two equal errors.
  Sentry: {
    express: ['error The order is broken', 'request GET /broken', 'request GET /broken', 'request GET /orders/:id'],
    fastify: ['error The order is broken', 'request GET /broken', 'request GET /broken', 'request GET /orders/:id'],
  },
}

for (const tool of ['OpenTelemetry', 'Sentry'] as const) {
  for (const framework of ['express', 'fastify'] as const) {
    describe(`${tool} in an application of ${framework}`, () => {
      let off: Outcome
      before(async () => {
        off = await run(tool, framework, ways[0], false)
      })
      for (const way of ways) {
        it(`${way.name}: it exports the same, profile and error page are ours, JSON is as without us`, async () => {
          const on = await run(tool, framework, way, true)
          assert.deepEqual(on.exported, exported[tool][framework])
          assert.deepEqual(on.exported, off.exported)
          assert.deepEqual(comparable(on.order), comparable(off.order))
          assert.deepEqual(comparable(on.broken), comparable(off.broken))
          assert.equal(on.page.status, 500)
          assert.match(on.page.body, /<a class="brand" href="\/_profiler[^]*The order is broken/)
          assert.doesNotMatch(off.page.body, /_profiler/)
          const [order, broken] = on.profiles
          assert.ok(order !== undefined && broken !== undefined)
          assert.deepEqual([order.route, broken.route], ['/orders/:id', '/broken'])
          assert.deepEqual([broken.errorClass, broken.errorMessage], ['Error', 'The order is broken'])
          assert.equal(failedStepsOf(broken).length > 0, true)
          if (framework === 'express') {
            assert.deepEqual(stepsOf(order), ['middleware logger', 'controller showOrder'])
          } else {
            assert.ok(
              stepsOf(order).some((step) => step.startsWith('hook onRequest')),
              String(stepsOf(order)),
            )
            assert.ok(
              stepsOf(order).some((step) => step.startsWith('controller')),
              String(stepsOf(order)),
            )
          }
        })
      }
    })
  }
}
