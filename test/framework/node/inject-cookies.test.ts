// Cookies of injected requests: what a response sets, and what a jar sends again.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  createApp,
  json,
  loadRuntimeContext,
  RouteCollection,
  type App,
  type CookieOptions,
} from '../../../src/index.ts'
import { CookieJar } from '../../../src/testing.ts'

const day = 24 * 60 * 60

async function startShop(): Promise<App> {
  const { context } = loadRuntimeContext({ cwd: '.', env: { APP_ENV: 'test', APP_STORE: 'memory:' } })
  const routes = new RouteCollection()
    .post('set', '/set/{name}', async ({ cookies, request }) => {
      const form = await request.body.form()
      const options = JSON.parse(form.get('options')?.[0] ?? '{}') as CookieOptions
      cookies.set(request.params.name, form.get('value')?.[0] ?? '', options)
      return json('set')
    })
    .get('deep', '/deep/{rest<.*>}', ({ request }) => json([...request.cookies]))
    .get('home', '/', ({ request }) => json([...request.cookies]))
    .get('raw', '/shop/basket', () =>
      json('raw', {
        headers: {
          'set-cookie': ['kept=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT', 'old=1; Max-Age=0', 'empty=1; Domain='],
        },
      }),
    )
    .get('beside', '/shop/{rest<.*>}', ({ request }) => json([...request.cookies]))
  return createApp({ context, routes })
}

describe('cookies of inject()', () => {
  it('are those of the response, with their attributes', async () => {
    const app = await startShop()
    const body = new URLSearchParams({
      value: 'a b; ä',
      options: JSON.stringify({ maxAgeSeconds: day, secure: true, sameSite: 'strict', path: '/deep' }),
    })
    const { cookies } = await app.inject({ method: 'POST', url: '/set/theme', body })
    assert.deepEqual(cookies, [
      {
        name: 'theme',
        value: 'a b; ä',
        maxAge: day,
        path: '/deep',
        httpOnly: true,
        secure: true,
        sameSite: 'strict',
      },
    ])
    const [first] = (await app.inject('/shop/basket')).cookies
    assert.deepEqual(first?.expires, new Date('2100-01-01T00:00:00Z'))
    assert.deepEqual((await app.inject('/')).cookies, [])
    await app.close()
  })

  it('are sent with a request, beside those of its headers', async () => {
    const app = await startShop()
    const request = { cookies: { a: 'x y', b: '2' }, headers: { cookie: 'own=1' } }
    assert.deepEqual((await app.inject(request)).json(), [
      ['own', '1'],
      ['a', 'x y'],
      ['b', '2'],
    ])
    for (const cookies of [['a=1'], new Map([['a', '1']]), { a: 1 }] as unknown as readonly CookieJar[])
      await assert.rejects(app.inject({ cookies }), /Option "cookies" of inject\(\).*allowed: a CookieJar, or a record/)
    await app.close()
  })

  it('are kept in a jar and sent where a browser would send them', async (test) => {
    test.mock.timers.enable({ apis: ['Date'], now: Date.parse('2030-01-01T00:00:00Z') })
    const app = await startShop()
    const jar = new CookieJar()
    const set = async (name: string, value: string, options: object = {}, host = 'shop.example'): Promise<unknown> => {
      const body = new URLSearchParams({ value, options: JSON.stringify(options) })
      return app.inject({ method: 'POST', url: `/set/${name}`, headers: { host }, body, cookies: jar })
    }
    const sentTo = async (url: string, host = 'shop.example'): Promise<unknown> =>
      (await app.inject({ url, headers: { host }, cookies: jar })).json()

    await set('session', 'first')
    await set('session', 'second')
    await set('deep', '1', { path: '/deep', maxAgeSeconds: day })
    await set('all', '1', { domain: 'shop.example', path: '/deep/er' })
    await set('foreign', '1', { domain: 'other.example' })
    assert.deepEqual(await sentTo('/'), [['session', 'second']])
    assert.deepEqual(await sentTo('http://shop.example:81/deep/er'), [
      ['all', '1'],
      ['deep', '1'],
      ['session', 'second'],
    ])
    assert.deepEqual(await sentTo('/deep/er/x', 'eu.shop.example'), [['all', '1']])
    assert.deepEqual(await sentTo('/', 'other.example'), [])

    test.mock.timers.tick(day * 1000)
    assert.deepEqual(await sentTo('/deep/x'), [['session', 'second']])
    await set('session', '', { maxAgeSeconds: 0 })
    assert.deepEqual(await sentTo('/'), [])

    await app.inject({ url: '/shop/basket', headers: { host: 'shop.example' }, cookies: jar })
    assert.deepEqual(await sentTo('/shop/else'), [
      ['kept', '1'],
      ['empty', '1'],
    ])
    assert.deepEqual(await sentTo('/'), [])
    await app.close()
  })
})
