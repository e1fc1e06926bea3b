// What comes over a connection: request targets, header blocks, queries and bodies.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addressText, fc } from './fast-check.ts'
import { json, RouteCollection, text } from '../../src/index.ts'
import { anyJson, assertAnswered, bytes, hostileText, type OpenTarget } from './fuzz-input.ts'
import { startApp, type RunningApp } from './running-app.ts'

/** With a store in a file: profiles for one in memory are made on the loop, many at a time, and would count as held by requests. */
async function startServed(routes?: RouteCollection): Promise<RunningApp> {
  const folder = mkdtempSync(join(tmpdir(), 'fanlight-fuzz-'))
  const app = await startApp({
    env: { APP_STORE: `sqlite:${join(folder, 'fuzz.db')}` },
    ...(routes === undefined ? {} : { routes }),
  })
  const close = app[Symbol.asyncDispose].bind(app)
  return Object.assign(app, {
    [Symbol.asyncDispose]: async () => {
      await close()
      rmSync(folder, { recursive: true })
    },
  })
}

/** See the name. */
export async function openTargets(): Promise<OpenTarget> {
  const app = await startServed()
  const method = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'TRACE') },
    fc.string({ maxLength: 9 }),
  )
  return {
    property: fc.asyncProperty(method, hostileText, fc.boolean(), async (verb, rest, isAbsolute) => {
      const target = isAbsolute ? `http://${rest}` : `/${rest}`
      const sent = `${verb} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`
      await assertAnswered(app.port, Buffer.from(sent).toString('latin1'), verb)
    }),
    close: () => app[Symbol.asyncDispose](),
  }
}

/** See the name. */
export async function openHeaders(): Promise<OpenTarget> {
  const app = await startServed()
  const names = [
    'Host',
    'Accept',
    'Accept-Language',
    'Cookie',
    'Referer',
    'Origin',
    'Range',
    'Forwarded',
    'X-Forwarded-For',
    'Content-Type',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Upgrade',
    'Expect',
    'If-None-Match',
    'traceparent',
    '__proto__',
    'Sec-Fetch-Site',
  ]
  const header = fc
    .tuple(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...names) }, bytes), hostileText)
    .map(([name, value]) => `${name}: ${value}`)
  return {
    property: fc.asyncProperty(
      fc.array(header, { maxLength: 8 }),
      fc.constantFrom('/', '/nope', '/_profiler/', '/error'),
      async (headers, path) => {
        const sent = [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, 'Connection: close', '', ''].join('\r\n')
        await assertAnswered(app.port, sent, 'GET', path === '/error')
      },
    ),
    close: () => app[Symbol.asyncDispose](),
  }
}

/** See the name. */
export async function openBodies(): Promise<OpenTarget> {
  const routes = new RouteCollection()
  routes.post('json', '/json', async ({ request: { body } }) => json(typeof (await body.json())))
  routes.post('form', '/form', async ({ request: { body } }) => json([...(await body.form()).keys()].length))
  routes.post('text', '/text', async ({ request: { body } }) => json((await body.text()).length))
  routes.post('unread', '/unread', () => text(''))
  const app = await startServed(routes)
  const type = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.constantFrom(
        'application/json',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=b',
        'multipart/form-data',
        'text/plain; charset=utf-16',
        'application/json; charset=latin1',
      ),
    },
    fc.string({ unit: 'grapheme-ascii', maxLength: 30 }),
  )
  const part = fc
    .tuple(hostileText, hostileText)
    .map(
      ([name, value]) =>
        `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${value}"\r\n\r\n${value}\r\n--b--\r\n`,
    )
  const body = fc.oneof(
    hostileText,
    anyJson.map((value) => JSON.stringify(value)),
    part,
    fc.constant('['.repeat(50_000)),
    addressText,
  )
  return {
    property: fc.asyncProperty(
      fc.constantFrom('/json', '/form', '/text', '/unread'),
      type,
      body,
      hostileText,
      async (path, mime, content, query) => {
        const encoded = Buffer.from(content).toString('latin1')
        const target = `${path}?${query.replaceAll(/[^\x21-\x7e]/g, '')}`
        const head = [
          `POST ${target} HTTP/1.1`,
          'Host: 127.0.0.1',
          `Content-Type: ${mime.trim()}`,
          `Content-Length: ${encoded.length}`,
          'Connection: close',
          '',
          '',
        ]
        await assertAnswered(app.port, head.join('\r\n') + encoded, 'POST')
      },
    ),
    close: () => app[Symbol.asyncDispose](),
  }
}
