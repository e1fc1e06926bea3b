// Errors for the clients of an API: what a problem document says, and in which form errors are sent.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError, json, RouteCollection, type AppOptions, type ErrorFormat, type Listener } from '../../src/index.ts'
import type { LogEntry } from '../../src/base/log/logger.ts'
import { until } from '../support/until.ts'
import { startApp, type RunningApp } from '../support/running-app.ts'

const asJson = ['Accept: application/json']
const asBrowser = ['Accept: text/html,application/xhtml+xml,*/*;q=0.8']

class OutOfStock extends HttpError {
  readonly left: number
  constructor(left: number) {
    super(409, 'Shelf 7 of s3cret is empty')
    this.left = left
  }
  toProblem(): object {
    const { left } = this
    return { type: 'https://shop.example/out-of-stock', left, token: 'abc', status: 200, reference: 'own', debug: 1 }
  }
}

function throwing(): RouteCollection {
  const fail = (thrown: Error) => () => {
    throw thrown
  }
  return new RouteCollection()
    .get('stock', '/stock', fail(new OutOfStock(3)))
    .get('order', '/order', fail(new HttpError(403, 'Order of s3cret', { problem: { detail: 'It is not yours' } })))
    .get('plain', '/plain', fail(new HttpError(403, 's3cret')))
    .get('broken', '/broken', fail(new HttpError(503, 's3cret', { problem: { detail: 's3cret' } })))
    .get(
      'foreign',
      '/foreign',
      fail(Object.assign(new Error('s3cret'), { status: 410, toProblem: () => ({ gone: 1 }) })),
    )
    .post('save', '/save', async ({ request }) => json(await request.body.json()))
}

async function start(env: string, options: Partial<AppOptions> = {}): Promise<RunningApp> {
  return startApp({ env: { APP_ENV: env }, routes: throwing(), ...options })
}

async function problemOf(running: RunningApp, target: string): Promise<Record<string, unknown>> {
  const { body, header } = await running.send({ target, headers: asJson })
  assert.equal(header('content-type'), 'application/problem+json')
  return JSON.parse(body) as Record<string, unknown>
}

describe('A problem document', () => {
  it('is the same in development and in production, but for its member debug', async () => {
    await using development = await start('dev')
    await using production = await start('prod')
    for (const target of ['/stock', '/order', '/plain', '/broken', '/foreign', '/nope']) {
      const { debug, ...shown } = await problemOf(development, target)
      const sent = await problemOf(production, target)
      assert.ok(debug !== undefined && !('debug' in sent), target)
      assert.deepEqual({ ...shown, reference: '' }, { ...sent, reference: '' })
      assert.match(String(sent['reference']), /^[0-9a-z]{12}$/)
      assert.doesNotMatch(JSON.stringify(sent), /s3cret/)
    }
  })

  it('has what a 4xx says in `problem` or toProblem(), masked, and cannot contradict the response', async () => {
    await using running = await start('prod')
    const { reference, ...stock } = await problemOf(running, '/stock')
    assert.notEqual(reference, 'own')
    assert.deepEqual(stock, {
      type: 'https://shop.example/out-of-stock',
      title: 'Conflict',
      left: 3,
      token: '******',
      status: 409,
    })
    assert.equal((await problemOf(running, '/order'))['detail'], 'It is not yours')
    assert.equal((await problemOf(running, '/foreign'))['gone'], 1)
  })

  it('has what a listener says before a route is looked up', async () => {
    const hidden: Listener = {
      name: 'hidden',
      onRequest: () => {
        throw new HttpError(404, 's3cret', { problem: { detail: 'It moved' } })
      },
    }
    for (const env of ['dev', 'prod']) {
      await using running = await start(env, { listeners: [hidden] })
      assert.equal((await problemOf(running, '/stock'))['detail'], 'It moved')
    }
  })

  it('has nothing of a 5xx, and no message', async () => {
    await using running = await start('prod')
    for (const target of ['/broken', '/plain', '/nope']) {
      assert.deepEqual(Object.keys(await problemOf(running, target)), ['type', 'title', 'status', 'reference'])
    }
  })

  it('says what is wrong with a body', async () => {
    await using running = await start('prod')
    for (const [status, type, body, detail] of [
      [400, 'application/json', '{"a":\n 1,}', /not valid JSON: .*line 2, column 4/],
      [400, 'application/json', '', /^The body is empty/],
      [415, 'text/yaml', 'a: 1', /^The body is of type "text\/yaml"/],
      [413, 'application/json', `"${'a'.repeat(2_000_000)}"`, /^The body is larger than 1048576 bytes$/],
    ] as const) {
      const headers = [...asJson, `Content-Type: ${type}`]
      const response = await running.send({ method: 'POST', target: '/save', headers, body })
      assert.equal(response.status, status)
      assert.match((JSON.parse(response.body) as { detail: string }).detail, detail)
    }
  })
})

describe('createApp: errorFormat', () => {
  for (const env of ['dev', 'prod']) {
    it(`sends problem documents to browsers too, in ${env}`, async () => {
      await using running = await start(env, { errorFormat: 'problem' })
      for (const target of ['/stock', '/nope']) {
        const response = await running.send({ target, headers: asBrowser })
        assert.equal(response.header('content-type'), 'application/problem+json')
        assert.equal(response.header('cache-control'), 'no-store')
        // Nothing depends on Accept.
        assert.equal(response.header('vary'), undefined)
        assert.equal((JSON.parse(response.body) as { status: number }).status, response.status)
      }
    })

    it(`sends pages to clients of JSON too, in ${env}`, async () => {
      await using running = await start(env, { errorFormat: 'html' })
      const { status, body, header } = await running.send({ target: '/stock', headers: asJson })
      assert.equal(status, 409)
      assert.equal(header('content-type'), 'text/html; charset=utf-8')
      assert.match(body, /<title>.*Error 409 Conflict<\/title>/)
    })

    it(`sends what a function makes, with the status and the header fields of the error, in ${env}`, async () => {
      const errorFormat: ErrorFormat = async ({ statusCode, statusText, problem }, { route }) =>
        json({ error: [statusCode, statusText, route?.name ?? null, problem['left'] ?? null] })
      await using running = await start(env, { errorFormat })
      const stock = await running.send({ target: '/stock', headers: asBrowser })
      assert.deepEqual([stock.status, stock.body], [409, '{"error":[409,"Conflict","stock",3]}'])
      const wrongMethod = await running.send({ method: 'DELETE', target: '/stock' })
      assert.deepEqual([wrongMethod.status, wrongMethod.header('allow')], [405, 'GET, HEAD'])
      assert.equal(wrongMethod.header('cache-control'), 'no-store')
      assert.equal(wrongMethod.header('x-debug-token') !== undefined, env === 'dev')
    })
  }

  it('may send the same reply for all errors', async () => {
    const shared = json({ error: true })
    await using running = await start('prod', { errorFormat: () => shared })
    assert.equal((await running.send({ method: 'DELETE', target: '/stock' })).header('allow'), 'GET, HEAD')
    const { status, header } = await running.send({ target: '/nope' })
    assert.deepEqual([status, header('allow')], [404, undefined])
  })

  it('hands a function what debug adds, but only in debug', async () => {
    const seen: boolean[] = []
    const errorFormat: ErrorFormat = ({ problem }) => {
      seen.push(problem.debug !== undefined)
      return json(problem)
    }
    for (const env of ['dev', 'prod']) {
      await using running = await start(env, { errorFormat })
      await running.send({ target: '/plain' })
    }
    assert.deepEqual(seen, [true, false])
  })

  for (const [what, errorFormat] of [
    ['throws', () => assert.fail('broken format')],
    ['returns no reply', () => ({ error: 'plain object' })],
  ] as const) {
    it(`responds as usual, with a line in the log, when the function ${what}`, async () => {
      await using running = await start('prod', { errorFormat: errorFormat as unknown as ErrorFormat })
      const problem = await problemOf(running, '/plain')
      assert.equal(problem['status'], 403)
      const lines = running.log.lines.filter(({ context }) => context['responder'] === "application's errorFormat")
      assert.equal(lines.length, 1)
    })
  }

  it('stops the start for anything else', async () => {
    for (const [given, shown] of [
      ['json', '"json"'],
      [null, 'null'],
      [{ type: 'problem' }, 'object'],
    ] as const) {
      await assert.rejects(start('prod', { errorFormat: given as unknown as ErrorFormat }), {
        name: 'TypeError',
        message: `errorFormat of createApp() is ${shown}; allowed: "problem", "html", or a function that returns a Reply`,
      })
    }
  })
})

describe('errorFormat of groups', () => {
  const table = (): RouteCollection =>
    new RouteCollection()
      .get('page', '/page', fail)
      .group({ path: '/api', name: 'api_', errorFormat: 'problem' }, (api) => {
        api.get('broken', '/broken', fail)
        api.get('own', '/own', fail, { errorFormat: ({ statusCode }) => json({ own: statusCode }) })
        api.group({ path: '/docs', name: 'docs_', errorFormat: 'html' }, (docs) => docs.get('page', '/page', fail))
        api.group({ path: '/shops/{shop<\\d+>}', name: 'shop_' }, (shop) => shop.get('page', '/page', fail))
      })
      .group({ host: 'api.example.org', name: 'host_', errorFormat: 'problem' }, (host) =>
        host.get('page', '/host', fail),
      )

  for (const [target, type, headers] of [
    ['/page', 'text/html', []],
    ['/api/broken', 'application/problem+json', []],
    ['/api/own', 'application/json', []],
    ['/api/docs/page', 'text/html', asJson],
    ['/api/shops/7/page', 'application/problem+json', []],
    // Without a route: the innermost group whose path it is below.
    ['/nope', 'text/html', []],
    ['/apis', 'text/html', []],
    ['/api', 'application/problem+json', []],
    ['/api/', 'application/problem+json', []],
    ['/api/no/such%20path', 'application/problem+json', []],
    ['/api/docs/nope', 'text/html', asJson],
    ['/api/shops/7/nope', 'application/problem+json', []],
    ['/nope', 'application/problem+json', ['Host: api.example.org']],
  ] as const) {
    it(`sends ${type} for ${target}${headers.length > 0 ? ` with ${headers[0]}` : ''}`, async () => {
      await using running = await start('prod', { routes: table() })
      const response = await running.send({ target, headers: [...headers] })
      assert.equal(response.header('content-type')?.split(';')[0], type)
    })
  }

  it('is that of the group for a wrong method, with Allow', async () => {
    await using running = await start('prod', { routes: table() })
    const { status, header } = await running.send({ method: 'POST', target: '/api/broken' })
    assert.deepEqual([status, header('allow'), header('content-type')], [405, 'GET, HEAD', 'application/problem+json'])
  })

  it('follows groups that are mounted, merged and put into groups', async () => {
    const inner = new RouteCollection().group({ path: '/v1', name: 'v1_', errorFormat: 'problem' }, (v1) =>
      v1.get('page', '/page', fail),
    )
    const routes = new RouteCollection()
      .mount('/mounted', inner)
      .group({ path: '/group', name: 'group_', errorFormat: 'html' }, (group) => group.mount('/deep', inner))
    await using running = await start('prod', { routes })
    for (const target of ['/mounted/v1/nope', '/group/deep/v1/nope']) await problemOf(running, target)
    const outer = await running.send({ target: '/group/nope', headers: asJson })
    assert.equal(outer.header('content-type'), 'text/html; charset=utf-8')
    await using merged = await start('prod', { routes: new RouteCollection().merge(inner) })
    const below = await merged.send({ target: '/v1/nope' })
    assert.equal(below.header('content-type'), 'application/problem+json')
  })

  it('goes before that of the application', async () => {
    await using running = await start('prod', { routes: table(), errorFormat: () => json('application') })
    assert.equal((await running.send({ target: '/nope' })).body, '"application"')
    assert.match((await running.send({ target: '/api/nope' })).body, /about:blank/)
  })
})

function fail(): never {
  throw new HttpError(418, 's3cret')
}

describe('The log of an error below 500', () => {
  for (const env of ['dev', 'prod']) {
    it(`has one line without a trace, in ${env}`, async () => {
      await using running = await start(env)
      for (const target of ['/stock', '/nope', '/foreign']) {
        running.log.lines.length = 0
        const { status } = await running.send({ target, headers: asJson })
        const find = (): readonly LogEntry[] => running.log.lines.filter(({ context }) => context['status'] === status)
        await until(() => find().length > 0)
        assert.deepEqual(
          find().map(({ level, channel, context }) => [level, channel, context['trace']]),
          [['info', env === 'dev' ? 'kernel' : 'access', undefined]],
        )
      }
    })
  }
})
