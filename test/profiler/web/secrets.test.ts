// No secret of a request is in any panel, list or JSON: threats T72 and T73.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startApp, shopRoutes, type RunningApp } from '../../support/running-app.ts'

const canaries = [
  'canary-header',
  'canary-cookie',
  'canary-key',
  'canary-form',
  'canary-json',
  'canary-query',
  'canary-userinfo',
  'canary-log',
  'canary-error',
  'canary-fragment',
  'canary-answer',
  'canary-environment',
]
const panels = ['request', 'exception', 'time', 'logger', 'router', 'currency', 'config', 'dump', 'events']

/** Put together here, so that the source shown on the exception panel does not hold it. */
const canary = (name: string): string => `canary-${name}`

let running: RunningApp
const tokens: string[] = []
before(async () => {
  process.env['APP_SECRET_OF_TEST'] = 'canary-environment'
  const routes = shopRoutes()
  routes.post('careless', '/careless/{token}', async (exchange) => {
    exchange.log.error('Logged in with {password}.', {
      password: canary('log'),
      nested: { api_key: canary('log') },
      header: `Bearer ${canary('log')}-abcdef`,
    })
    exchange.recording?.startSpan({ name: 'GET', attributes: { authorization: canary('log') } }).end()
    await exchange.request.body.text()
    throw Object.assign(new Error(`cannot reach https://user:canary-error@host/?access_token=${canary('error')}`), {
      password: canary('error'),
      headers: { cookie: `a=${canary('error')}` },
    })
  })
  routes.get('cookie', '/cookie', () => {
    const { Reply } = replies
    return new Reply(
      302,
      ['set-cookie', `session=${canary('answer')}; Path=/`, 'location', `/?token=${canary('answer')}`],
      null,
    )
  })
  const replies = await import('../../../src/framework/http/reply.ts')
  running = await startApp({ routes })
  const headers = [
    'Authorization: Bearer canary-header',
    'Cookie: session=canary-cookie; theme=canary-cookie',
    'X-Api-Key: canary-key',
    'Proxy-Authorization: Basic canary-header',
    'X-Forwarded-For: canary-header',
    'X-Amz-Security-Token: canary-key',
    'Referer: http://u:canary-userinfo@h/?password=canary-userinfo#canary-fragment',
  ]
  const query =
    '?password=canary-query&access_token=canary-query&a[client_secret]=canary-query&url=http://u:canary-userinfo@h/'
  for (const request of [
    { target: `/nope${query}`, headers },
    { target: `/products/lamp${query}`, headers },
    { target: '/cookie', headers },
    {
      method: 'POST',
      target: `/careless/lamp${query}`,
      headers: [...headers, 'Content-Type: application/x-www-form-urlencoded'],
      body: 'password=canary-form',
    },
    {
      method: 'POST',
      target: '/basket',
      headers: [...headers, 'Content-Type: application/json'],
      body: '{"password":"canary-json"',
    },
  ]) {
    tokens.push((await running.send(request)).header('x-debug-token') ?? '')
  }
})
after(async () => {
  delete process.env['APP_SECRET_OF_TEST']
  await running[Symbol.asyncDispose]()
})

describe('the profiler', () => {
  it('shows no secret in any panel of any of the requests, nor of their sub-requests', async () => {
    const all = new Set(tokens)
    for (const token of tokens)
      for (const child of (await running.profiles.read(token))?.childTokens ?? []) all.add(child)
    assert.ok(all.size > tokens.length)
    for (const token of all) {
      for (const panel of panels) {
        const { body } = await running.send({ target: `/_profiler/${token}?panel=${panel}` })
        for (const secret of canaries)
          assert.ok(!body.includes(secret), `${secret} in ${panel} of ${(await running.profiles.read(token))?.url}`)
      }
    }
  })

  it('shows none in the list, in JSON or in the store', async () => {
    const answers = await Promise.all([
      running.send({ target: '/_profiler/' }),
      running.send({ target: '/_profiler/', headers: ['Accept: application/json'] }),
      ...tokens.map(async (token) =>
        running.send({ target: `/_profiler/${token}`, headers: ['Accept: application/json'] }),
      ),
    ])
    const stored = await Promise.all(tokens.map(async (token) => running.profiles.read(token)))
    for (const text of [...answers.map(({ body }) => body), JSON.stringify(stored)]) {
      for (const secret of canaries) assert.ok(!text.includes(secret), secret)
    }
  })

  it('still shows that there were such fields', async () => {
    const { body } = await running.send({ target: `/_profiler/${tokens[0]}?panel=request` })
    for (const name of ['authorization', 'cookie', 'session', 'x-api-key', 'access_token'])
      assert.ok(body.toLowerCase().includes(name), name)
    assert.ok(body.includes('******'))
  })
})
