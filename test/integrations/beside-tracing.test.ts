// OpenTelemetry's SDK and Sentry's in the same process, before us and after us: both see the request, and responses are as without us.
// Case 54 of the conformance table. One process serves both frameworks, since starting a tool costs most.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { request, type RawResponse } from '../support/raw-client.ts'
import { appFolder, register } from '../support/registered-app.ts'
import { runNode, type RunningProcess } from '../support/running-process.ts'
import { until } from '../support/until.ts'
import { profileOf, type SeenProfile } from './served.ts'
import { failedStepsOf, stepsOf } from './seen.ts'

type Tool = 'OpenTelemetry' | 'Sentry'
type Framework = (typeof frameworks)[number]

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

const frameworks = ['express', 'fastify'] as const

const applications: Readonly<Record<Framework, string>> = {
  express: `
const app = attach.express(require('express')())
app.use(function logger(request, response, next) { next() })
app.get('/orders/:id', function showOrder(request, response) { response.json({ id: request.params.id }) })
app.get('/broken', function broken() { throw new Error('The order is broken') })
globalThis.errorsToSentry?.(app)
const server = app.listen(0, '127.0.0.1', () => console.log('express http://127.0.0.1:' + server.address().port))`,
  fastify: `
const app = attach.fastify(require('fastify')())
app.addHook('onRequest', async function logger() {})
app.get('/pages/:id', async function showPage(request) { return { id: request.params.id } })
app.get('/torn', async function torn() { throw new Error('The page is torn') })
app.listen({ port: 0, host: '127.0.0.1' }).then((url) => console.log('fastify ' + url))`,
}

/** Paths and texts of each application: what a tool exports tells them apart. */
const parts = {
  express: { order: '/orders/7', route: '/orders/:id', broken: '/broken', message: 'The order is broken' },
  fastify: { order: '/pages/7', route: '/pages/:id', broken: '/torn', message: 'The page is torn' },
} as const satisfies Readonly<Record<Framework, object>>

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

const any = { headers: ['Accept: */*'] }
const page = { headers: ['Accept: text/html'] }

interface Outcome {
  readonly order: RawResponse
  readonly broken: RawResponse
  readonly page: RawResponse
  /** Of the first two; empty where it is off. */
  readonly profiles: readonly SeenProfile[]
}

interface Run extends Readonly<Record<Framework, Outcome>> {
  /** Sorted. */
  readonly exported: readonly string[]
}

async function run(tool: Tool, way: Way, isOn: boolean): Promise<Run> {
  const { preloaded, begins } = way
  const attaching = frameworks.map((framework) => {
    const entry = join(import.meta.dirname, `../../src/${framework}.ts`)
    return `attach.${framework} = require(${JSON.stringify(entry)}).fanlight`
  })
  const begin = begins.flatMap((part) => (part === 'us' ? attaching : ["require('./tool.cjs')"]))
  await using folder = appFolder({
    'tool.cjs': tools[tool],
    'app.cjs': [
      'const attach = { express: (app) => app, fastify: (app) => app }',
      ...begin,
      ...frameworks.map((framework) => `{${applications[framework]}\n}`),
    ].join('\n'),
  })
  const files = preloaded.map((part) => (part === 'us' ? register : pathToFileURL(join(folder.path, 'tool.cjs')).href))
  // With this, Express prints no stack into its responses.
  const env = { FANLIGHT: isOn ? 'on' : 'off', NODE_ENV: 'production' }
  await using running = await runNode([...files.flatMap((file) => ['--import', file]), 'app.cjs'], env, folder.path)
  const outcomeOf = async (framework: Framework): Promise<Outcome> => {
    const port = await portOf(running, framework)
    const { order: path, broken: brokenPath } = parts[framework]
    const order = await request(port, { target: path, ...any })
    const broken = await request(port, { target: brokenPath, ...any })
    const drawn = await request(port, { target: brokenPath, ...page })
    const tokens = isOn ? [order, broken].map((response) => response.header('x-debug-token') ?? '') : []
    return { order, broken, page: drawn, profiles: await Promise.all(tokens.map((token) => profileOf(port, token))) }
  }
  const outcomes = { express: await outcomeOf('express'), fastify: await outcomeOf('fastify') }
  await running.end('SIGTERM')
  const line = running.output.trim().split('\n').at(-1) ?? ''
  assert.ok(line.startsWith('['), running.output)
  return { ...outcomes, exported: (JSON.parse(line) as string[]).sort() }
}

async function portOf(running: RunningProcess, framework: Framework): Promise<number> {
  const listening = new RegExp(`${framework} http://127\\.0\\.0\\.1:(\\d+)\\n`)
  await until(() => listening.test(running.output))
  return Number(listening.exec(running.output)?.[1])
}

const ours = new Set(['x-debug-token', 'x-debug-token-link', 'server-timing', 'date'])

function comparable({ status, reason, headers, body }: RawResponse): object {
  return { status, reason, body, headers: headers.filter(([name]) => !ours.has(name)) }
}

/** What a tool has to export after one request of the order and two that break, to each application. */
const exported: Readonly<Record<Tool, readonly string[]>> = {
  OpenTelemetry: [
    'GET /broken /broken root',
    'GET /broken /broken root',
    'GET /orders/:id /orders/7 root',
    'GET /pages/7 root',
    'GET /torn root',
    'GET /torn root',
    ...Array<string>(3).fill('middleware - logger  inside'),
    ...Array<string>(3).fill('request handler  inside'),
  ],
  // Sentry sends one of two equal errors.
  Sentry: [
    'error The order is broken',
    'error The page is torn',
    'request GET /broken',
    'request GET /broken',
    'request GET /orders/:id',
    'request GET /pages/:id',
    'request GET /torn',
    'request GET /torn',
  ],
}

for (const tool of ['OpenTelemetry', 'Sentry'] as const) {
  describe(`${tool} without us`, () => {
    let off: Run
    before(async () => {
      off = await run(tool, ways[0], false)
    })
    for (const way of ways) {
      describe(`and ${way.name}`, () => {
        let on: Run
        before(async () => {
          on = await run(tool, way, true)
        })
        it('exports the same', () => {
          assert.deepEqual(on.exported, exported[tool])
          assert.deepEqual(on.exported, off.exported)
        })
        for (const framework of frameworks) {
          it(`in an application of ${framework}: profile and error page are ours, JSON is as without us`, () => {
            const { route, broken: brokenPath, message } = parts[framework]
            assert.deepEqual(comparable(on[framework].order), comparable(off[framework].order))
            assert.deepEqual(comparable(on[framework].broken), comparable(off[framework].broken))
            const drawn = on[framework].page
            assert.equal(drawn.status, 500)
            assert.match(drawn.body, new RegExp(`<a class="brand" href="/_profiler[^]*${message}`))
            assert.doesNotMatch(off[framework].page.body, /_profiler/)
            const [order, broken] = on[framework].profiles
            assert.ok(order !== undefined && broken !== undefined)
            assert.deepEqual([order.route, broken.route], [route, brokenPath])
            assert.deepEqual([broken.errorClass, broken.errorMessage], ['Error', message])
            assert.equal(failedStepsOf(broken).length > 0, true)
            const steps = stepsOf(order)
            if (framework === 'express') {
              assert.deepEqual(steps, ['middleware logger', 'controller showOrder'])
            } else {
              assert.ok(
                steps.some((step) => step.startsWith('hook onRequest')),
                String(steps),
              )
              assert.ok(
                steps.some((step) => step.startsWith('controller')),
                String(steps),
              )
            }
          })
        }
      })
    }
  })
}
