// Applications that break what the runtime gives them, for themselves and for us: profiles stay readable, and times stay right.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { compiledCode } from '../support/compiled-code.ts'
import { freePort } from '../support/free-port.ts'
import { appFolder } from '../support/registered-app.ts'
import { until } from '../support/until.ts'

const root = join(import.meta.dirname, '../..')

const throwing = (...methods: readonly string[]): string =>
  methods.map((method) => `${method} = function () { throw new Error('patched ${method}') }`).join('\n')

/** Each is a process of its own: what is broken together is read in different places. */
const breaks: Readonly<Record<string, string>> = {
  'members of Object.prototype and Array.prototype': `Object.prototype.theme = 'dark'
    Object.prototype.settings = { list: [1], self: {} }
    Object.prototype.extend = function () {}
    Array.prototype.last = function () { return this.at(-1) }
    Array.prototype.extra = 1`,
  'fake timers and clocks': "(await import('node:test')).mock.timers.enable()",
  'another Date and another performance': `const Real = Date
    globalThis.Date = class extends Real {
      constructor(...given) { super(...(given.length > 0 ? given : [0])) }
      static now() { return 0 }
    }
    performance.now = () => 42`,
  'JSON that throws': throwing('JSON.stringify', 'JSON.parse'),
  'JSON that gives something else': `const { stringify } = JSON
    JSON.stringify = (...given) => '/* patched */' + stringify(...given)
    JSON.parse = () => ({ patched: true })`,
  'toJSON on prototypes': ['Array', 'BigInt', 'Date', 'Map', 'Number', 'Object', 'String']
    .map((name) => `${name}.prototype.toJSON = () => 'patched'`)
    .join('\n'),
  'methods of lists, text and maps that throw': `${throwing(
    ...['map', 'includes', 'filter', 'some', 'find', 'flatMap', 'slice', 'join', 'at', 'concat', 'forEach'].map(
      (name) => `Array.prototype.${name}`,
    ),
    ...['split', 'includes', 'trim', 'startsWith', 'padStart'].map((name) => `String.prototype.${name}`),
    ...['get', 'has', 'set', 'delete', 'values'].map((name) => `Map.prototype.${name}`),
    'Math.max',
    'Object.fromEntries',
  )}
    globalThis.seen = () => { try { return [1].map(String) } catch { return 'patched' } }`,
  'timers of its own': `globalThis.setTimeout = globalThis.setInterval = () => 0
    globalThis.queueMicrotask = () => {}
    globalThis.performance = { now: () => 1 }
    process.hrtime = () => [0, 0]`,
}

const programs: Readonly<Record<string, (lines: string) => string>> = {
  Express: (lines) => `import express from 'express'
const app = express()
app.get('/break', async (request, response) => { ${lines}; response.end('broken') })
app.get('/fine', (request, response) => void response.end(globalThis.seen?.() ?? 'fine'))
app.listen(Number(process.env.PORT), '127.0.0.1')
`,
  Fanlight: (
    lines,
  ) => `import { createApp, RouteCollection, run, text } from '${pathToFileURL(join(root, 'src/index.ts')).href}'
const routes = new RouteCollection()
  .get('break', '/break', async () => { ${lines}; return text('broken') })
  .get('fine', '/fine', () => text(globalThis.seen?.() ?? 'fine'))
await run((context) => createApp({ context, routes }))
`,
}

for (const [framework, program] of Object.entries(programs)) {
  describe(`a runtime that is broken, in ${framework}`, () => {
    for (const [name, lines] of Object.entries(breaks)) {
      it(`survives ${name}`, async () => {
        await using folder = appFolder({ 'app.mjs': program(lines), 'package.json': '{}' })
        const port = await freePort()
        const env = {
          PATH: process.env['PATH'],
          FANLIGHT: 'on',
          FANLIGHT_STORE: 'memory:',
          APP_STORE: 'memory:',
          PORT: `${port}`,
          ...compiledCode,
        }
        const app = spawn(process.execPath, ['--require', join(root, 'src/preload.cts'), 'app.mjs'], {
          cwd: folder.path,
          env,
          stdio: 'ignore',
        })
        const get = async (path: string, accept = 'text/html'): Promise<Response> =>
          fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept, connection: 'close' } })
        try {
          await until(async () => (await get('/fine').catch(() => undefined))?.status === 200)
          const before = await get('/fine')
          await get('/break')
          const after = await get('/fine')
          // The application keeps what it has made of the runtime.
          assert.equal(await after.text(), lines.includes('globalThis.seen') ? 'patched' : 'fine')
          for (const response of [before, after]) {
            const token = response.headers.get('x-debug-token')
            for (const path of [
              `/_profiler/${token}`,
              `/_profiler/${token}?panel=time`,
              `/_profiler/${token}.md`,
              '/_profiler/',
            ]) {
              const page = await get(path)
              assert.equal(page.status, 200, `${path}: ${await page.text()}`)
            }
            const profile = (await (await get(`/_profiler/${token}`, 'application/json')).json()) as Record<
              string,
              number
            >
            const { durationMs = -1, time = 0, status } = profile
            assert.equal(status, 200)
            assert.ok(durationMs > 0 && durationMs < 60_000, `${durationMs} ms`)
            assert.ok(Math.abs(Date.now() - time) < 120_000, new Date(time).toISOString())
          }
          assert.equal((await get('/none')).status, 404)
        } finally {
          app.kill('SIGKILL')
        }
      })
    }
  })
}
