// CORS over a socket, as a browser sees it: preflights, errors, maintenance, and what is not granted.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cors, createApp, json, loadRuntimeContext, maintenance, RouteCollection, text } from '../../src/index.ts'
import { request, type RawResponse } from '../support/raw-client.ts'
import { forAll } from '../support/for-all.ts'
import { startApp } from '../support/running-app.ts'

const shop = 'https://shop.example'
const shared = text('shared')

const routes = new RouteCollection().get('own', '/own', () =>
  json([], { headers: { 'access-control-allow-origin': 'https://own.example', vary: 'Accept' } }),
)
for (const prefix of ['/list', '/all', '/ask', '/outside']) {
  routes
    .get(`${prefix}.get`, `${prefix}/a`, () => json([]))
    .post(`${prefix}.post`, `${prefix}/b`, () => json([]))
    .get(`${prefix}.error`, `${prefix}/error`, () => {
      throw new Error('no luck')
    })
    .get(`${prefix}.shared`, `${prefix}/shared`, () => shared)
}

const plugins = [
  cors({
    prefix: '/list/',
    origins: [shop, 'http://localhost:5173', /^https:\/\/[a-z]+\.preview\.example|https:\/\/one\.example$/g],
    credentials: true,
    methods: ['GET', 'POST'],
    requestHeaders: ['content-type', 'x-own'],
    exposedHeaders: ['x-total', 'link'],
    maxAgeSeconds: 600,
  }),
  cors({ prefix: '/all/', origins: '*' }),
  cors({ prefix: '/own', origins: [shop] }),
  cors({
    prefix: '/ask/',
    origins: async (origin, { query }) => {
      if (query.get('fail') !== null) throw new Error('cannot say')
      return origin === 'null' || origin === query.get('origin')
    },
  }),
]

const fields = ({ headers }: RawResponse): Record<string, string> =>
  Object.fromEntries(headers.filter(([name]) => name.startsWith('access-control-') || name === 'vary'))
const granted = {
  vary: 'Origin',
  'access-control-allow-origin': shop,
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers': 'x-total, link',
}

describe('cors()', async () => {
  const running = await forAll(startApp({ routes, plugins }))
  const ask = (
    target: string,
    origin: string | null,
    method = 'GET',
    headers: readonly string[] = [],
  ): Promise<RawResponse> =>
    running.send({
      target,
      method,
      headers: ['Accept: text/plain', ...(origin === null ? [] : [`Origin: ${origin}`]), ...headers],
    })
  const preflight = (target: string, origin: string, headers = 'x-own'): Promise<RawResponse> =>
    ask(target, origin, 'OPTIONS', [
      'Access-Control-Request-Method: POST',
      `Access-Control-Request-Headers: ${headers}`,
    ])

  it('lets listed origins read', async () => {
    assert.deepEqual(fields(await ask('/list/a', shop)), granted)
    for (const origin of ['http://localhost:5173', 'https://abc.preview.example', 'https://one.example']) {
      // A pattern with the flag g would forget every second one.
      for (const target of ['/list/a', '/list/shared'])
        assert.equal((await ask(target, origin)).header('access-control-allow-origin'), origin)
    }
  })

  it('lets nobody else read, and serves as usual', async () => {
    for (const origin of [
      'https://evil.example',
      'https://shop.example.evil.example',
      'http://shop.example',
      'https://shop.example:8443',
      'https://SHOP.example',
      'https://a.preview.example.evil.example',
      'https://evil.example/https://one.example',
      'null',
      '',
      '*',
      'zq',
      `https://${'a'.repeat(400)}.preview.example`,
    ]) {
      const response = await ask('/list/a', origin)
      assert.equal(response.status, 200)
      assert.deepEqual(fields(response), { vary: 'Origin' }, origin)
    }
    assert.deepEqual(fields(await ask('/list/a', null)), { vary: 'Origin' })
    const message = 'The origin {origin} may not read responses: it is not one of cors().'
    assert.ok(running.log.lines.some((line) => line.message === message && line.level === 'debug'))
  })

  it('grants errors, 404 and 405 too', async () => {
    for (const [target, status] of [
      ['/list/error', 500],
      ['/list/nowhere', 404],
      ['/list/b', 405],
    ] as const) {
      const response = await ask(target, shop)
      assert.equal(response.status, status)
      assert.deepEqual(fields(response), { ...granted, vary: 'Accept, Origin' }, target)
    }
  })

  it('answers preflights, also for paths without a route for OPTIONS', async () => {
    for (const target of ['/list/b', '/list/nowhere']) {
      const response = await preflight(target, shop)
      assert.deepEqual([response.status, response.body], [204, ''])
      assert.deepEqual(fields(response), {
        ...granted,
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'content-type, x-own',
        'access-control-max-age': '600',
      })
    }
  })

  it('refuses preflights of others', async () => {
    const response = await preflight('/list/b', 'https://evil.example')
    assert.deepEqual([response.status, fields(response)], [403, { vary: 'Origin' }])
  })

  it('leaves OPTIONS without a question to the routes', async () => {
    assert.equal((await ask('/list/b', shop, 'OPTIONS')).status, 405)
    assert.equal((await ask('/list/b', null, 'OPTIONS', ['Access-Control-Request-Method: POST'])).status, 405)
  })

  it('lets everybody read for *, the same for all', async () => {
    const everybody = { 'access-control-allow-origin': '*' }
    for (const origin of [null, shop, 'null']) assert.deepEqual(fields(await ask('/all/a', origin)), everybody)
    assert.deepEqual(fields(await preflight('/all/b', shop, 'x-a, x-b, zq zq, "')), {
      ...everybody,
      vary: 'Access-Control-Request-Headers',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'x-a, x-b',
    })
  })

  it('asks a function, with the request', async () => {
    assert.equal((await ask(`/ask/a?origin=${shop}`, shop)).header('access-control-allow-origin'), shop)
    assert.equal((await ask('/ask/a', shop)).header('access-control-allow-origin'), undefined)
    assert.equal((await ask('/ask/a', 'null')).header('access-control-allow-origin'), 'null')
    const failed = await ask('/ask/a?fail', shop)
    assert.deepEqual([failed.status, failed.header('access-control-allow-origin')], [500, undefined])
  })

  it('counts more than what the handler says', async () => {
    assert.deepEqual(fields(await ask('/own', shop)), { vary: 'Accept, Origin', 'access-control-allow-origin': shop })
  })

  it('leaves other paths alone, and replies that are shared', async () => {
    await ask('/list/shared', shop)
    assert.deepEqual(fields(await ask('/list/shared', null)), { vary: 'Origin' })
    assert.deepEqual(fields(await ask('/outside/shared', shop)), {})
  })

  it('in front of maintenance() lets scripts read the 503', async () => {
    const { context } = loadRuntimeContext({
      cwd: import.meta.dirname,
      env: { APP_ENV: 'prod', APP_STORE: 'memory:', APP_LOCK: '1', PORT: '0' },
    })
    const app = await createApp({
      routes,
      context,
      plugins: [cors({ origins: [shop] }), maintenance()],
      log: { write: () => undefined },
    })
    const { port } = await app.listen()
    try {
      const headers = [`Origin: ${shop}`]
      const response = await request(port, { target: '/list/a', headers })
      assert.deepEqual([response.status, response.header('access-control-allow-origin')], [503, shop])
      const question = [...headers, 'Access-Control-Request-Method: PUT']
      assert.equal((await request(port, { target: '/list/a', method: 'OPTIONS', headers: question })).status, 204)
      // SPEC 6.1: everything else is closed.
      assert.equal((await request(port, { target: '/list/a', method: 'OPTIONS', headers })).status, 503)
    } finally {
      await app.close()
    }
  })

  it('behind maintenance() says that scripts cannot read the 503', async () => {
    const warning = 'Scripts of other origins cannot read the maintenance page: name cors() before maintenance().'
    const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env: { APP_ENV: 'prod', APP_STORE: 'memory:' } })
    const both = [maintenance(), cors({ origins: [shop] })]
    for (const ordered of [both, both.toReversed()]) {
      const written: string[] = []
      const log = { write: (line: object) => void written.push(JSON.stringify(line)) }
      const app = await createApp({ routes, context, plugins: ordered, log })
      await app.close()
      assert.equal(
        written.some((line) => line.includes(warning)),
        ordered === both,
      )
    }
  })
})

describe('options of cors()', () => {
  for (const [options, message] of [
    [{}, /^Option "origins" of cors\(\) is missing; allowed: '\*', a list or a function$/],
    [
      { origins: shop },
      /^Option "origins" of cors\(\) is "https:\/\/shop\.example"; allowed: '\*', a list of origins and/,
    ],
    [
      { origins: [`${shop}/`] },
      /has "https:\/\/shop\.example\/"\. Did you mean "https:\/\/shop\.example"\? Allowed: origins as/,
    ],
    [{ origins: ['https://Shop.example:443'] }, /Did you mean "https:\/\/shop\.example"\?/],
    [{ origins: ['shop.example'] }, /has "shop\.example"\. Allowed: origins as browsers send them/],
    [{ origins: ['null'] }, /has "null"\. Allowed/],
    [{ origins: ['*'] }, /has "\*" in its list; write origins: '\*'/],
    [{ origins: [1] }, /has 1\. Allowed/],
    [
      { origins: [/shop\.example/] },
      /has \/shop\\\.example\/, which also matches a part of another origin; write it from \^ to \$/,
    ],
    [{ origins: '*', credentials: true }, /^Option "credentials" of cors\(\) cannot be true for the origins '\*'/],
    [{ origin: '*' }, /^Option "origin" of cors\(\) is unknown\. Did you mean "origins"\?/],
    [{ origins: '*', methods: 'GET' }, /^Option "methods" of cors\(\) is "GET"; allowed: a list of names$/],
    [
      { origins: '*', requestHeaders: ['a b'] },
      /^Option "requestHeaders" of cors\(\) is a list; allowed: a list of names$/,
    ],
    [{ origins: '*', prefix: 'api' }, /^Option "prefix" of cors\(\) is "api"; allowed: a path such as \/api\/$/],
    [{ origins: '*', maxAgeSeconds: '1h' }, /^Option "maxAgeSeconds" .* a whole number from 0$/],
  ] as const) {
    it(`refuses ${JSON.stringify(options)}`, () => {
      assert.throws(
        () => Reflect.apply(cors, undefined, [options]),
        (error) => error instanceof TypeError && message.test(error.message),
      )
    })
  }
})
