// What `fanlight dev` responds on the port of a program that has crashed, until it starts again.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { compiledCode } from '../support/compiled-code.ts'
import { freePort } from '../support/free-port.ts'
import { noWatchOfSyntaxError } from '../support/node-features.ts'
import { ownCertificate } from '../support/own-certificate.ts'
import { appFolder, type AppFolder } from '../support/registered-app.ts'
import { request } from '../support/raw-client.ts'
import { until, untilAgain } from '../support/until.ts'

const root = join(import.meta.dirname, '../..')
const library = pathToFileURL(join(root, 'src/index.ts')).href

const express = (late: string): string => `import express from 'express'
const app = express()
app.get('/', (request, response) => void response.send('<h1>open</h1>'))
app.get('/late', (request, response) => {
  setTimeout(() => { ${late} }, 20)
  response.json({})
})
app.listen(Number(process.env.AT), '127.0.0.1')
`
const crashing = express("Promise.reject(new RangeError('no seats, password=hunter2'))")

interface Dev {
  readonly origin: string
  /** What it printed so far. */
  readonly said: () => string
  readonly get: (
    path: string,
    accept?: string,
    method?: string,
  ) => Promise<{ status: number; type: string; text: string }>
}

/** Runs the command in a folder while `work` looks at it. */
async function withDev(
  folder: AppFolder,
  args: readonly string[],
  env: (port: string) => Readonly<Record<string, string>>,
  work: (dev: Dev) => Promise<void>,
): Promise<void> {
  const port = String(await freePort())
  const origin = `http://127.0.0.1:${port}`
  const dev = spawn(process.execPath, [join(root, 'src/cli/main.ts'), 'dev', ...args], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'], ...compiledCode, ...env(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(dev, 'close')
  let said = ''
  for (const output of [dev.stdout, dev.stderr]) output.on('data', (chunk: Buffer) => (said += chunk.toString()))
  try {
    await work({
      origin,
      said: () => said,
      get: async (path, accept = 'text/html', method = 'GET') => {
        // A connection that was handed to a process which has just ended gets no response: another one does, given longer.
        for (let patienceMs = 5000; ; patienceMs *= 2) {
          const signal = AbortSignal.timeout(patienceMs)
          try {
            const response = await fetch(origin + path, { method, headers: { accept, connection: 'close' }, signal })
            const type = response.headers.get('content-type') ?? ''
            return { status: response.status, type, text: await response.text() }
          } catch (error) {
            if (!signal.aborted || patienceMs > 60_000) throw error
          }
        }
      },
    })
  } finally {
    dev.kill('SIGTERM')
    await ended
  }
}

const isUp = async ({ get }: Dev): Promise<boolean> => {
  try {
    return (await get('/')).text.includes('<h1>open</h1>')
  } catch {
    return false
  }
}

describe('fanlight dev -- node app.mjs after a crash', () => {
  it('keeps the port with the error, opens the profile, names it on the terminal, and starts again after a change', async () => {
    await using folder = appFolder({ 'app.mjs': crashing, 'package.json': '{"dependencies":{"express":"5"}}' })
    const node = ['--', process.execPath, 'app.mjs']
    await withDev(
      folder,
      node,
      (port) => ({ AT: port }),
      async (dev) => {
        await until(async () => isUp(dev))
        const late = await fetch(`${dev.origin}/late`, { headers: { connection: 'close' } })
        const token = late.headers.get('x-debug-token') ?? ''
        await until(() => dev.said().includes('shows the error'))
        const report = dev.said().slice(dev.said().indexOf('Uncaught error in GET /late'))
        assert.match(
          report,
          /^Uncaught error in GET \/late\n\[1\/1\] RangeError: no seats, password=\*{6}\n    at .*app\.mjs:5:/,
        )
        assert.match(report, /^look app\.mjs:5 – /m)
        assert.match(report, new RegExp(`^profile ${token}: fanlight profiles show ${token}$`, 'm'))
        assert.match(report, /app\.mjs ended with exit code 1; it starts again when a file changes; until then http/)
        for (const method of ['GET', 'POST', 'DELETE']) {
          for (const [accept, type] of [
            ['text/html', 'text/html'],
            ['application/json', 'application/problem+json'],
            ['text/plain', 'text/plain'],
            ['text/markdown', 'text/markdown'],
          ] as const) {
            const response = await dev.get('/any/where', accept, method)
            assert.deepEqual([response.status, response.type.split(';')[0]], [500, type], `${method} ${accept}`)
            assert.match(response.text, /Uncaught error in GET \/late/)
            assert.match(response.text, /no seats, password=\*{6}/)
            assert.doesNotMatch(response.text, /hunter2/)
          }
        }
        assert.match((await dev.get('/')).text, /data-changes="\/_profiler\/changes"/)
        const profile = await dev.get(`/_profiler/${token}`)
        assert.deepEqual([profile.status, profile.text.includes('/late')], [200, true])
        // What it serves meanwhile is no request of the program.
        assert.match((await dev.get('/_profiler/latest', 'application/json')).text, /\/late/)
        const port = Number(new URL(dev.origin).port)
        const stranger = await request(port, { target: '/', headers: ['Host: shop.example'] })
        assert.doesNotMatch(stranger.body, /no seats/)
        folder.write('app.mjs', express(''))
        await until(async () => isUp(dev))
        assert.equal((await dev.get('/none')).status, 404)
      },
    )
  })

  it('does so for a syntax error, a missing module and a throw at the start, where the port is told', async () => {
    await using folder = appFolder({ 'app.mjs': 'const = 1\n', 'package.json': '{}' })
    const env = (port: string): Readonly<Record<string, string>> => ({
      AT: port,
      PORT: port,
      FANLIGHT_STORE: 'memory:',
    })
    await withDev(folder, ['--', process.execPath, 'app.mjs'], env, async (dev) => {
      const shows = async (message: RegExp): Promise<boolean> => {
        try {
          const { status, text } = await dev.get('/', 'text/plain')
          return status === 500 && message.test(text)
        } catch {
          return false
        }
      }
      await until(async () => shows(/SyntaxError/))
      folder.write('app.mjs', "import './seats.mjs'\n")
      await until(async () => shows(/Cannot find module/))
      folder.write('app.mjs', "throw new TypeError('no seats')\n")
      await until(async () => shows(/TypeError.*no seats/s))
      assert.doesNotMatch(dev.said(), /profiles show/)
      folder.write('app.mjs', express(''))
      await until(async () => isUp(dev))
    })
  })

  for (const [what, broken, message, skip] of [
    ['a crash', crashing, /no seats/, false],
    ['a syntax error', 'const = 1\n', /SyntaxError/, noWatchOfSyntaxError],
  ] as const)
    it(`keeps the port of a process that \`node --watch\` starts again after ${what}`, { skip }, async () => {
      await using folder = appFolder({ 'app.mjs': broken, 'package.json': '{"dependencies":{"express":"5"}}' })
      const env = (port: string): Readonly<Record<string, string>> => ({ AT: port, PORT: port })
      await withDev(folder, ['--', process.execPath, '--watch', 'app.mjs'], env, async (dev) => {
        // Of each save Node may make two starts, or none: it is not what is tested.
        const change = (text: string, isDone: () => Promise<boolean>): Promise<void> =>
          untilAgain(() => folder.write('app.mjs', text), isDone)
        const isShown = async (times: number): Promise<boolean> => {
          try {
            // The process before may be the one that still responds.
            if (broken === crashing) await dev.get('/late')
            if (dev.said().split('shows the error').length <= times) return false
            const { status, text } = await dev.get('/', 'text/plain')
            return status === 500 && message.test(text)
          } catch {
            return false
          }
        }
        await until(async () => isShown(1))
        await change(express(''), async () => isUp(dev))
        const shown = dev.said().split('shows the error').length
        await change(broken, async () => isShown(shown))
        assert.match(
          dev.said(),
          /a process of .* has crashed; until another one starts http:\/\/localhost:\d+ shows the error/,
        )
      })
    })

  it('leaves the port to the processes of a program that go on', async () => {
    const cluster = `import cluster from 'node:cluster'
import { createServer } from 'node:http'
if (cluster.isPrimary) {
  for (const _ of [1, 2]) cluster.fork()
} else
  createServer((request, response) => {
    response.end('<h1>open</h1>' + process.pid)
    if (request.url === '/late') setImmediate(() => { throw new RangeError('no seats') })
  }).listen(Number(process.env.PORT), '127.0.0.1')
`
    await using folder = appFolder({ 'app.mjs': cluster, 'package.json': '{}' })
    await withDev(
      folder,
      ['--', process.execPath, 'app.mjs'],
      (port) => ({ PORT: port }),
      async (dev) => {
        await until(async () => isUp(dev))
        // The worker ends, perhaps before it has responded.
        await dev.get('/late').catch(() => null)
        await until(() => dev.said().includes('Uncaught error in GET /late'))
        await setTimeout(2500)
        await until(async () => isUp(dev))
        assert.doesNotMatch(dev.said(), /shows the error/)
      },
    )
  })

  it('leaves the port of a program that serves HTTPS to it', async () => {
    const secure = `import { createServer } from 'node:https'
createServer(${JSON.stringify(ownCertificate)}, () => {}).listen(Number(process.env.PORT), '127.0.0.1', () => { throw new TypeError('no seats') })
`
    await using folder = appFolder({ 'app.mjs': secure, 'package.json': '{}' })
    const args = [join(root, 'src/cli/main.ts'), 'dev', '--', process.execPath, 'app.mjs']
    const ended = await folder.run(args, { PORT: String(await freePort()) })
    assert.equal(ended.exitCode, 1)
    assert.match(ended.stderr, /^fanlight: the error has no page: the program serves HTTPS$/m)
  })

  it('ends as the program did where nobody knows a port', async () => {
    await using folder = appFolder({ 'app.mjs': "throw new TypeError('no seats')\n", 'package.json': '{}' })
    const ended = await folder.run([join(root, 'src/cli/main.ts'), 'dev', '--', process.execPath, 'app.mjs'])
    assert.equal(ended.exitCode, 1)
    assert.match(ended.stderr, /Uncaught error\n\[1\/1\] TypeError: no seats/)
    assert.match(ended.stderr, /^fanlight: the error has no page: PORT does not say where the program listens$/m)
  })
})

describe('fanlight dev main.ts after a crash', () => {
  it('shows the error over HTTPS where the application has a certificate', async () => {
    const { key, cert } = ownCertificate
    await using folder = appFolder({
      'main.ts': "throw new Error('no seats')\n",
      'key.pem': key,
      'cert.pem': cert,
      'package.json': '{}',
    })
    const tls = { APP_TLS_KEY: 'key.pem', APP_TLS_CERT: 'cert.pem', APP_STORE: 'memory:' }
    await withDev(
      folder,
      ['main.ts'],
      (port) => ({ PORT: port, ...tls }),
      async (dev) => {
        const port = new URL(dev.origin).port
        await until(() => dev.said().includes(`until then https://localhost:${port} shows the error`))
        const asked = get({
          port,
          host: '127.0.0.1',
          path: '/',
          ca: cert,
          headers: { accept: 'text/plain' },
          agent: false,
        })
        const [response] = (await once(asked, 'response')) as [IncomingMessage]
        assert.equal(response.statusCode, 500)
        assert.match((await response.setEncoding('utf8').toArray()).join(''), /no seats/)
      },
    )
  })

  it('does the same, with the maintenance page where the application is locked', async () => {
    const main = `import { createApp, html, RouteCollection, run } from '${library}'
const routes = new RouteCollection()
  .get('home', '/', () => html\`<h1>open</h1>\`)
  .get('late', '/late', () => { setTimeout(() => { throw new RangeError('no seats') }, 20); return html\`<p>ok</p>\` })
await run((context) => createApp({ context, routes }))
`
    await using folder = appFolder({ 'main.ts': main, 'package.json': '{}' })
    await withDev(
      folder,
      ['main.ts'],
      (port) => ({ PORT: port, APP_STORE: 'sqlite:var/shop.db' }),
      async (dev) => {
        await until(async () => isUp(dev))
        const token = (await fetch(`${dev.origin}/late`, { headers: { connection: 'close' } })).headers.get(
          'x-debug-token',
        )
        await until(() => dev.said().includes('shows the error'))
        assert.match(dev.said(), new RegExp(`^profile ${token}: fanlight profiles show ${token}$`, 'm'))
        const shown = await dev.get('/', 'text/plain')
        assert.equal(shown.status, 500)
        assert.match(shown.text, /main\.ts ended with exit code 1: Uncaught exception in GET \/late/)
        assert.equal((await dev.get(`/_profiler/${token}`)).status, 200)
        folder.write('main.ts', main.replace('throw new', 'return new'))
        await until(async () => isUp(dev))
        folder.write('main.ts', "throw new Error('no seats')\n")
        await until(async () => {
          try {
            return (await dev.get('/', 'text/plain')).text.includes('no seats')
          } catch {
            return false
          }
        })
        folder.write('main.ts', main)
        await until(async () => isUp(dev))
      },
    )
    folder.write('main.ts', "throw new Error('no seats')\n")
    await withDev(
      folder,
      ['main.ts'],
      (port) => ({ PORT: port, APP_LOCK: '1' }),
      async (dev) => {
        await until(() => dev.said().includes('shows the maintenance page'))
        const { status, text } = await dev.get('/')
        assert.equal(status, 503)
        assert.doesNotMatch(text, /no seats/)
      },
    )
  })
})
