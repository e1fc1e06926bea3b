// What an application prints of its errors is what it prints without us: stacks, and the end of a process. Each program runs twice.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { appFolder, register, type Ended } from '../support/registered-app.ts'

const packages = join(import.meta.dirname, '../../node_modules')
const older = join(import.meta.dirname, 'older/node_modules')

/** Asks for each path twice and prints what it gets. `handlers` is an object of them, by path, with `show(text)` for their response. */
const asking = `
const paths = ['/thrown', '/passed', '/caught', '/deep', '/later', '/sites', '/body']
async function ask(port) {
  for (const path of [...paths, ...paths]) {
    const init = path === '/body' ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a' } : {}
    console.log(path, await (await fetch('http://127.0.0.1:' + port + path, init)).text())
  }
  process.exit()
}
const deep = (calls) => (calls === 0 ? new Error('deep') : deep(calls - 1))
function sites() {
  const usual = Error.prepareStackTrace
  Error.prepareStackTrace = (_, frames) => frames
  const { stack } = new Error('here')
  Error.prepareStackTrace = usual
  return stack.join('\\n')
}
async function rejects() {
  await null
  throw new Error('later')
}`

const express = (from: string): string => `${asking}
const express = require(${JSON.stringify(from)})
const app = express()
app.use(function first(request, response, next) { next() }, express.json())
const inner = express.Router()
inner.get('/thrown', function thrown() { throw new Error('thrown') })
inner.get('/passed', (request, response, next) => next(new Error('passed on')))
inner.get('/caught', (request, response) => { try { null.x } catch (error) { response.send(error.stack) } })
inner.get('/deep', (request, response) => response.send(deep(20).stack))
inner.get('/later', (request, response) => void rejects().catch((error) => response.send(error.stack)))
inner.get('/sites', (request, response) => response.send(sites()))
app.use('/', inner)
app.use((error, request, response, next) => response.status(500).send(error.stack))
const server = app.listen(0, () => ask(server.address().port))`

const fastify = `${asking}
const app = require('fastify')()
app.setErrorHandler((error, request, reply) => reply.status(500).send(error.stack))
app.get('/thrown', function thrown() { throw new Error('thrown') })
app.get('/passed', (request, reply) => reply.send(new Error('passed on')))
app.get('/caught', (request, reply) => { try { null.x } catch (error) { reply.send(error.stack) } })
app.get('/deep', (request, reply) => reply.send(deep(20).stack))
app.get('/later', async () => (await rejects().catch((error) => error)).stack)
app.get('/sites', (request, reply) => reply.send(sites()))
app.post('/body', () => 'taken')
app.listen({ port: 0 }, () => ask(app.server.address().port))`

async function printed(
  code: string,
  isOn: boolean,
  file = 'app.cjs',
): Promise<{ text: string; exitCode: number | null }> {
  await using app = appFolder({ [file]: code })
  const args = isOn ? ['--require', fileURLToPath(register), file] : [file]
  const { stdout, stderr, exitCode } = await app.run(args)
  // Where the profiler is.
  const said = (stdout + stderr).replace(/^Fanlight: http:.*\n/m, '')
  return { text: said.replaceAll(app.path, ''), exitCode }
}

describe('stacks that an application sees', () => {
  for (const [name, code] of [
    ['Express 5 with router 2.3', express(join(packages, 'express'))],
    ['Express 5 with router 2.2', express(join(older, 'express5'))],
    ['Express 4', express(join(older, 'express'))],
    ['Fastify', fastify],
  ] as const) {
    it(`are those without us: ${name}`, async () => {
      const [plain, observed] = await Promise.all([printed(code, false), printed(code, true)])
      assert.match(plain.text, /^\/thrown Error: thrown\n/)
      assert.equal(observed.text, plain.text)
    })
  }
})

describe('stacks of an application that asks for another number of frames', () => {
  for (const change of ['+= 6', '= 3', '= 0']) {
    it(`are those without us: Error.stackTraceLimit ${change}`, async () => {
      const code = `Error.stackTraceLimit ${change}\n${express(join(older, 'express'))}`
      const [plain, observed] = await Promise.all([printed(code, false), printed(code, true)])
      assert.equal(observed.text, plain.text)
    })
  }
})

/** Node 26 has it where the request waited, as the first one does for us; older ones always have it. */
const frameOfTick = / +at process\.processTicksAndRejections .*\n/

const endings: Readonly<Record<string, string>> = {
  'a throw in a timer': "setTimeout(function later() { throw new Error('in a timer') })",
  'a throw in an event': "events.on('go', function hear() { null.x }); setImmediate(() => events.emit('go'))",
  'an event of the response':
    "response.on('go', () => { throw new Error('go') }); setImmediate(() => response.emit('go'))",
  'an error event that nobody hears': "setImmediate(() => events.emit('error', new Error('unheard')))",
  'a promise that is rejected': "Promise.reject(new RangeError('rejected'))",
  'an async function that throws': "(async () => { await null; throw new Error('async') })()",
  'a text that is thrown': "setTimeout(() => { throw 'a text' })",
  'a text as a reason': "Promise.reject('a text')",
}
const servers: Readonly<Record<'Express' | 'Fastify', (code: string) => string>> = {
  Express: (code) => `const app = express()
app.get('/', (request, response) => {
  ${code}
})
const server = app.listen(0, () => fetch('http://127.0.0.1:' + server.address().port).catch(() => undefined))`,
  Fastify: (code) => `const app = fastify()
app.get('/', ({ raw: request }, { raw: response }) => {
  ${code}
  return new Promise(() => undefined)
})
app.listen({ port: 0 }, () => fetch('http://127.0.0.1:' + app.server.address().port).catch(() => undefined))`,
}

/** What the second module system and the second framework have a part in; all with `npm run test:frameworks`. */
const ofModules = ['at top level', 'a throw in a timer', 'a promise that is rejected']
const ofFramework = [
  'a throw in an event',
  'an event of the response',
  'an async function that throws',
  'a text that is thrown',
]
const isWhole = process.env['CONFORMANCE'] === 'whole'

describe('the end of a process', () => {
  for (const [server, kind, chosen] of [
    ['Express', 'cjs', undefined],
    ['Express', 'mjs', ofModules],
    ['Fastify', 'cjs', ofFramework],
  ] as const) {
    it(`is printed as without us: ${server}, .${kind}`, async () => {
      const load = (name: string, from: string): string =>
        kind === 'cjs' ? `const ${name} = require('${from}')\n` : `import ${name} from '${from}'\n`
      const head = `${load('EventEmitter', 'node:events')}${load(server.toLowerCase(), server.toLowerCase())}const events = new EventEmitter()\n`
      const ended = {
        'at top level': 'null.missing',
        ...Object.fromEntries(Object.entries(endings).map(([name, code]) => [name, servers[server](code)])),
      }
      const isChosen = (name: string): boolean => isWhole || chosen === undefined || chosen.includes(name)
      for (const [name, code] of Object.entries(ended).filter(([name]) => isChosen(name))) {
        const run = (isOn: boolean): ReturnType<typeof printed> => printed(head + code, isOn, `app.${kind}`)
        const [plain, observed] = await Promise.all([run(false), run(true)])
        assert.equal(plain.exitCode, 1)
        assert.equal(observed.exitCode, 1)
        assert.equal(observed.text.replace(frameOfTick, ''), plain.text.replace(frameOfTick, ''), name)
      }
    })
  }
})

/** Serves `/thrown`, and `/own`, which prints before it fails. Asks for both and prints the channels of the lines in their profiles. */
const printing: Readonly<Record<string, string>> = {
  express: `import express from 'express'
const app = express()
app.get('/thrown', () => { throw new Error('told once') })
app.get('/own', (request, response, next) => { own(); next(new Error('told once')) })
const server = app.listen(0, () => ask(server.address().port))`,
  koa: `import Koa from 'koa'
const app = new Koa()
app.use(({ path }) => { if (path === '/own') own(); if (path.length < 9) throw new Error('told once') })
const server = app.listen(0, () => ask(server.address().port))`,
  hono: `import { serve } from '@hono/node-server'
import { Hono } from 'hono'
const app = new Hono()
app.get('/thrown', () => { throw new Error('told once') })
app.get('/own', () => { own(); throw new Error('told once') })
serve({ fetch: app.fetch, port: 0 }, ({ port }) => ask(port))`,
  h3: `import { H3, serve } from 'h3'
const app = new H3()
app.get('/thrown', () => { throw new Error('told once') })
app.get('/own', () => { own(); throw new Error('told once') })
const server = serve(app, { port: 0, silent: true })
await server.ready()
ask(new URL(server.url).port)`,
}
const readingLines = `
const own = () => console.error(new Error('by the application').message)
async function ask(port) {
  const lines = []
  for (const path of ['/thrown', '/own']) {
    const { headers } = await fetch('http://127.0.0.1:' + port + path + '?password=hunter2', { headers: { accept: 'application/json' } })
    await new Promise((done) => setTimeout(done, 50))
    const profile = await fetch('http://127.0.0.1:' + port + '/_profiler/' + headers.get('x-debug-token') + '.json')
    const { logger } = profile.ok ? (await profile.json()).data : { logger: { records: [] } }
    lines.push(logger.records.map(({ channel }) => channel))
  }
  console.log(JSON.stringify(lines))
  process.exit()
}`

describe('an error that the framework prints', () => {
  for (const [framework, code] of Object.entries(printing)) {
    const program = `${code}${readingLines}`
    const run = async (env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> => {
      await using app = appFolder({ 'app.mjs': program, 'terminal.mjs': 'process.stderr.isTTY = true' })
      const ended = await app.run(['--require', fileURLToPath(register), ...args, 'app.mjs'], env)
      return { ...ended, stderr: ended.stderr.replaceAll(app.path, '') }
    }

    it(`is printed as without us, and no line of the request: ${framework}`, async () => {
      const [plain, observed] = await Promise.all([run({ FANLIGHT: 'off' }), run({})])
      assert.match(plain.stderr, /Error: told once\n[^]*by the application/)
      // The first request waits for the profiler, which its stack shows.
      const withoutFrames = (text: string): string => text.replaceAll(/^ +(?:at|\.\.\.) .*\n|^Fanlight: .*\n/gm, '')
      assert.equal(withoutFrames(observed.stderr), withoutFrames(plain.stderr))
      assert.deepEqual(JSON.parse(observed.stdout), [['kernel'], ['console', 'kernel']])
    })

    it(`comes in colours, with source, on a terminal: ${framework}`, async () => {
      const { stderr } = await run({}, '--import', './terminal.mjs')
      assert.equal(stderr.split('\u001b[1;37;41m').length, 3, stderr)
      assert.doesNotMatch(stderr, /^ *Error: told once/m)
      assert.match(stderr, /\u001b\]8;;file:.*app\.mjs[^]*> +\d+ \|.*once[^]*by the application[^]*> +\d+ \|.*once/)
      assert.match(stderr, /GET http:\/\/127\.0\.0\.1:\d+\/own\?password=\*{6}\n/)
    })
  }
})

it('a request that hangs is told on a terminal, once', async () => {
  const program = `const app = require('express')()
require('${join(import.meta.dirname, '../../src/express.ts')}').fanlight(app, { hungRequestMs: 50 })
app.get('/waits', () => undefined)
const server = app.listen(0, '127.0.0.1', () => {
  fetch('http://127.0.0.1:' + server.address().port + '/waits?password=hunter2').catch(() => undefined)
})
const { write } = process.stderr
process.stderr.write = (text) => {
  if (/has not responded/.test(text)) setTimeout(() => process.exit(), 300)
  return write.call(process.stderr, text)
}`
  await using app = appFolder({ 'app.cjs': program, 'terminal.mjs': 'process.stderr.isTTY = true' })
  const { stderr } = await app.run(['--import', './terminal.mjs', 'app.cjs'])
  const told = stderr.match(/^Fanlight: .* has not responded .*$/gm) ?? []
  assert.equal(told.length, 1, stderr)
  assert.match(told[0], /^Fanlight: GET http:\S+\/waits\?password=\*{6} has not responded for [\d.]+ s\. In .*\/waits/)
})
