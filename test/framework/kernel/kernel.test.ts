import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { html as tag } from '../../../src/base/html/html.ts'
import { Reply } from '../../../src/base/http/reply.ts'
import { ErrorReply, type ErrorResponder } from '../../../src/http/kernel/error-reply.ts'
import { exchangeKey, type Exchange } from '../../../src/http/kernel/exchange.ts'
import type { Handler } from '../../../src/http/kernel/handler.ts'
import { Kernel } from '../../../src/http/kernel/kernel.ts'
import { type Listener, ListenerRunner } from '../../../src/http/kernel/listener.ts'
import { RouteStep } from '../../../src/http/kernel/route-step.ts'
import type { LogEntry } from '../../../src/base/log/logger.ts'
import { RouteCollection } from '../../../src/routing/route-collection.ts'
import { UrlMatcher } from '../../../src/routing/url-matcher.ts'
import { exchangeOf, LineList } from '../../support/exchange.ts'

const plainResponder: ErrorResponder = {
  name: 'plain',
  respond: (_exchange, statusCode) => new Reply(statusCode, [], `plain ${statusCode}`),
}

function kernelOf(parts: {
  handler?: Handler
  listeners?: readonly Listener[]
  responders?: readonly ErrorResponder[]
  missFrames?: number
}): Kernel {
  const routes = new RouteCollection()
  routes.get('page', '/', parts.handler ?? (() => tag`<p>page`))
  return new Kernel({
    listeners: new ListenerRunner(parts.listeners ?? []),
    routeStep: new RouteStep(new UrlMatcher(routes), parts.missFrames),
    errorReply: new ErrorReply(parts.responders ?? [plainResponder]),
  })
}

/** The reply that a kernel put on an exchange. */
async function answer(kernel: Kernel, exchange: Exchange): Promise<Reply> {
  assert.equal(await kernel.handle(exchange), exchange)
  assert.ok(exchange.reply !== undefined)
  return exchange.reply
}

describe('Kernel', () => {
  it('takes the markup that a handler returns as a page', async () => {
    const reply = await answer(kernelOf({ handler: () => tag`<p>${'<b>'}` }), exchangeOf())
    assert.equal(reply.status, 200)
    assert.equal(reply.header('content-type'), 'text/html; charset=utf-8')
    assert.equal(reply.body, '<p>&lt;b&gt;')
  })

  it('runs the moments in order, and the listeners in the order of the list, but in reverse for the response', async () => {
    const seen: string[] = []
    const watch = (name: string): Listener => ({
      name,
      onRequest: () => void seen.push(`${name} request`),
      onMatch: async () => void seen.push(`${name} match`),
      onError: () => void seen.push(`${name} error`),
      onResponse: () => void seen.push(`${name} response`),
      onTerminate: () => void seen.push(`${name} terminate`),
    })
    const kernel = kernelOf({ listeners: [watch('a'), watch('b')] })
    const exchange = exchangeOf()
    await answer(kernel, exchange)
    kernel.terminate(exchange)
    assert.deepEqual(seen, [
      'a request',
      'b request',
      'a match',
      'b match',
      'b response',
      'a response',
      'a terminate',
      'b terminate',
    ])
  })

  it('answers at once with the reply of an onRequest listener, and runs nothing below it', async () => {
    const seen: string[] = []
    const closed: Listener = { name: 'closed', onRequest: () => new Reply(503, [], 'closed') }
    const later: Listener = {
      name: 'later',
      onRequest: () => void seen.push('request'),
      onResponse: () => void seen.push('response'),
    }
    const exchange = exchangeOf()
    const reply = await answer(kernelOf({ listeners: [closed, later] }), exchange)
    assert.equal(reply.status, 503)
    assert.equal(exchange.route, undefined)
    assert.deepEqual(seen, [])
  })

  for (const replacing of [() => new Reply(202, [], 'other'), async () => new Reply(202, [], 'other')]) {
    it(`lets an onResponse listener replace the reply ${replacing.constructor.name === 'Function' ? 'at once' : 'later'}`, async () => {
      const statuses: number[] = []
      const look: Listener = { name: 'look', onResponse: (_exchange, reply) => void statuses.push(reply.status) }
      const reply = await answer(
        kernelOf({ listeners: [look, { name: 'replace', onResponse: replacing }] }),
        exchangeOf(),
      )
      assert.equal(reply.status, 202)
      assert.deepEqual(statuses, [202])
    })
  }

  it('catches a stack for a miss only where it is shown', async () => {
    const limit = Error.stackTraceLimit
    for (const [missFrames, hasFrames] of [
      [0, false],
      [5, true],
    ] as const) {
      const exchange = exchangeOf({ path: '/no' })
      await answer(kernelOf({ missFrames }), exchange)
      const error = exchange.failure?.thrown as Error
      assert.equal(/\n +at /.test(error.stack ?? ''), hasFrames)
      assert.equal(/\n +at /.test((error.cause as Error).stack ?? ''), hasFrames)
    }
    assert.equal(Error.stackTraceLimit, limit)
  })

  const page = tag`<p>page`
  const listeners: readonly Listener[] = [
    { name: 'busy', onRequest: () => undefined, onMatch: () => undefined, onMiss: () => undefined },
    { name: 'last', onResponse: (_exchange, reply) => new Reply(reply.status, [], '') },
  ]
  const thenable = { then: (resolve: (value: unknown) => void) => resolve(page) }
  const given = { then: (resolve: (value: Reply) => void) => resolve(new Reply(203, [], '')) } as Promise<Reply>
  const late: ErrorResponder = { name: 'late', respond: async () => new Reply(404, [], '') }
  for (const [what, path, status, isNow, parts] of [
    ['a handler', '/', 200, true, { handler: () => page }],
    ['a handler that throws', '/', 500, true, { handler: () => assert.fail() }],
    ['a path without a route', '/no', 404, true, {}],
    ['an async handler', '/', 200, false, { handler: async () => page }],
    [
      'a handler that gives a thenable',
      '/',
      200,
      false,
      { handler: () => thenable as unknown as Promise<typeof page> },
    ],
    ['listeners around the handler', '/', 200, true, { listeners }],
    ['listeners around a miss', '/no', 404, true, { listeners }],
    [
      'an async listener before the handler',
      '/',
      200,
      false,
      { listeners: [{ name: 'async', onMatch: async () => undefined }] },
    ],
    [
      'an async listener after it',
      '/',
      200,
      false,
      { listeners: [{ name: 'async', onResponse: async () => undefined }] },
    ],
    ['a listener that gives a thenable', '/', 203, false, { listeners: [{ name: 'own', onResponse: () => given }] }],
    ['a responder that waits', '/no', 404, false, { responders: [late] }],
  ] as const) {
    it(`replies ${isNow ? 'in the same turn' : 'later'} to ${what}`, async () => {
      const exchange = exchangeOf({ path })
      const handled = kernelOf(parts).handle(exchange)
      assert.equal(handled === exchange, isNow)
      assert.equal((await handled).reply?.status, status)
    })
  }

  it('leaves to the host what fails while a failure is shown', async () => {
    let asked = 0
    const cookies = { name: 'cookies', onError: () => void (asked += 1) }
    const exchange = exchangeOf({ path: '/no' })
    exchange.sealed = () => assert.fail('cannot be sealed')
    const handling = async (): Promise<Exchange> => kernelOf({ listeners: [cookies] }).handle(exchange)
    await assert.rejects(handling, /cannot be sealed/)
    assert.equal(asked, 1)
  })

  it('never rejects: whatever a handler throws becomes an answer', async () => {
    for (const thrown of [new Error('x'), 'text', null, undefined, 42, Symbol('s'), Proxy.revocable({}, {}).proxy]) {
      const handler: Handler = () => {
        throw thrown
      }
      const reply = await answer(kernelOf({ handler }), exchangeOf())
      assert.equal(reply.status, 500)
    }
  })

  it('answers what goes wrong at any moment, at once or later, under handlers of both kinds', async () => {
    const failure = new Error('broken')
    const failAtOnce = (): never => {
      throw failure
    }
    const failLater = async (): Promise<never> => {
      throw failure
    }
    const handlers: Handler[] = [() => tag`<p>page`, async () => tag`<p>page`]
    for (const handler of handlers) {
      for (const moment of ['onRequest', 'onMatch', 'onResponse'] as const) {
        for (const fail of [failAtOnce, failLater]) {
          for (const first of [[], [{ name: 'slow', [moment]: async () => undefined }]]) {
            const exchange = exchangeOf()
            const reply = await answer(
              kernelOf({ handler, listeners: [...first, { name: 'bad', [moment]: fail }] }),
              exchange,
            )
            assert.equal(reply.body, 'plain 500', moment)
            assert.equal(exchange.failure?.thrown, failure)
          }
        }
      }
    }
  })

  it('refuses a string, and says what to return', async () => {
    const exchange = exchangeOf()
    await answer(kernelOf({ handler: (() => '<p>page') as unknown as Handler }), exchange)
    assert.match(String(exchange.failure?.thrown), /returned a string; return html`…` for markup/)
  })

  it('says which handler returned nothing', async () => {
    const exchange = exchangeOf()
    // A handler in plain JavaScript can return nothing.
    const handler = (() => undefined) as unknown as Handler
    await answer(kernelOf({ handler }), exchange)
    assert.match(String(exchange.failure?.thrown), /of route "page" returned nothing/)
  })

  it('takes a Fetch Response, with status, headers and body', async () => {
    const handler: Handler = () => new Response('hello', { status: 201, headers: { 'x-a': 'b' } })
    const reply = await answer(kernelOf({ handler }), exchangeOf())
    assert.equal(reply.status, 201)
    assert.equal(reply.header('X-A'), 'b')
    assert.equal(await text(reply.body as Readable), 'hello')
  })
})

describe('Kernel, when the error answer fails too', () => {
  const failing = (name: string): ErrorResponder => ({
    name,
    respond: () => {
      throw new Error(`${name} is broken`)
    },
  })

  it('falls from the page to the static page, with the same status', async () => {
    const log = new LineList()
    const reply = await answer(
      kernelOf({ responders: [failing('page'), plainResponder] }),
      exchangeOf({ path: '/no' }, log),
    )
    assert.equal(reply.body, 'plain 404')
    const [line, ...more] = log.lines.filter(({ level }) => level === 'error')
    assert.equal(more.length, 0)
    assert.match(line?.message ?? '', /It was asked to show \{failed\}/)
    assert.match(String(line?.context?.['failed']), /^NotFoundHttpError: No route found/)
  })

  it('logs the error, with its trace, that a broken responder was asked to show', async () => {
    const log = new LineList()
    const handler = (): never => {
      throw new RangeError('no stock')
    }
    await answer(kernelOf({ handler, responders: [failing('page'), plainResponder] }), exchangeOf({}, log))
    const trace = log.lines.find(({ level }) => level === 'error')?.context?.['trace']
    assert.match(String(trace), /^RangeError: no stock,.*kernel\.test\.ts:\d+/)
  })

  it('falls from the static page to constant bytes, with the same status', async () => {
    const reply = await answer(
      kernelOf({ responders: [failing('page'), failing('static')] }),
      exchangeOf({ path: '/no' }),
    )
    assert.equal(reply.status, 404)
    assert.equal(reply.body, 'Error 404\n')
    assert.equal(reply.header('cache-control'), 'no-store')
  })

  it('answers although every listener throws', async () => {
    const listener: Listener = {
      name: 'hostile',
      onError: async () => {
        throw new Error('onError')
      },
      onResponse: () => {
        throw new Error('onResponse')
      },
      onTerminate: () => {
        throw new Error('onTerminate')
      },
    }
    const log = new LineList()
    const kernel = kernelOf({ listeners: [listener] })
    const exchange: Exchange = exchangeOf({}, log)
    const reply = await answer(kernel, exchange)
    kernel.terminate(exchange)
    assert.equal(reply.status, 500)
    assert.deepEqual(
      log.lines.filter((line) => line.context['listener'] === 'hostile').map((line) => line.context['moment']),
      ['onError', 'onTerminate'],
    )
  })
})

it('Kernel and the line of the matched route: does not make it for a sink that does not want it', async () => {
  const lines: string[] = []
  for (const wanted of [true, false]) {
    const sink = { write: ({ message }: LogEntry) => void lines.push(message), wants: () => wanted }
    await answer(kernelOf({}), exchangeOf({}, sink))
  }
  assert.deepEqual(lines, ['Matched route "{route}".'])
})

it('Exchange: keeps what was put in several places, and hands it on to its children', () => {
  const keys = [exchangeKey<number>('a'), exchangeKey<number>('a'), exchangeKey<number>('b')]
  const exchange = exchangeOf()
  keys.forEach((key, index) => exchange.set(key, index))
  exchange.set(keys[0]!, 10)
  const child = exchange.createChild('error handler')
  child.set(keys[1]!, 11)
  assert.deepEqual(
    keys.map((key) => exchange.get(key)),
    [10, 1, 2],
  )
  assert.deepEqual(
    keys.map((key) => child.get(key)),
    [10, 11, 2],
  )
  assert.equal(exchange.get(exchangeKey('a')), undefined)
})
