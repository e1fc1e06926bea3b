// Starts one application of the table in its own process and does what the test asks for in messages.

import { channel } from 'node:diagnostics_channel'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openGate, type Attach, type Build } from './application.ts'
import { answerUpgrade } from './upgrade.ts'

/** What a test may ask of the process. */
export type Question =
  | { readonly ask: 'open'; readonly gate: string }
  | { readonly ask: 'inject'; readonly path: string }
  | { readonly ask: 'start'; readonly attached: AttachedWhen }
  | { readonly ask: 'facts' }
  | { readonly ask: 'close' }

/** When `fanlight` is called: as the first thing, after the routes, after `listen()`, twice, or by nobody. */
export type AttachedWhen = 'first' | 'after-routes' | 'after-listen' | 'twice' | 'never'

/** What can be seen from outside of whether we are there. */
export interface Facts {
  readonly hasSubscribers: Readonly<Record<string, boolean>>
  /** Own properties of the server that one of Node's does not have. */
  readonly serverKeys: readonly string[]
  /** Files of ours that were loaded. */
  readonly loaded: readonly string[]
}

const framework = process.env['CONFORMANCE_FRAMEWORK'] ?? ''
const attachedWhen = (process.env['CONFORMANCE_ATTACHED'] ?? 'never') as AttachedWhen
const options: unknown = JSON.parse(process.env['CONFORMANCE_OPTIONS'] ?? '{}')

const sources: Readonly<Record<string, readonly [application: string, entry: string]>> = {
  node: ['node', 'http'],
  express: ['express', 'express'],
  express4: ['express', 'express'],
  fastify: ['fastify', 'fastify'],
  koa: ['koa', 'koa'],
  hono: ['hono', 'hono'],
  h3: ['h3', 'h3'],
  nest: ['nest', 'nest'],
  'nest-fastify': ['nest', 'nest'],
}
const [application, entry] = sources[framework] ?? ['', '']
const { default: build } = (await import(`./${application}.ts`)) as { default: Build }

// As many services do; else one rejection would end the process of a whole column.
process.on('unhandledRejection', (reason) => process.stderr.write(`rejected: ${String(reason)}\n`))

const servers: Server[] = []
const first = await start(attachedWhen)

async function start(when: AttachedWhen): Promise<{ port: number; inject: Awaited<ReturnType<Build>>['inject'] }> {
  const attach = when === 'never' ? keep : await entryOf()
  const built = await build(when === 'first' || when === 'twice' ? attach : keep)
  if (when === 'after-routes' || when === 'twice') attach(built.application)
  const server = await built.listen()
  if (when === 'after-listen') attach(built.application)
  server.on('upgrade', answerUpgrade)
  servers.push(server)
  return { port: (server.address() as AddressInfo).port, inject: built.inject }
}

function keep<Application extends object>(application: Application): Application {
  return application
}

async function entryOf(): Promise<Attach> {
  const { fanlight } = (await import(`../../../src/${entry}.ts`)) as {
    fanlight: (application: object, options?: unknown) => object
  }
  return (given) => {
    const back = fanlight(given, options)
    if (back !== given) throw new Error('fanlight() gives back another object')
    return given
  }
}

process.on('message', (message: Question & { readonly id: number }) => {
  if (message.ask === 'close') return close()
  void answer(message).then(
    (value) => process.send?.({ id: message.id, value }),
    (thrown: unknown) => process.send?.({ id: message.id, error: String(thrown) }),
  )
})

/** Lets the process end by itself. */
function close(): void {
  for (const server of servers) server.close()
  process.disconnect()
}

async function answer(question: Exclude<Question, { ask: 'close' }>): Promise<unknown> {
  switch (question.ask) {
    case 'open':
      return openGate(question.gate)
    case 'inject':
      return (await first.inject?.(question.path)) ?? null
    case 'start':
      return (await start(question.attached)).port
    case 'facts':
      return facts()
  }
}

function facts(): Facts {
  const names = [
    'http.server.request.start',
    'http.server.response.created',
    'http.server.response.finish',
    'tracing:express.router.request:start',
    'tracing:express.router.request:end',
    'fastify.initialization',
    'console.log',
    'console.warn',
    'tracing:pino_asJson:start',
    'undici:request:create',
  ]
  const own = new Set(Reflect.ownKeys(createServer()))
  return {
    hasSubscribers: Object.fromEntries(names.map((name) => [name, channel(name).hasSubscribers])),
    serverKeys: servers.flatMap((server) =>
      Reflect.ownKeys(server)
        .filter((key) => !own.has(key))
        .map(String),
    ),
    loaded: [...(globalThis.loadedFilesOfOurs ?? [])],
  }
}

process.send?.({ port: first.port })
