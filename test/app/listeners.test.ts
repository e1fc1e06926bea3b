// Listeners of an application and of groups of routes, over a socket.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  HttpError,
  html,
  json,
  type NotFoundHttpError,
  redirect,
  reply,
  RouteCollection,
  text,
  type AppOptions,
  type Listener,
} from '../../src/index.ts'
import type { LogEntry } from '../../src/base/log/logger.ts'
import type { EventsData } from '../../src/observe/collectors/events.ts'
import { startApp, type RunningApp } from '../support/running-app.ts'
import { until } from '../support/until.ts'
import { pick } from '../support/pick.ts'

type Seen = string[]

/** Notes each moment it hears of. */
function noting(name: string, seen: Seen): Listener {
  const note = (moment: string) => () => void seen.push(`${name} ${moment}`)
  return {
    name,
    onMatch: note('match'),
    around: async (_exchange, next) => {
      seen.push(`${name} in`)
      await next()
      seen.push(`${name} out`)
    },
    onError: note('error'),
    onResponse: note('response'),
    onTerminate: note('terminate'),
  }
}

async function start(
  routes: RouteCollection,
  listeners: readonly Listener[] = [],
  options: Partial<AppOptions> & { env?: Record<string, string> } = {},
): Promise<RunningApp> {
  return startApp({ routes, listeners, env: { APP_ENV: 'prod' }, ...options })
}

function fail(thrown: unknown = new Error('broken')): () => never {
  return () => {
    throw thrown
  }
}

const page = (): RouteCollection => new RouteCollection().get('page', '/', () => text('page'))

describe('Listeners of a group', () => {
  const table = (seen: Seen): RouteCollection =>
    new RouteCollection()
      .get('open', '/open', () => text('open'))
      .group({ path: '/outer', name: 'outer_', listeners: [noting('outer', seen)] }, (outer) => {
        outer.get('page', '/page', () => text('outer'))
        outer.group({ path: '/inner', name: 'inner_', listeners: [noting('inner', seen)] }, (inner) => {
          inner.get('page', '/page', () => text('inner'), { listeners: [noting('route', seen)] })
          inner.get('broken', '/broken', fail())
        })
      })

  it('run for its routes, inside those of the application, and what is first in is last out', async () => {
    const seen: Seen = []
    await using running = await start(table(seen), [noting('app', seen)])
    await running.send({ target: '/outer/inner/page' })
    await until(() => seen.filter((line) => line.endsWith('terminate')).length === 4)
    const inOrder = ['app', 'outer', 'inner', 'route']
    assert.deepEqual(seen, [
      ...inOrder.map((name) => `${name} match`),
      ...inOrder.map((name) => `${name} in`),
      ...inOrder.toReversed().map((name) => `${name} out`),
      ...inOrder.toReversed().map((name) => `${name} response`),
      ...inOrder.map((name) => `${name} terminate`),
    ])
  })

  it('hear of errors from the inside out', async () => {
    const seen: Seen = []
    await using running = await start(table(seen), [noting('app', seen)])
    assert.equal((await running.send({ target: '/outer/inner/broken' })).status, 500)
    assert.deepEqual(
      seen.filter((line) => line.endsWith('error')),
      ['inner error', 'outer error', 'app error'],
    )
  })

  it('hear of no other routes, and of none that did not match', async () => {
    const seen: string[] = []
    await using running = await start(table(seen))
    for (const target of ['/open', '/outer/nope']) await running.send({ target })
    assert.equal(seen.length, 0)
    await running.send({ target: '/outer/page' })
    assert.deepEqual([...new Set(seen.map((line) => line.split(' ')[0]))], ['outer'])
  })

  it('cannot have onRequest: the start says why, and stops the plugins', async () => {
    const stopped: string[] = []
    const routes = new RouteCollection().group(
      { name: 'admin_', listeners: [{ name: 'login', onRequest: () => undefined }] },
      (admin) => admin.get('home', '/admin', () => text('admin')),
    )
    await assert.rejects(start(routes, [], { plugins: [{ name: 'one', stop: () => void stopped.push('one') }] }), {
      name: 'TypeError',
      message:
        /^Listener "login" of route "admin_home" \(.*listeners\.test\.ts:\d+\) has onRequest, which runs before the route is known; use onMatch, or/,
    })
    assert.deepEqual(stopped, ['one'])
  })
})

describe('Listener.onMiss', () => {
  it('may respond where no route matches, through onResponse; the first reply counts', async () => {
    const asked: string[] = []
    const routes = new RouteCollection().post('a', '/a', () => text('posted')).put('b', '/a', () => text('put'))
    const old: Listener = {
      name: 'old paths',
      onMiss({ request }, allow) {
        asked.push(`${request.path} ${allow.join(' ')}`)
        return request.path === '/gone' ? undefined : redirect('/new').cookie('seen', '1')
      },
    }
    const last: Listener = {
      name: 'last',
      onMiss: () => void asked.push('last'),
      onResponse: (_, reply) => void reply.setHeader('x-last', 'seen'),
    }
    await using running = await start(routes, [old, last])
    const moved = await running.send({ target: '/old' })
    assert.deepEqual([moved.status, moved.header('location'), moved.header('x-last')], [302, '/new', 'seen'])
    assert.match(moved.header('set-cookie') ?? '', /^seen=1;/)
    assert.equal((await running.send({ target: '/a' })).status, 302)
    assert.equal((await running.send({ target: '/gone' })).status, 404)
    assert.equal((await running.send({ target: '/a', method: 'POST' })).status, 200)
    assert.deepEqual(asked, ['/old ', '/a POST PUT', '/gone ', 'last'])
  })

  it('cannot be of a group', async () => {
    const routes = new RouteCollection().group(
      { name: 'admin_', listeners: [{ name: 'files', onMiss: () => undefined }] },
      (admin) => admin.get('home', '/admin', () => text('admin')),
    )
    await assert.rejects(
      start(routes),
      /^TypeError: Listener "files" of route "admin_home" \(.*\) has onMiss, which runs where no route matches; use/,
    )
  })
})

it('Listener.onMatch: may send a reply in place of the handler, which passes onResponse', async () => {
  const seen: Seen = []
  const login: Listener = { name: 'login', onMatch: ({ route }) => redirect(`/login?next=${route?.name ?? ''}`) }
  const routes = new RouteCollection().get('page', '/', fail())
  await using running = await start(routes, [noting('app', seen), login, noting('behind', seen)])
  const { status, header } = await running.send({ target: '/' })
  assert.deepEqual([status, header('location')], [302, '/login?next=page'])
  assert.deepEqual(seen.slice(0, 3), ['app match', 'behind response', 'app response'])
})

describe('Listener.around', () => {
  it('sees and may replace the reply of the handler', async () => {
    const shout: Listener = {
      name: 'shout',
      around: async (_exchange, next) => text(String((await next()).body).toUpperCase(), { status: 203 }),
    }
    await using running = await start(page(), [shout])
    const { status, body } = await running.send({ target: '/' })
    assert.deepEqual([status, body], [203, 'PAGE'])
  })

  it('need not run the handler', async () => {
    const cached: Listener = { name: 'cached', around: () => text('from the cache') }
    await using running = await start(new RouteCollection().get('page', '/', fail()), [cached])
    assert.equal((await running.send({ target: '/' })).body, 'from the cache')
  })

  it('gets what the handler throws, and what it throws itself is an error response', async () => {
    const done: string[] = []
    const transaction: Listener = {
      name: 'transaction',
      around: async (_exchange, next) => {
        try {
          await next()
          done.push('commit')
        } catch (thrown) {
          done.push('roll back')
          throw thrown
        }
      },
    }
    const routes = page().get('conflict', '/conflict', fail(new HttpError(409, 'taken')))
    await using running = await start(routes, [transaction])
    assert.deepEqual(
      [(await running.send({ target: '/' })).status, (await running.send({ target: '/conflict' })).status],
      [200, 409],
    )
    assert.deepEqual(done, ['commit', 'roll back'])
  })

  it('is around markup and Fetch responses as replies, and names a handler that returned nothing', async () => {
    const kinds: string[] = []
    const look: Listener = {
      name: 'look',
      around: async (_exchange, next) => void kinds.push((await next()).constructor.name),
    }
    const routes = new RouteCollection()
      .get('markup', '/markup', () => html`<p>a</p>`)
      .get('fetch', '/fetch', () => new Response('b'))
    await using running = await start(routes, [look])
    for (const target of ['/markup', '/fetch']) assert.equal((await running.send({ target })).status, 200)
    assert.deepEqual(kinds, ['Reply', 'Reply'])
  })

  it('comes after the guards, so that a cache serves nothing that they refuse', async () => {
    const cached: Listener = { name: 'cached', around: () => text('from the cache') }
    const routes = new RouteCollection().get('page', '/', () => text('page'), {
      guard: () => text('refused', { status: 403 }),
    })
    await using running = await start(routes, [cached])
    assert.equal((await running.send({ target: '/' })).status, 403)
  })

  it('does not run for a path without a route', async () => {
    const seen: Seen = []
    await using running = await start(page(), [noting('app', seen)])
    await running.send({ target: '/nope' })
    assert.deepEqual(seen.slice(0, 2), ['app error', 'app response'])
  })

  it('that returns nothing gives what next() gave or threw, awaited or not', async () => {
    const routes = page().get('conflict', '/conflict', fail(new HttpError(409, 'taken')))
    for (const around of [
      (_exchange, next) => void next(),
      async (_exchange, next) => {
        await next().catch(() => undefined)
      },
    ] satisfies Listener['around'][]) {
      await using running = await start(routes, [{ name: 'quiet', around }])
      assert.equal((await running.send({ target: '/' })).body, 'page')
      assert.equal((await running.send({ target: '/conflict' })).status, 409)
    }
  })

  const wrong: readonly (readonly [string, Listener['around'], RegExp])[] = [
    ['it does nothing', () => undefined, /^Listener "wrong" neither called next\(\) nor returned a Reply from around$/],
    [
      'it calls next() twice',
      async (_exchange, next) => {
        await next()
        return next()
      },
      /^Listener "wrong" called next\(\) twice$/,
    ],
    [
      'it returns something else',
      Object.assign(async () => 'a string') as unknown as Listener['around'],
      /^Listener "wrong" returned a value of type string from around; return a Reply \(json\(\), text\(\), redirect\(\), …\) or nothing$/,
    ],
  ]
  for (const [what, around, message] of wrong) {
    it(`is an error that names the listener when ${what}`, async () => {
      const routes = new RouteCollection().get('page', '/', () => text('page'))
      await using running = await start(routes, [{ name: 'wrong', around: around! }])
      assert.equal((await running.send({ target: '/' })).status, 500)
      const line = running.log.lines.find(({ level }) => level === 'error')
      assert.match(String(line?.context['message']), message)
    })
  }

  it('is in the profile, with the time of the handler not counted as its own', async () => {
    const seen: Seen = []
    const routes = new RouteCollection().group({ listeners: [noting('group', seen)] }, (group) => {
      group.get('page', '/', () => text('page'))
    })
    await using running = await start(routes, [noting('app', seen)], { env: {} })
    const token = (await running.send({ target: '/' })).header('x-debug-token') ?? ''
    const profile = await running.profiles.read(token)
    const { calls, notCalled } = profile!.data['events'] as EventsData
    const around = calls.filter(({ moment }) => moment === 'around')
    assert.deepEqual(pick(around, 'listener'), ['app', 'group'])
    for (const { ownMs, durationMs } of around) assert.ok(ownMs !== null && durationMs !== null && ownMs < durationMs)
    assert.deepEqual(notCalled, [{ listener: 'app', moment: 'onError' }])
  })
})

describe('Listener.onError', () => {
  const apiError: Listener = {
    name: 'api error',
    onError: ({ failure }) =>
      failure?.thrown instanceof RangeError ? json({ error: failure.thrown.message }, { status: 422 }) : undefined,
  }
  const routes = (): RouteCollection =>
    new RouteCollection().get('range', '/range', fail(new RangeError('1 to 20'))).get('other', '/other', fail())

  for (const env of ['dev', 'prod']) {
    it(`may respond, and the error has its line in the log without a trace, in ${env}`, async () => {
      await using running = await start(routes(), [apiError], { env: { APP_ENV: env } })
      const { status, body } = await running.send({ target: '/range' })
      assert.deepEqual([status, body], [422, '{"error":"1 to 20"}'])
      const find = (): readonly LogEntry[] => running.log.lines.filter(({ context }) => context['status'] === 422)
      await until(() => find().length > 0)
      assert.deepEqual(
        find().map(({ level, channel, context }) => [level, channel, context['trace']]),
        [['info', env === 'dev' ? 'kernel' : 'access', undefined]],
      )
      assert.equal((await running.send({ target: '/other' })).status, 500)
    })
  }

  it('reads the error of a path that no route has, and what it adds is sent', async () => {
    const read: unknown[] = []
    const explaining: Listener = {
      name: 'explaining',
      onError: ({ failure }) => {
        const error = failure?.thrown as NotFoundHttpError
        read.push([error.name, error.statusCode, (error.cause as Error).message, error === failure?.thrown])
        Object.assign(error, { problem: { detail: 'Try /page' }, headers: ['x-near', '/page'] })
      },
    }
    const request = { target: '/pag', headers: ['Accept: application/json'] }
    for (const env of ['dev', 'prod']) {
      await using running = await start(page(), [explaining], { env: { APP_ENV: env } })
      const { status, header, body } = await running.send(request)
      assert.deepEqual([status, header('x-near')], [404, '/page'])
      assert.equal((JSON.parse(body) as { detail: string }).detail, 'Try /page')
    }
    const expected = ['NotFoundHttpError', 404, 'No routes found for "/pag/"', true]
    assert.deepEqual(read, [expected, expected])
  })

  it('has the innermost reply sent, and all listeners told', async () => {
    const told: string[] = []
    const replying = (name: string): Listener => ({
      name,
      onError: () => {
        told.push(name)
        return text(name, { status: 418 })
      },
    })
    const table = new RouteCollection().group({ listeners: [replying('group')] }, (group) =>
      group.get('x', '/', fail()),
    )
    await using running = await start(table, [replying('app'), replying('behind')])
    assert.equal((await running.send({ target: '/' })).body, 'group')
    assert.deepEqual(told, ['group', 'behind', 'app'])
  })

  it('keeps the error in the profile, and names the profile in the response', async () => {
    await using running = await start(routes(), [apiError], { env: {} })
    const { header } = await running.send({ target: '/range' })
    const token = header('x-debug-token') ?? ''
    assert.equal(header('x-debug-token-link'), `/_profiler/${token}`)
    const profile = await running.profiles.read(token)
    assert.deepEqual([profile?.status, profile?.errorClass, profile?.childTokens], [422, 'RangeError', []])
    const panel = await running.send({ target: `/_profiler/${token}?panel=exception` })
    assert.equal(panel.status, 200)
    assert.match(panel.body, /RangeError/)
  })

  it('is told in the log, in debug, why its reply cannot be sent', async () => {
    const bad: Listener = { name: 'bad', onError: () => text('a', { headers: { 'x-a': 'line\nbreak' } }) }
    await using running = await start(routes(), [bad], { env: {} })
    assert.equal((await running.send({ target: '/range' })).status, 500)
    const line = running.log.lines.find(({ context }) => context['listener'] === 'reply check')
    assert.match(
      String(line?.context['message']),
      /^The error response to GET \/range has a header that cannot be sent: "x-a"/,
    )
  })

  it('that throws or returns something else is logged, and the usual error response is sent', async () => {
    const bad: readonly Listener[] = [
      { name: 'throws', onError: fail() },
      { name: 'returns', onError: (() => 'text') as unknown as NonNullable<Listener['onError']> },
    ]
    await using running = await start(routes(), bad)
    assert.equal((await running.send({ target: '/range' })).status, 500)
    assert.deepEqual(
      running.log.lines.flatMap(({ context }) => context['listener'] ?? []),
      ['returns', 'throws'],
    )
  })
})

describe('Listener.onResponse', () => {
  it('that returns another reply keeps the headers of the profile', async () => {
    const replaces: Listener = { name: 'replaces', onResponse: () => json({ other: true }) }
    const routes = new RouteCollection().group({ listeners: [replaces] }, (group) =>
      group.get('x', '/', () => text('x')),
    )
    await using running = await start(routes, [replaces], { env: {} })
    const { body, header } = await running.send({ target: '/' })
    assert.equal(body, '{"other":true}')
    const token = header('x-debug-token') ?? ''
    assert.match(token, /^[0-9a-z]{10,16}$/)
    assert.equal(header('x-debug-token-link'), `/_profiler/${token}`)
  })

  it('gets an early reply if it comes before the listener that sent it', async () => {
    const mark = (name: string): Listener => ({
      name,
      onResponse: (_exchange, response) => void response.appendHeader('x-passed', name),
    })
    const early: Listener = {
      name: 'early',
      onRequest: () => reply(html`<p>closed</p>`, { status: 503 }),
      onResponse: () => assert.fail('its own reply'),
    }
    await using running = await start(page(), [mark('one'), mark('two'), early, mark('three')], { env: {} })
    const { status, headers, header } = await running.send({ target: '/' })
    assert.equal(status, 503)
    assert.deepEqual(
      headers.filter(([name]) => name === 'x-passed').map(([, value]) => value),
      ['two', 'one'],
    )
    // SPEC 5.2: every profiled response names its profile.
    const profile = await running.profiles.read(header('x-debug-token') ?? '')
    assert.equal(profile?.status, 503)
  })

  it('that fails on an error response is logged, and the others go on', async () => {
    const mark: Listener = { name: 'mark', onResponse: (_exchange, response) => void response.setHeader('x-mark', '1') }
    const bad: Listener = {
      name: 'bad',
      onResponse: ({ failure }) => {
        if (failure !== undefined) throw new Error('cannot take it')
      },
    }
    const routes = new RouteCollection().get('x', '/', fail())
    await using running = await start(routes, [mark, bad], { env: {} })
    const { status, header } = await running.send({ target: '/' })
    assert.deepEqual([status, header('x-mark')], [500, '1'])
    assert.match(header('x-debug-token') ?? '', /^[0-9a-z]{10,16}$/)
    const lines = running.log.lines.filter(({ context }) => context['listener'] === 'bad')
    assert.deepEqual(
      lines.map(({ context }) => [context['moment'], context['message']]),
      [['onResponse', 'cannot take it']],
    )
  })

  it('that returns something else is an error that names it', async () => {
    const wrong: Listener = { name: 'wrong', onResponse: (() => 7) as unknown as NonNullable<Listener['onResponse']> }
    await using running = await start(page(), [wrong])
    assert.equal((await running.send({ target: '/' })).status, 500)
    assert.match(
      String(running.log.lines.find(({ level }) => level === 'error')?.context['message']),
      /^Listener "wrong" returned a value of type number from onResponse/,
    )
    // It fails again on the error response, which says nothing new.
    assert.equal(running.log.lines.filter(({ level }) => level === 'error').length, 1)
  })
})
