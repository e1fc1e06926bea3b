// What stays open while the lock is closed, what it closes in part, and who comes in by a link: through createApp.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  createApp,
  loadRuntimeContext,
  maintenance,
  RouteCollection,
  text,
  type App,
  type LockState,
  type MaintenanceOptions,
} from '../../../src/index.ts'
import { linkAddress } from '../../../src/maintenance/pass.ts'
import { openEngine } from '../../../src/app/open-engine.ts'
import { LineList } from '../../support/exchange.ts'
import { request, type RawResponse } from '../../support/raw-client.ts'
import { until } from '../../support/until.ts'

const routes = new RouteCollection()
  .get('home', '/', () => text('home'))
  .get('health', '/up', () => text('up'))
  .get('live', '/health/live', () => text('live'))
  .get('checkout', '/checkout', () => text('checkout'))
  .post('pay', '/checkout/pay', () => text('paid'))
  .get('any', '/files/{path<path>}', ({ request }) => text(String(request.params['path'])))

type Sent = Awaited<ReturnType<App['inject']>>
type Asked = Exclude<Parameters<App['inject']>[0], string>

interface Setup extends AsyncDisposable {
  readonly app: App
  readonly plugin: ReturnType<typeof maintenance>
  readonly log: LineList
  readonly set: (state: Partial<LockState>) => Promise<void>
  readonly ask: (url: string, more?: Partial<Asked>) => Promise<Sent>
  /** Asks for each URL and compares the statuses. */
  readonly expects: (statuses: Readonly<Record<string, number>>, more?: Partial<Asked>) => Promise<void>
}

async function start(options: MaintenanceOptions = {}, env: Readonly<Record<string, string>> = {}): Promise<Setup> {
  const { lock } = await openEngine('memory:')
  const log = new LineList()
  const { context } = loadRuntimeContext({
    cwd: import.meta.dirname,
    env: { APP_ENV: 'prod', APP_STORE: 'memory:', ...env },
  })
  const plugin = maintenance({ store: lock, ...options })
  const app = await createApp({ context, routes, plugins: [plugin], log })
  const ask: Setup['ask'] = (url, more = {}) => app.inject({ url, ...more })
  return {
    app,
    plugin,
    log,
    set: (state) =>
      lock.write({ value: 0, reason: '', retryAfterSeconds: null, changedAt: new Date().toISOString(), ...state }),
    ask,
    async expects(statuses, more) {
      const found: Record<string, number> = {}
      for (const url of Object.keys(statuses)) found[url] = (await ask(url, more)).status
      assert.deepEqual(found, statuses)
    },
    [Symbol.asyncDispose]: () => app.close(),
  }
}

const closed = { value: 1 }

describe('maintenance({ except })', () => {
  it('excepts nothing by default: the same bytes for every path and client', async () => {
    await using setup = await start()
    await setup.set({ ...closed, link: makeLink() })
    const bodies = new Set<string>()
    for (const url of ['/', '/up', '/health/live', linkAddress(makeLink())]) {
      const response = await setup.ask(url, { peerAddress: '10.0.0.1' })
      assert.equal(response.status, 503)
      bodies.add(response.body)
    }
    assert.equal(bodies.size, 1)
  })

  it('serves paths, with all below them, however they are written', async () => {
    await using setup = await start({ except: ['/health/*', '/up'] })
    await setup.set(closed)
    await setup.expects({
      '/health/live': 200,
      '/health/live?x=1': 200,
      '/h%65alth/live': 200,
      '/up': 200,
      '/up/': 301,
      '/health': 404,
      '/': 503,
      '/healthy': 503,
      '/upper': 503,
      '/up/x': 503,
      '/UP': 503,
    })
  })

  it('serves no path that may be read as another one', async () => {
    await using setup = await start({ except: ['/files/*'] })
    await setup.set(closed)
    assert.equal((await setup.ask('/files/a.b/..c')).status, 200)
    for (const url of [
      '/files/../admin',
      '/files/%2e%2e/admin',
      '/files/..',
      '/files/a%2fb',
      '/files/.\\x',
      '/files/%5cx',
    ]) {
      assert.equal((await setup.ask(url)).status, 503, url)
    }
  })

  it('serves routes by their names, as the whole table finds them', async () => {
    await using setup = await start({ except: ['route:health', 'route:pay'] })
    await setup.set(closed)
    await setup.expects({ '/up': 200, '/': 503, '/nowhere': 503 })
    await setup.expects({ '/up': 503, '/checkout/pay': 200 }, { method: 'POST', body: {} })
  })

  it('serves networks', async () => {
    await using setup = await start({ except: ['10.0.0.0/8', 'fd00::/8'] })
    await setup.set(closed)
    for (const [peerAddress, status] of [
      ['10.1.2.3', 200],
      ['::ffff:10.1.2.3', 200],
      ['fd00::1', 200],
      ['11.0.0.1', 503],
      ['', 503],
    ] as const) {
      const headers = { 'x-forwarded-for': '10.1.2.3' }
      assert.equal((await setup.ask('/', { peerAddress, headers })).status, status, peerAddress)
    }
  })

  it('serves networks, and sets secure cookies, by what trusted proxies say', async () => {
    await using setup = await start(
      { except: ['10.0.0.0/8', 'links'] },
      { APP_TRUSTED_PROXIES: '127.0.0.1', PORT: '0' },
    )
    const link = makeLink()
    await setup.set({ ...closed, link })
    const { port } = await setup.app.listen()
    const ask = (target: string, headers: readonly string[] = []): Promise<RawResponse> =>
      request(port, { target, headers })
    assert.equal((await ask('/')).status, 503)
    assert.equal((await ask('/', ['X-Forwarded-For: 10.1.2.3'])).status, 200)
    assert.equal((await ask('/', ['X-Forwarded-For: 10.1.2.3, 11.0.0.1'])).status, 503)
    assert.equal((await ask('/', ['X-Forwarded-For: unknown'])).status, 503)
    const entry = await ask(linkAddress(link), ['X-Forwarded-Proto: https', 'X-Forwarded-Port: 443'])
    assert.match(entry.header('set-cookie') ?? '', /^fanlight_pass_443=.*; HttpOnly; Secure; SameSite=Lax$/)
  })

  it('serves hosts, whatever their port', async () => {
    await using setup = await start({ except: ['host:Admin.example', 'host:[::1]'] })
    await setup.set(closed)
    for (const [host, status] of [
      ['admin.example', 200],
      ['ADMIN.example:8443', 200],
      ['[::1]:8000', 200],
      ['admin.example.evil.example', 503],
      ['x.admin.example', 503],
    ] as const) {
      assert.equal((await setup.ask('/', { headers: { host } })).status, status, host)
    }
  })

  it('excepts nothing where APP_LOCK closes the application', async () => {
    await using setup = await start({ except: ['/up', 'route:home', '0.0.0.0/0', '::/0', 'links'] }, { APP_LOCK: '1' })
    const link = makeLink()
    await setup.set({ link })
    await setup.expects({ '/up': 503, '/': 503, [linkAddress(link)]: 503 }, { peerAddress: '127.0.0.1' })
  })

  for (const [entry, what] of [
    ['health', 'an unknown word'],
    ['/a*', 'a star within a path'],
    ['/a?b', 'a query'],
    ['/%61', 'an encoded path'],
    ['10.0.0.0/33', 'a network that is too small'],
    ['host:', 'no host'],
    ['host:a.example:80', 'a host with a port'],
    ['host:http://a.example', 'a URL'],
    ['host:*.example', 'a pattern of hosts'],
    ['route:', 'no route'],
    ['link', 'a typo'],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.throws(() => maintenance({ except: [entry] }), {
        name: 'TypeError',
        message: `Option "except" of maintenance() has ${JSON.stringify(entry)}; allowed: a list of paths ("/health/*"), routes ("route:health"), networks of clients ("10.0.0.0/8"), hosts ("host:admin.example") and "links"`,
      })
    })
  }

  it('refuses what is not a list of texts', () => {
    for (const except of ['/health/*', [1], {}]) {
      assert.throws(
        () => Reflect.apply(maintenance, undefined, [{ except }]),
        /^TypeError: Option "except" of maintenance\(\) is .+; allowed: a list of paths/,
      )
    }
  })

  it('refuses a route that the application does not have, at the start', async () => {
    await assert.rejects(start({ except: ['route:helth'] }), {
      name: 'TypeError',
      message:
        'Option "except" of maintenance() has "route:helth", which the application does not have. Did you mean "route:health"? Allowed: names of its routes',
    })
  })
})

describe('a lock that closes a part', () => {
  it('closes paths and routes, however they are written, and serves the rest', async () => {
    await using setup = await start()
    await setup.set({ only: ['/checkout/*', 'route:health'] })
    assert.equal(setup.plugin.lock.isClosed, false)
    await setup.expects({
      '/': 200,
      '/checkout': 503,
      '/checkout/': 503,
      '/checkout//pay': 503,
      '/up': 503,
      '/up/': 503,
      '/checkouts': 404,
    })
    const paid = { '/checkout/pay': 503, '/%63heckout/pay': 503, '/checkout%2fpay': 503 }
    await setup.expects(paid, { method: 'POST', body: {} })
    assert.match(
      JSON.stringify(setup.log.lines),
      /every request of \/checkout\/\*, route:health gets the maintenance page/,
    )
  })

  it('lets GET and HEAD pass where it is for reading', async () => {
    await using setup = await start({ retryAfterSeconds: 7 })
    await setup.set({ readOnly: true, retryAfterSeconds: 30 })
    const status = async (method: string, url: string): Promise<number> => (await setup.ask(url, { method })).status
    assert.deepEqual(
      [await status('GET', '/'), await status('HEAD', '/'), await status('GET', '/nowhere')],
      [200, 200, 404],
    )
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'get']) {
      assert.equal(await status(method, '/'), 503, method)
    }
    assert.equal((await setup.ask('/', { method: 'POST' })).headers.get('retry-after'), '30')
    await setup.set({ only: ['/checkout/*'], readOnly: true })
    assert.deepEqual(
      [await status('GET', '/checkout'), await status('POST', '/checkout/pay'), await status('POST', '/')],
      [200, 503, 405],
    )
  })

  it('warns once of a route that the application does not have', async () => {
    await using setup = await start()
    await setup.set({ only: ['route:chekout', 'route:health'] })
    assert.deepEqual([(await setup.ask('/')).status, (await setup.ask('/up')).status], [200, 503])
    const warnings = setup.log.lines.filter(({ message }) => message.includes('does not have'))
    assert.deepEqual(
      warnings.map(({ message, context }) => [message, context['route']]),
      [['The lock closes the route {route}, which the application does not have. Did you mean "checkout"?', 'chekout']],
    )
  })

  it('closes everything where bit 1 is set, whatever else it says', async () => {
    await using setup = await start()
    await setup.set({ value: 1, only: ['/checkout'], readOnly: true })
    assert.equal((await setup.ask('/')).status, 503)
  })
})

describe('a link of the lock', () => {
  const except = ['links']
  const headers = { host: 'shop.example' }

  it('sets a cookie that lets its reader in, and shows the same page without the pass', async () => {
    await using setup = await start({ except })
    const link = makeLink()
    await setup.set({ ...closed, link })
    const entry = await setup.ask(linkAddress(link).replace('/?', '/files/a?b=1&'), { headers })
    assert.equal(entry.status, 303)
    assert.equal(entry.headers.get('location'), '/files/a?b=1')
    assert.equal(entry.headers.get('cache-control'), 'no-store')
    assert.equal(entry.headers.get('referrer-policy'), 'no-referrer')
    const field = entry.headers.get('set-cookie') ?? ''
    assert.match(field, /^fanlight_pass_80=[\w-]{43}; Max-Age=(3599|3600); Path=\/; HttpOnly; SameSite=Lax$/)
    const cookie = field.split(';', 1)[0] ?? ''
    assert.ok(!field.includes(link.key) && !field.includes(linkAddress(link).slice(-20)))
    assert.equal((await setup.ask('/', { headers: { ...headers, cookie } })).body, 'home')
    assert.equal((await setup.ask('/', { headers: { ...headers, cookie: `a=1; ${cookie}` } })).status, 200)
    assert.equal((await setup.ask('/', { headers })).status, 503)
    assert.equal((await setup.ask('/', { headers: { host: 'shop.example:81', cookie } })).status, 503)
  })

  it('refuses forged, expired and withdrawn ones, and those of another lock', async () => {
    await using setup = await start({ except })
    const link = makeLink()
    const other = makeLink()
    await setup.set({ ...closed, link })
    const cookieOf = async (): Promise<string> =>
      ((await setup.ask(linkAddress(link), { headers })).headers.get('set-cookie') ?? '').split(';', 1)[0] ?? ''
    const cookie = await cookieOf()
    const refuses = async (url: string, sent: string, what: string): Promise<void> => {
      const response = await setup.ask(url, { headers: { ...headers, cookie: sent } })
      assert.deepEqual([response.status, response.headers.get('set-cookie')], [503, undefined], what)
    }
    const proof = linkAddress(link).split('=')[1] ?? ''
    await refuses(linkAddress(other), '', 'another lock')
    await refuses(`${linkAddress(link)}x`, '', 'longer')
    await refuses(linkAddress(link).slice(0, -1), '', 'shorter')
    await refuses('/?fanlight-pass=', '', 'empty')
    await refuses(`/?fanlight-pass=${'ä'.repeat(43)}`, '', 'no ASCII')
    await refuses(`/?fanlight-pass=${link.key}`, '', 'the key')
    await refuses(`/?fanlight-pass=${cookie.split('=')[1] ?? ''}`, '', 'a cookie as a link')
    await refuses('/', `fanlight_pass_80=${proof}`, 'a link as a cookie')
    await refuses('/', `${cookie}x`, 'a forged cookie')
    assert.equal((await setup.ask(linkAddress(link), { method: 'POST', headers })).status, 503)

    await setup.set({ ...closed, link: other })
    await refuses(linkAddress(link), cookie, 'another lock since')
    await setup.set({ ...closed, link: { ...link, expiresAt: new Date(Date.now() - 1).toISOString() } })
    await refuses(linkAddress(link), cookie, 'expired')
    await setup.set({})
    await setup.set(closed)
    await refuses(linkAddress(link), cookie, 'withdrawn')
  })

  it('expires by the clock of the store, whatever that of the machine says', async (test) => {
    const { lock } = await openEngine('memory:')
    const { journal } = lock
    assert.ok(journal !== undefined)
    const now = Date.now()
    test.mock.method(journal, 'now', async () => now)
    const link = makeLink()
    // The machine is two hours behind when the link is over, and two hours ahead while it is valid.
    for (const [behindMs, status] of [
      [2 * 3_600_000, 503],
      [-2 * 3_600_000, 303],
    ] as const) {
      const expiresAt = new Date(now + (status === 303 ? 3_600_000 : -1000)).toISOString()
      const timed = { ...link, expiresAt }
      await using setup = await start({ except, store: lock })
      await lock.write({
        value: 1,
        reason: '',
        retryAfterSeconds: null,
        changedAt: new Date(now).toISOString(),
        link: timed,
      })
      await setImmediate()
      test.mock.timers.enable({ apis: ['Date'], now: now - behindMs })
      const response = await setup.ask(linkAddress(timed), { headers })
      test.mock.timers.reset()
      assert.equal(response.status, status)
    }
  })

  it('expires within a minute when the clock of the store is set', async (test) => {
    const { lock } = await openEngine('memory:')
    const { journal } = lock
    assert.ok(journal !== undefined)
    let [passedMs, aheadMs] = [0, 0]
    const { now } = performance
    test.mock.method(performance, 'now', () => now.call(performance) + passedMs)
    test.mock.method(journal, 'now', async () => Date.now() + aheadMs)
    const link = { ...makeLink(), expiresAt: new Date(Date.now() + 3_600_000).toISOString() }
    await using setup = await start({ except, store: lock })
    const changedAt = new Date().toISOString()
    await lock.write({ value: 1, reason: '', retryAfterSeconds: null, changedAt, link })
    await setImmediate()
    const { headers: sent } = await setup.ask(linkAddress(link), { headers })
    const pass = { headers: { ...headers, cookie: sent.get('set-cookie')?.split(';')[0] ?? '' } }
    assert.equal((await setup.ask('/', pass)).status, 200)
    aheadMs = 2 * 3_600_000
    passedMs = 60_000
    // The first request after that time has the clock read.
    await setup.ask('/', pass)
    for (const [target, options] of [
      ['/', pass],
      [linkAddress(link), { headers }],
    ] as const) {
      assert.equal((await setup.ask(target, options)).status, 503, target)
    }
  })

  it('leads to no other host', async () => {
    await using setup = await start({ except })
    const link = makeLink()
    await setup.set({ ...closed, link })
    for (const path of ['//evil.example/a', '/\\evil.example/a', '///evil.example/a']) {
      const { status, headers: sent } = await setup.ask(linkAddress(link).replace('/', path))
      assert.deepEqual([status, sent.get('location')], [303, '/evil.example/a'], path)
    }
  })

  it('works on pages that are open while a part is closed', async () => {
    await using setup = await start({ except })
    const link = makeLink()
    await setup.set({ only: ['/checkout/*'], link })
    const entry = await setup.ask(linkAddress(link), { headers })
    const cookie = entry.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    assert.equal((await setup.ask('/checkout', { headers: { ...headers, cookie } })).status, 200)
    assert.equal((await setup.ask('/checkout', { headers })).status, 503)
  })

  it('is in no state that the application reads, no log line and no profile', async () => {
    await using setup = await start({ except }, { APP_ENV: 'dev' })
    const link = makeLink()
    await setup.set({ ...closed, link })
    assert.ok(!JSON.stringify(setup.plugin.lock.state).includes(link.key))
    const entry = await setup.ask(linkAddress(link), { headers })
    const cookie = entry.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    await setup.ask('/', { headers: { ...headers, cookie } })
    await setup.set({})
    // Nobody exchanges it now.
    assert.equal((await setup.ask(linkAddress(link), { headers: { ...headers, cookie } })).status, 200)
    const { profiles } = setup.app
    assert.ok(profiles !== null)
    await until(async () => (await profiles.find({})).items.length === 2)
    const { items } = await profiles.find({})
    const kept = JSON.stringify([
      await Promise.all(items.map(({ token }) => profiles.read(token))),
      items,
      setup.log.lines,
    ])
    for (const secret of [link.key, linkAddress(link).split('=')[1] ?? '', cookie.split('=')[1] ?? '']) {
      assert.ok(secret !== '' && !kept.includes(secret))
    }
  })
})

let keys = 0

function makeLink(): NonNullable<LockState['link']> {
  keys += 1
  return { key: String(keys).padEnd(43, 'k'), expiresAt: new Date(Date.now() + 3_600_000).toISOString() }
}
