import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Profile } from '../../../src/observe/profile.ts'
import { missingText, repeatableRequest, type RepeatableRequest } from '../../../src/profiles/repeatable-request.ts'
import { makeProfile } from '../../support/profiles.ts'
import { startApp } from '../../support/running-app.ts'
import { pick } from '../../support/pick.ts'
import { json, RouteCollection } from '../../../src/index.ts'

function requestOf(profile: Profile): RepeatableRequest {
  const repeatable = repeatableRequest(profile)
  assert.ok(repeatable.state === 'repeatable', JSON.stringify(repeatable))
  return repeatable.request
}

function problemOf(parts: Partial<Profile>): string {
  const repeatable = repeatableRequest(makeProfile(parts))
  assert.ok(repeatable.state === 'impossible', JSON.stringify(repeatable))
  return repeatable.problem
}

describe('repeatableRequest', () => {
  it('refuses what is not a request, and what cannot be sent', () => {
    assert.equal(problemOf({ method: 'COMMAND', url: 'migrate' }), 'This is not the profile of a request.')
    assert.match(
      problemOf({ parentToken: 'abcdefghij' }),
      /^This is a sub-request: send its request again, abcdefghij\.$/,
    )
    for (const parts of [
      { url: '--output=/x' },
      { url: 'file:///etc/passwd' },
      { url: 'http://h/a b' },
      { url: 'http://h/\n' },
      { url: 'http://h' },
      { url: `http://h/${'a'.repeat(10)}… [1200 more characters]` },
      { method: 'GET;' },
    ]) {
      assert.match(problemOf(parts), /cannot be sent as it was recorded/, JSON.stringify(parts))
    }
  })

  it('takes any data for a profile without headers and body', () => {
    for (const data of [{}, { request: null }, { request: { headers: 'x' } }, { request: { headers: [1, ['a']] } }]) {
      const { headers, body } = requestOf(makeProfile({ data }))
      assert.deepEqual([headers, body], [[], { state: 'none' }])
    }
  })

  it('marks values that were cut, too deep or too many as missing', () => {
    const deep = (levels: number): unknown => (levels === 0 ? 'x' : [deep(levels - 1)])
    for (const [value, names] of [
      [{ list: ['a', '[12 more]'] }, ['list[1]']],
      [{ text: 'abc… [1200 more characters]' }, ['text']],
      [{ deep: { down: '[Object]' } }, ['deep.down']],
      [{ rest: '[left out]', quoted: 'he said [Object]' }, ['rest']],
      [deep(30), ['[0]'.repeat(21)]],
    ] as const) {
      const content = { kind: 'json', value }
      const body = { state: 'kept', mediaType: 'application/json', readBytes: 5, content }
      const data = { request: { headers: [], responseHeaders: [], bytes: null, body } }
      const { missing } = requestOf(makeProfile({ method: 'POST', data }))
      assert.deepEqual(pick(missing, 'name'), names)
    }
  })

  it('is what a client has sent, but for what was masked or not captured', async () => {
    const routes = new RouteCollection()
      .post('orders', '/orders/{id}', async ({ request }) => json({ body: await request.body.text() }), {
        captureBody: true,
      })
      .post('quiet', '/quiet', async ({ request }) => json({ body: await request.body.text() }))
      .post('lazy', '/lazy', () => json({}), { captureBody: true })
    await using app = await startApp({ routes })
    const origin = `http://127.0.0.1:${app.port}`
    const send = async (path: string, init: RequestInit): Promise<RepeatableRequest> => {
      const response = await fetch(`${origin}${path}`, { method: 'POST', ...init })
      await response.arrayBuffer()
      const profile = await fetch(`${origin}/_profiler/${response.headers.get('x-debug-token')}.json`)
      return requestOf((await profile.json()) as Profile)
    }
    const asJson = { 'content-type': 'application/json' }

    const order = await send('/orders/7?sort=a%20b&token=abc', {
      headers: { ...asJson, authorization: 'Bearer abc', 'x-custom': '1', cookie: 'session=s; theme=dark' },
      body: '{"items": [{"sku": "a", "password": "geheim"}], "n": 1.0}',
    })
    assert.equal(order.method, 'POST')
    assert.equal(order.scheme, 'http')
    assert.equal(order.host, `127.0.0.1:${app.port}`)
    assert.equal(order.target, '/orders/7?sort=a%20b&token=******')
    assert.equal(order.url, `${origin}${order.target}`)
    assert.deepEqual(
      order.headers.find(([name]) => name === 'content-type'),
      ['content-type', 'application/json'],
    )
    assert.ok(
      order.headers.every(([name, value]) => !/^(host|content-length)$/i.test(name) && !value.includes('*****')),
    )
    assert.deepEqual(order.body, {
      state: 'there',
      kind: 'json',
      mediaType: 'application/json',
      text: '{"items":[{"sku":"a","password":"******"}],"n":1}',
    })
    assert.deepEqual(order.missing.map(missingText).sort(), [
      'body items[0].password',
      'cookie session',
      'cookie theme',
      'header authorization',
      'header x-custom',
      'query token',
    ])

    const form = await send('/orders/7', {
      body: new URLSearchParams([
        ['a', 'ä&b'],
        ['a', '2'],
        ['pin', '1'],
      ]),
    })
    assert.deepEqual(form.body, {
      state: 'there',
      kind: 'form',
      mediaType: 'application/x-www-form-urlencoded',
      text: 'a=%C3%A4%26b&a=2&pin=******',
    })
    assert.deepEqual(form.missing.map(missingText), ['body pin'])

    const text = await send('/orders/7', { body: 'héllo' })
    assert.deepEqual([text.body.state === 'there' && text.body.text, text.missing], ['héllo', []])
    const long = await send('/orders/7', { body: 'x'.repeat(20_000) })
    assert.deepEqual(long.missing.map(missingText), ['all of the body'])

    for (const [path, init, reason] of [
      ['/orders/7', { body: 'x'.repeat(70_000) }, /Only the beginning/],
      [
        '/orders/7',
        { body: new Uint8Array([1, 2, 3]), headers: { 'content-type': 'image/png' } },
        /binary or in parts/,
      ],
      ['/quiet', { body: 'x' }, /neither JSON nor a form/],
      ['/lazy', { body: 'x' }, /was not read by the handler/],
      ['/nowhere', { body: 'x' }, /no route matched/],
    ] as const) {
      const { body } = await send(path, init)
      assert.match(body.state === 'missing' ? body.reason : body.state, reason)
    }
    assert.deepEqual((await send('/quiet', {})).body, { state: 'none' })
  })
})
