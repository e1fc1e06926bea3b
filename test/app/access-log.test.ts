// The log of production: an access line for each response, the id of the request in every line, and errors with their causes.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { HttpError, json, NotFoundHttpError, RouteCollection, stream, type LogLine } from '../../src/index.ts'
import { fillPlaceholders, type LogEntry } from '../../src/base/log/logger.ts'
import { LineList } from '../support/exchange.ts'
import { startApp, type RunningApp, type RunningAppOptions } from '../support/running-app.ts'
import { until } from '../support/until.ts'
import { pick } from '../support/pick.ts'

class InvalidTokenError extends HttpError {
  override name = 'InvalidTokenError'
}

const routes = new RouteCollection()
  .get('home', '/', () => json({ ok: true }))
  .get('health', '/health', () => json({ ok: true }))
  .get('logs', '/logs', ({ log }) => {
    const orders = log.child({ order: 7 })
    orders.info('Order {order} of {club}.', { club: 'north' })
    orders.child({ item: 2 }).warn('Out of {item}.', { order: 8 })
    return json({ ok: true })
  })
  .get('gone', '/gone', () => {
    throw new NotFoundHttpError('There is no such product of card 4111111111111111')
  })
  .get('busy', '/busy', () => {
    throw new HttpError(429, 'Too many requests')
  })
  .get('token', '/token', () => {
    throw new InvalidTokenError(401, 'zq-plain-value')
  })
  .get('fail', '/fail/{id}', () => {
    throw new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'E_INNER' }) })
  })
  .get('endless', '/endless', () =>
    stream(
      new ReadableStream({
        pull: async (controller) => {
          controller.enqueue(new Uint8Array(10))
          await new Promise((resolve) => setTimeout(resolve, 20))
        },
      }),
    ),
  )

const production = { APP_ENV: 'prod' }

async function start({ env = {}, ...options }: RunningAppOptions = {}): Promise<RunningApp> {
  return startApp({ routes, env: { ...production, ...env }, ...options })
}

function accessLines({ log }: Pick<RunningApp, 'log'>): readonly LogLine[] {
  return log.lines.filter(({ channel }) => channel === 'access') as (LogEntry & LogLine)[]
}

/** Without the line that a sink of tests gets for each route. */
function linesOf({ log }: RunningApp, id: string | undefined): readonly LogEntry[] {
  return log.lines.filter(({ requestId, channel }) => requestId === id && channel !== 'router')
}

async function lineOf(running: RunningApp, path: string): Promise<LogLine> {
  const find = (): LogLine | undefined => accessLines(running).find(({ context }) => context['path'] === path)
  await until(() => find() !== undefined)
  return find() as LogLine
}

describe('access lines', () => {
  it('say method, path, route, status, duration, bytes, client and whether the response broke off', async () => {
    await using running = await start()
    await running.send({ target: '/fail/7?token=zq-secret' })
    const { level, message, context, requestId } = await lineOf(running, '/fail/7')
    const { duration_ms: durationMs, bytes, ...rest } = context
    assert.deepEqual(rest, {
      method: 'GET',
      path: '/fail/7',
      route: 'fail',
      status: 500,
      client: '127.0.0.1',
      aborted: false,
    })
    assert.equal(level, 'info')
    assert.equal(message, '{method} {path} {status}')
    assert.ok(Number(durationMs) >= 0 && Number(bytes) > 100)
    assert.match(String(requestId), /^[0-9a-z]{12}$/)
    assert.doesNotMatch(JSON.stringify(running.log.lines), /zq-secret/)
  })

  it('are the only line of a response that the client caused, with what was wrong, masked', async () => {
    await using running = await start()
    const answers: Record<string, string> = {}
    for (const target of ['/gone', '/busy', '/nowhere']) answers[target] = (await running.send({ target })).body
    await running.send({ method: 'DELETE', target: '/health' })
    for (const [path, status, error] of [
      ['/gone', 404, /^NotFoundHttpError: There is no such product of card \*{6}$/],
      ['/busy', 429, /^HttpError: Too many requests$/],
      ['/nowhere', 404, /^NotFoundHttpError: No route found/],
      ['/health', 405, /^MethodNotAllowedHttpError: /],
    ] as const) {
      const line = await lineOf(running, path)
      assert.equal(line.context['status'], status)
      assert.match(String(line.context['error']), error)
      assert.equal(linesOf(running, line.requestId).length, 1, path)
      if (answers[path] !== undefined) assert.ok(answers[path].includes(String(line.requestId)), 'the page names it')
    }
    assert.deepEqual(
      running.log.lines.filter(({ level, message }) => level !== 'info' || message.includes('Uncaught')),
      [],
    )
  })

  it('leave it to a line of the error where they are off, with what is secret once it is filled in', async () => {
    await using running = await start({ accessLog: 'off' })
    for (const target of ['/gone', '/token', '/nowhere']) await running.send({ target })
    await running.send({ target: '/health', method: 'DELETE' })
    const errors = running.log.lines.filter(({ channel }) => channel === 'kernel')
    const url = `http://127.0.0.1:${running.port}`
    assert.deepEqual(
      errors.map((line) => [line.level, fillPlaceholders(line)]),
      [
        ['info', 'NotFoundHttpError: "There is no such product of card ******" (404).'],
        ['info', 'InvalidTokenError: "******" (401).'],
        // Nobody threw them.
        ['debug', `NotFoundHttpError: "No route found for "GET ${url}/nowhere"" (404).`],
        [
          'debug',
          `MethodNotAllowedHttpError: "No route found for "DELETE ${url}/health": Method Not Allowed (Allow: GET, HEAD)" (405).`,
        ],
      ],
    )
  })

  it('say that the client went away', async () => {
    await using running = await start()
    const socket = connect(running.port, '127.0.0.1')
    socket.write(`GET /endless HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.destroy()
    const { context } = await lineOf(running, '/endless')
    assert.equal(context['aborted'], true)
    assert.ok(Number(context['bytes']) >= 10)
  })

  it('are there for requests that were refused: a Host that is none, bytes that are not HTTP, CONNECT', async () => {
    await using running = await start()
    await running.send({ target: '/no-host?token=zq', headers: ['Host: a b'] })
    for (const bytes of ['nonsense\r\n\r\n', 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n']) {
      const socket = connect(running.port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.end(bytes)
      socket.resume()
    }
    await until(() => accessLines(running).length === 3)
    const shown = accessLines(running).map(({ context: { method, path, status, client } }) => [
      method,
      path,
      status,
      client,
    ])
    assert.deepEqual(
      shown.toSorted((one, other) => String(one[0]).localeCompare(String(other[0]))),
      [
        ['CONNECT', null, 405, '127.0.0.1'],
        ['GET', '/no-host', 400, '127.0.0.1'],
        [null, null, 400, '127.0.0.1'],
      ],
    )
  })

  it('are there once for a refused upload whose client sends on and goes away', async () => {
    await using running = await start()
    const socket = connect({ port: running.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => undefined)
    socket.write('POST /busy HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nten bytes.')
    await new Promise((resolve) => socket.once('data', resolve))
    socket.end('the rest, cut')
    await new Promise((resolve) => socket.resume().once('close', resolve))
    await running.send({ target: '/health' })
    await lineOf(running, '/health')
    assert.deepEqual(
      accessLines(running).map(({ context: { path, status } }) => [path, status]),
      [
        ['/busy', 405],
        ['/health', 200],
      ],
    )
  })

  it('leave out paths and routes, unless the server failed', async () => {
    await using running = await start({ accessLogExcept: ['/health', 'fail', 'busy', '/icons/*'] })
    for (const target of ['/health?a=1', '/%68ealth', '/busy', '/icons', '/icons/a/b.png', '/iconsets', '/fail/1', '/'])
      await running.send({ target })
    await lineOf(running, '/')
    assert.deepEqual(
      accessLines(running).map(({ context }) => context['path']),
      ['/iconsets', '/fail/1', '/'],
    )
    for (const entry of ['/health*', '/*/ready']) {
      await assert.rejects(
        start({ accessLogExcept: [entry] }),
        new TypeError(`"accessLogExcept" of createApp() has "${entry}"; write a path as "/health" or "/health/*"`),
      )
    }
    await assert.rejects(
      start({ accessLogExcept: ['helth'] }),
      /"accessLogExcept" of createApp\(\) names the route "helth", which does not exist\. Did you mean "health"\? A path begins with "\/"/,
    )
    await assert.rejects(
      start({ accessLogExcept: [''] }),
      /"accessLogExcept" of createApp\(\) is a list; allowed: a list/,
    )
  })

  it('are all, errors, off, or a share beside the errors; the variable counts before the option', async () => {
    const pathsOf = async (options: RunningAppOptions, targets: readonly string[]): Promise<readonly unknown[]> => {
      await using running = await start(options)
      for (const target of targets) await running.app.inject(target)
      return accessLines(running).map(({ context }) => context['path'])
    }
    const targets = ['/', '/gone', '/fail/1']
    assert.deepEqual(await pathsOf({ accessLog: 'all' }, targets), targets)
    assert.deepEqual(await pathsOf({ accessLog: 'errors' }, targets), ['/gone', '/fail/1'])
    assert.deepEqual(await pathsOf({ accessLog: 'off' }, targets), [])
    assert.deepEqual(await pathsOf({ accessLog: 'off', env: { APP_ACCESS_LOG: 'errors' } }, targets), [
      '/gone',
      '/fail/1',
    ])
    assert.deepEqual(await pathsOf({ accessLog: 0 }, targets), ['/gone', '/fail/1'])
    const sampled = await pathsOf({ accessLog: 0.5 }, [...Array.from({ length: 400 }, () => '/'), '/gone'])
    assert.ok(sampled.length > 120 && sampled.length < 280, `${sampled.length} of 400`)
    assert.ok(sampled.includes('/gone'))
    for (const wrong of [1.5, -1, 'some', true] as unknown as 'all'[]) {
      await assert.rejects(
        start({ accessLog: wrong }),
        /"accessLog" of createApp\(\) is .*; allowed: all, errors, off, or a share/,
      )
    }
  })

  it('leave one line at info for what the client caused where they are off', async () => {
    await using running = await start({ accessLog: 'off' })
    const { body } = await running.send({ target: '/gone?token=zq-secret' })
    const lines = running.log.lines.filter(({ context }) => context['status'] === 404)
    assert.deepEqual(pick(lines, 'level', 'message'), [['info', '{error_class}: "{message}" ({status}).']])
    const { message, method, url, route } = lines[0]?.context ?? {}
    assert.deepEqual(
      [message, method, String(url).split('?')[1], route],
      ['There is no such product of card ******', 'GET', 'token=******', 'gone'],
    )
    assert.ok(body.includes(String(lines[0]?.context['reference'])))
  })

  it('are not there in debug: the profiler has the requests', async () => {
    await using running = await start({ env: { APP_ENV: 'dev', APP_ACCESS_LOG: 'all' } })
    await running.send({ target: '/' })
    await running.send({ target: '/gone' })
    assert.deepEqual(accessLines(running), [])
    const line = running.log.lines.find(({ context }) => context['status'] === 404)
    assert.equal(line?.level, 'info')
    assert.doesNotMatch(line?.message ?? '', /Uncaught/)
  })
})

describe('exchange.id', () => {
  it('is in every line of the request, whose fields child() adds to', async () => {
    await using running = await start()
    await running.send({ target: '/logs' })
    await running.send({ target: '/fail/1' })
    const { requestId } = await lineOf(running, '/logs')
    const own = linesOf(running, requestId).filter(({ channel }) => channel === 'app')
    assert.deepEqual(
      own.map(({ level, context }) => [level, { ...context }]),
      [
        ['info', { order: 7, club: 'north' }],
        ['warn', { order: 8, item: 2 }],
      ],
    )
    const failed = running.log.lines.find(({ level }) => level === 'error')
    assert.equal(failed?.requestId, (await lineOf(running, '/fail/1')).requestId)
    assert.notEqual(failed?.requestId, requestId)
  })

  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  for (const [name, proxies, headers, expected] of [
    [
      'what a trusted proxy calls it',
      '127.0.0.1',
      ['X-Request-Id: a-1.B', `traceparent: 00-${trace}-00f067aa0ba902b7-01`],
      'a-1.B',
    ],
    ['the trace, if the proxy says no id', '127.0.0.1', [`traceparent: 00-${trace}-00f067aa0ba902b7-01`], trace],
    [
      'its own, if the id cannot be used',
      '127.0.0.1',
      ['X-Request-Id: a b"c', `traceparent: 00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
      null,
    ],
    ['its own, if the id is too long', '127.0.0.1', [`X-Request-Id: ${'a'.repeat(129)}`], null],
    ['its own, if nobody is trusted', '10.0.0.1', ['X-Request-Id: a-1'], null],
  ] as const) {
    it(`is ${name}`, async () => {
      await using running = await start({ env: { APP_TRUSTED_PROXIES: proxies } })
      await running.send({ target: '/', headers: [...headers, 'X-Forwarded-For: 203.0.113.9'] })
      const { requestId, context } = await lineOf(running, '/')
      if (expected === null) assert.match(String(requestId), /^[0-9a-z]{12}$/)
      else assert.equal(requestId, expected)
      assert.equal(context['client'], proxies === '127.0.0.1' ? '203.0.113.9' : '127.0.0.1')
    })
  }

  it('is the token of the profile in debug', async () => {
    await using running = await start({ env: { APP_ENV: 'dev' } })
    const answer = await running.send({ target: '/logs' })
    const line = running.log.lines.find(({ message }) => message.startsWith('Order'))
    assert.equal(line?.requestId, answer.header('x-debug-token'))
  })
})

describe('a 500 in the log', () => {
  for (const env of ['prod', 'test', 'dev']) {
    it(`has method, URL, route, id, stack and the stacks of the causes (${env})`, async () => {
      const log = new LineList()
      await using running = await startApp({ routes, log, env: { APP_ENV: env } })
      await running.send({ target: '/fail/7?token=zq-secret' })
      const line = log.lines.find(({ level }) => level === 'error')
      const { method, url, route, status, trace } = line?.context ?? {}
      assert.deepEqual(
        [method, url, route, status],
        ['GET', `http://127.0.0.1:${running.port}/fail/7?token=******`, 'fail', 500],
      )
      const lines = trace as string[]
      assert.equal(lines[0], 'Error: outer')
      assert.match(lines[1] ?? '', /access-log\.test\.ts:\d+/)
      assert.match(lines[lines.indexOf('caused by Error: inner') + 1] ?? '', /access-log\.test\.ts:\d+/)
      assert.notEqual(line?.requestId, undefined)
    })
  }

  it('is left out of the profile, which shows the error itself', async () => {
    await using running = await startApp({ routes })
    const answer = await running.send({ target: '/fail/7' })
    const { body } = await running.send({ target: `/_profiler/${answer.header('x-debug-token')}.json` })
    const { data } = JSON.parse(body) as { data: { logger: { records: readonly { context: object }[] } } }
    const { records } = data.logger
    assert.equal(records.length, 2)
    assert.ok(records.every(({ context }) => !('trace' in context)))
  })
})

describe('APP_LOG_LEVEL', () => {
  const program = `
    import { createApp, json, RouteCollection } from '${new URL('../../src/index.ts', import.meta.url).href}'
    const routes = new RouteCollection().get('home', '/', ({ log }) => {
      log.debug('quiet')
      log.warn('loud')
      log.withChannel('mail').debug('of mail')
      return json({})
    })
    await (await createApp({ routes })).inject('/')`

  for (const [environment, level, expected] of [
    ['prod', 'info', ['loud', 'GET / 200']],
    ['prod', 'warn, mail=debug', ['loud', 'of mail']],
    ['prod', 'silent,router=info', ['Matched route "home".']],
    ['prod', undefined, ['loud', 'GET / 200']],
    ['test', undefined, ['loud']],
    ['test', 'debug', ['Matched route "home".', 'quiet', 'loud', 'of mail']],
  ] as const) {
    it(`sets the level, and those of channels: ${level ?? 'the default'} in ${environment}`, () => {
      const env = { ...process.env, APP_ENV: environment, APP_STORE: 'memory:', APP_LOG_LEVEL: level }
      const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
        encoding: 'utf8',
        env,
      })
      const messages = output
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { msg: string }).msg]))
      assert.deepEqual(messages, expected)
    })
  }
})
