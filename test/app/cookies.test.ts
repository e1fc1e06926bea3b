// Cookies over a socket: with every kind of response, signed, and over HTTPS behind a proxy.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, html, json, loadRuntimeContext, redirect, RouteCollection, text } from '../../src/index.ts'
import type { Listener, Reply } from '../../src/index.ts'
import { exchangeOf } from '../support/exchange.ts'
import type { RawResponse } from '../support/raw-client.ts'
import { forAll } from '../support/for-all.ts'
import { startApp } from '../support/running-app.ts'
import { until } from '../support/until.ts'

const secret = 'zqcanary-cookie-secret-of-32-characters'
const olderSecret = 'zqcanary-older-cookie-secret-of-32-characters'

/** One reply for all requests. */
const shared: Reply = text('shared').cookie('theme', 'dark')
let lateError: unknown

const routes = new RouteCollection()
  .get('page', '/page', ({ cookies }) => {
    cookies.set('visit', '1')
    return html`<!doctype html>
      <body>
        page
      </body>`
  })
  .get('fetch', '/fetch', ({ cookies }) => {
    cookies.set('visit', '1')
    return new Response('fetched', { headers: { 'set-cookie': 'own=1' } })
  })
  .get('error', '/error', ({ cookies }) => {
    cookies.set('visit', '1')
    throw new Error('no luck')
  })
  .get('shared', '/shared', ({ cookies, request }) => {
    const name = request.query.get('name')
    if (name !== null) cookies.set('name', name)
    return shared
  })
  .get('twice', '/twice', ({ cookies }) => {
    cookies.set('a', '1')
    cookies.set('a', '2')
    cookies.set('a', '3', { path: '/other' })
    cookies.set('a', '4', { partitioned: true })
    cookies.delete('gone')
    return json([cookies.get('a'), cookies.get('gone') ?? null])
  })
  .post('login', '/login', async ({ request }) =>
    redirect('/me', { status: 303 }).cookie('user', await request.body.text(), { signed: true }),
  )
  .get('me', '/me', ({ cookies }) => json([cookies.get('user', { signed: true }) ?? null, cookies.get('user') ?? null]))
  .get('me_set', '/me/set', ({ cookies }) => {
    cookies.set('user', 'ben', { signed: true })
    return json(cookies.get('user', { signed: true }))
  })
  .get('role', '/role', () => text('x').cookie('role', 'ann', { signed: true }))
  .get('late', '/late', ({ cookies }) => {
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('begun, ')
      try {
        cookies.set('late', '1')
      } catch (error) {
        lateError = error
      }
      yield Buffer.from('ended')
    }
    return new Response(ReadableStream.from(body()))
  })
  .get('bad', '/bad', () => text('x').cookie('a', '1', Object({ maxAge: 60 })))

const early: Listener = {
  name: 'early',
  onRequest({ request, cookies }) {
    if (request.path !== '/early') return undefined
    cookies.set('visit', '1')
    return redirect('/').cookie('from', 'early')
  },
  onResponse({ request, cookies }, reply) {
    if (request.query.get('late') === null) return
    cookies.set('listener', '1')
    reply.cookie('reply', '1')
  },
}

const cookiesOf = ({ headers }: RawResponse): string[] =>
  headers.filter(([name]) => name === 'set-cookie').map(([, value]) => value)
const safe = 'Path=/; HttpOnly; SameSite=Lax'

describe('cookies', async () => {
  const running = await forAll(startApp({ routes, listeners: [early], cookieSecrets: [secret] }))
  const get = (target: string, headers: readonly string[] = []): Promise<RawResponse> =>
    running.send({ target, headers })

  it('leave with a page, a Response, an error, a redirect of a listener, and for HEAD', async () => {
    assert.deepEqual(cookiesOf(await get('/page')), [`visit=1; ${safe}`])
    assert.deepEqual(cookiesOf(await get('/fetch')), ['own=1', `visit=1; ${safe}`])
    const failed = await get('/error')
    assert.equal(failed.status, 500)
    assert.deepEqual(cookiesOf(failed), [`visit=1; ${safe}`])
    assert.deepEqual(cookiesOf(await get('/early')), [`from=early; ${safe}`, `visit=1; ${safe}`])
    assert.deepEqual(cookiesOf(await running.send({ method: 'HEAD', target: '/page' })), [`visit=1; ${safe}`])
  })

  it('leave when a listener sets them, with the toolbar in the page too', async () => {
    const page = await get('/page?late', ['Sec-Fetch-Dest: document', 'Accept: text/html'])
    assert.match(page.body, /fanlight-toolbar|_profiler\//)
    assert.deepEqual(cookiesOf(page), [`reply=1; ${safe}`, `visit=1; ${safe}`, `listener=1; ${safe}`])
    assert.equal((await get('/nowhere?late')).status, 404)
    assert.deepEqual(cookiesOf(await get('/nowhere?late')), [`reply=1; ${safe}`, `listener=1; ${safe}`])
  })

  it('are Secure if the proxy says https', async () => {
    await using behind = await startApp({ routes, env: { APP_TRUSTED_PROXIES: '127.0.0.1' } })
    const forwarded = { target: '/page', headers: ['X-Forwarded-Proto: https', 'X-Forwarded-For: 10.0.0.1'] }
    assert.deepEqual(cookiesOf(await behind.send(forwarded)), ['visit=1; Path=/; HttpOnly; Secure; SameSite=Lax'])
    assert.deepEqual(cookiesOf(await get('/page', forwarded.headers)), [`visit=1; ${safe}`])
  })

  it('are of one request, though the reply is of all', async () => {
    assert.deepEqual(cookiesOf(await get('/shared?name=ann')), [`theme=dark; ${safe}`, `name=ann; ${safe}`])
    assert.deepEqual(cookiesOf(await get('/shared')), [`theme=dark; ${safe}`])
  })

  it('are sent once for each place, and read as they will be', async () => {
    const response = await get('/twice', ['Cookie: a=0; gone=1'])
    assert.deepEqual(cookiesOf(response), [
      `a=2; ${safe}`,
      'a=3; Path=/other; HttpOnly; SameSite=Lax',
      'a=4; Path=/; HttpOnly; Secure; Partitioned; SameSite=Lax',
      `gone=; Max-Age=0; ${safe}`,
    ])
    assert.equal(response.body, '["4",null]')
  })

  it('cannot be set once the response has left', async () => {
    assert.equal((await get('/late')).body, 'begun, ended')
    assert.match(String(lateError), /^Error: The response has left; set cookies and headers before$/)
  })

  it('are an error with the place where an option is wrong', async () => {
    const { status, body } = await get('/bad')
    assert.equal(status, 500)
    assert.match(body, /Option "maxAge" of cookie "a" is unknown/)
    assert.match(body, /cookies\.test\.ts/)
  })

  const login = async (name: string): Promise<string> => {
    const [cookie = ''] = cookiesOf(await running.send({ method: 'POST', target: '/login', body: name }))
    return cookie.split(';')[0] ?? ''
  }

  it('with a signature are read as they were set, also in the same request', async () => {
    const pair = await login('ann')
    assert.match(pair, /^user=ann\.[\w+/]{43}$/)
    assert.deepEqual((await get('/me', [`Cookie: ${pair}`])).body, JSON.stringify(['ann', pair.slice(5)]))
    assert.equal((await get('/me/set')).body, '"ben"')
  })

  it('with a signature that does not fit are not there', async () => {
    const pair = await login('ann')
    const signature = pair.slice(pair.lastIndexOf('.'))
    for (const forged of ['user=ann', `user=eve${signature}`, 'user=ann.', 'user=.', 'user=', `user=${signature}`]) {
      assert.match((await get('/me', [`Cookie: ${forged}`])).body, /^\[null,/, forged)
    }
  })

  it('with the signature of another cookie are not there', async () => {
    const [role = ''] = cookiesOf(await get('/role'))
    assert.match(role, /^role=ann\./)
    const pair = role.split(';')[0]?.replace('role=', 'user=')
    assert.match((await get('/me', [`Cookie: ${pair}`])).body, /^\[null,"ann\./)
  })

  it('and their secret are in no profile', async () => {
    const response = await running.send({ method: 'POST', target: '/login', body: 'zqcanary-user' })
    const token = response.header('x-debug-token') ?? ''
    await until(async () => (await get(`/_profiler/${token}`)).status === 200)
    for (const panel of ['request', 'config', 'logger', 'exception']) {
      const { body } = await get(`/_profiler/${token}?panel=${panel}`)
      assert.doesNotMatch(body, /zqcanary/, panel)
    }
    assert.match((await get(`/_profiler/${token}?panel=request`)).body, /user=\*{6}/)
  })
})

describe('cookieSecrets', () => {
  const app = (cookieSecrets: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    createApp({
      routes,
      cookieSecrets,
      context: loadRuntimeContext({ cwd: '.', env: { APP_ENV: 'dev', APP_STORE: 'memory:', ...env } }).context,
      log: { write: () => undefined },
    })
  const signedBy = async (secrets: readonly string[], env = {}): Promise<string> => {
    const signing = await app(secrets, env)
    const { headers } = await signing.inject({ method: 'POST', url: '/login', body: 'ann' })
    await signing.close()
    return headers.get('set-cookie')?.split(';')[0] ?? ''
  }
  const readBy = async (cookie: string, secrets: readonly string[], env = {}): Promise<unknown> => {
    const reading = await app(secrets, env)
    const response = await reading.inject({ url: '/me', headers: { cookie } })
    await reading.close()
    return response.json()
  }

  it('can be changed: the first signs, each is good for reading', async () => {
    const old = await signedBy([olderSecret])
    assert.deepEqual(await readBy(old, [secret, olderSecret]), ['ann', old.slice(5)])
    assert.deepEqual(await readBy(old, [secret]), [null, old.slice(5)])
    assert.equal(await signedBy([secret, olderSecret]), await signedBy([secret]))
  })

  it('of APP_COOKIE_SECRETS count instead', async () => {
    assert.equal(
      await signedBy([olderSecret], { APP_COOKIE_SECRETS: `${secret}, ${olderSecret}` }),
      await signedBy([secret]),
    )
  })

  it('are wanted by signed cookies, and the error says where they are set', async () => {
    const without = await app([])
    for (const request of [{ url: '/me' }, { url: '/me/set' }, { url: '/login', method: 'POST', body: 'ann' }]) {
      const { status, body } = await without.inject(request)
      assert.equal(status, 500)
      assert.match(body, /Cookie "user" cannot be signed: the application has no secret\. Set APP_COOKIE_SECRETS, or/)
    }
    await without.close()
  })

  it('that are too short are refused at the start, and not shown', async () => {
    const isHidden = ({ message }: Error): boolean =>
      /32 to 512 characters/.test(message) && !message.includes('hunter2')
    await assert.rejects(app(['hunter2']), isHidden)
    await assert.rejects(app([`${secret} hunter2`]), isHidden)
    assert.throws(
      () => loadRuntimeContext({ cwd: '.', env: { APP_COOKIE_SECRETS: 'hunter2' } }),
      (error: Error) => isHidden(error) && error.message.startsWith('APP_COOKIE_SECRETS="******" cannot be used'),
    )
  })
})

it('exchange.cookies of a request that another framework handles: reads, and says that it cannot set', () => {
  const { cookies } = exchangeOf({ rawHeaders: ['Cookie', 'a=1'] })
  assert.equal(cookies.get('a'), '1')
  assert.throws(() => cookies.set('a', '2'), /^Error: Another framework sends the response to this request/)
})
