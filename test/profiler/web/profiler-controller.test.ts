// The answers of the profiler's routes to hostile and unusual requests, over a real socket.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { json } from '../../../src/index.ts'
import type { RawResponse } from '../../support/raw-client.ts'
import { shopRoutes, startApp, type RunningApp } from '../../support/running-app.ts'

let running: RunningApp
let token: string
before(async () => {
  running = await startApp()
  token = (await running.send({ target: '/error?x=1' })).header('x-debug-token') ?? ''
})
after(async () => running[Symbol.asyncDispose]())

const withoutNonce = ({ body }: RawResponse): string => body.replaceAll(/nonce="[^"]*"/g, '')

describe('ProfilerController: tokens (T60–T63)', () => {
  const odd = [
    'zzzzzzzzzzzz',
    'short',
    'UPPERCASE000',
    '..%2f..%2fetc%2fpasswd',
    '%5c%5c',
    'CON',
    'phpinfo',
    'search',
    'import',
    'purge',
    "'%20OR%20'1'='1",
    '______',
    '************',
    '%25%25%25%25%25%25',
    '%7b%22$ne%22%3a1%7d',
    '%0d%0aKEYS%20*',
    '__proto__',
    'constructor',
    'toString',
    'a'.repeat(17),
    'a'.repeat(4000),
    '1e308',
    '0x1f',
  ]

  it('answers every unknown and malformed token with one and the same page', async () => {
    const pages = new Set<string>()
    for (const one of [...odd, `${token}0`, `${token}%00`, `${token}.txt`, token.toUpperCase(), token.slice(0, -1)]) {
      const response = await running.send({ target: `/_profiler/${one}` })
      assert.equal(response.status, 404, one)
      pages.add(withoutNonce(response))
    }
    assert.equal(pages.size, 1)
    for (const page of pages) assert.doesNotMatch(page, new RegExp(token))
  })

  const forms = [
    { ending: '.json', accept: 'application/json', said: '{"error":"There is no such profile."}' },
    { ending: '.md', accept: 'text/markdown', said: 'There is no such profile.\n' },
  ]
  for (const { ending, accept, said } of forms) {
    it(`says the same as ${accept}, to who asks for it by ${ending} or by Accept`, async () => {
      const asked = ['zzzzzzzzzzzz', 'short', '%00', 'TOKEN.json', 'a/b', token.toUpperCase()]
      const requests = asked.flatMap((one) => [
        { target: `/_profiler/${one}${ending}` },
        { target: `/_profiler/${one.replace('.', '')}`, headers: [`Accept: ${accept}`] },
      ])
      for (const one of [...requests, { target: `/_profiler/export${ending}?token=zzzzzzzzzzzz` }]) {
        const response = await running.send(one)
        assert.deepEqual([response.status, response.body], [404, said], one.target)
        assert.equal(response.header('content-type'), `${accept}; charset=utf-8`)
      }
    })
  }

  it('lets the ending win over Accept, as for a profile that is there', async () => {
    const headers = ['Accept: application/json']
    const markdown = await running.send({ target: '/_profiler/zzzzzzzzzzzz.md', headers })
    assert.deepEqual([markdown.status, markdown.body], [404, 'There is no such profile.\n'])
  })

  it('asks who it is first: a refusal is the same bytes whatever the ending', async () => {
    const headers = ['Host: elsewhere.example']
    const bodies = await Promise.all(
      ['zzzzzzzzzzzz', 'zzzzzzzzzzzz.json', 'short.md'].map(async (one) => {
        const { status, body } = await running.send({ target: `/_profiler/${one}`, headers })
        return `${status} ${body}`
      }),
    )
    assert.equal(new Set(bodies).size, 1)
    assert.doesNotMatch(bodies[0] ?? '', /no such profile/i)
  })
})

describe('ProfilerController: panel and type (T64, T65)', () => {
  const names = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'valueOf',
    '../../x',
    '%2e%2e%2f',
    '',
    '%00',
    'REQUEST',
    'request%20',
    'notes',
    'a'.repeat(5000),
    '%22%3E%3Ci%3E',
    '%3Cscript%3E',
    '%ff',
    '0',
    '[object Object]',
  ]
  it('names an unknown panel or type, and what is allowed', async () => {
    const wrong = async (query: string): Promise<string> =>
      (await running.send({ target: `/_profiler/${token}?${query}`, headers: ['Accept: application/json'] })).body
    assert.match(
      await wrong('panel=loger'),
      /^\{"error":"There is no panel \\"loger\\"\. Did you mean \\"logger\\"\?","type":"request","panels":\["request",/,
    )
    assert.match(await wrong('panel=logger&type=job'), /"There is no type \\"job\\"\. Use request\."/)
    const latest = await running.send({ target: '/_profiler/latest?panel=%3Ci%3E' })
    assert.match(latest.header('location') ?? '', /^\/_profiler\/[0-9a-z]+\?panel=%3Ci%3E&type=request$/)
  })

  for (const name of ['panel', 'type']) {
    it(`answers odd values of ${name} with 404 and the panels there are, and echoes none`, async () => {
      for (const value of names) {
        const response = await running.send({ target: `/_profiler/${token}?${name}=${value}`.replaceAll(' ', '%20') })
        assert.equal(response.status, 404, value)
        assert.doesNotMatch(response.body, /native code|\[object Object\]|<i>|<script>|\.\.\//)
        assert.match(response.body, /panel=logger/)
      }
    })
  }

  it('offers no panels of commands to a request', async () => {
    const target = `/_profiler/${token}?panel=nothing`
    assert.doesNotMatch((await running.send({ target })).body, /panel=command/)
    const { panels } = JSON.parse((await running.send({ target, headers: ['Accept: application/json'] })).body)
    assert.ok(panels.includes('logger') && !panels.includes('command'))
  })

  it('takes panel[]= and a doubled panel for what they are', async () => {
    assert.equal((await running.send({ target: `/_profiler/${token}?panel[]=request` })).status, 200)
    assert.equal((await running.send({ target: `/_profiler/${token}?panel=logger&panel=nothing` })).status, 200)
    assert.equal((await running.send({ target: `/_profiler/${token}?panel=nothing&panel=logger` })).status, 404)
  })
})

describe('ProfilerController: methods (T70, T71)', () => {
  for (const path of ['/_profiler/', '/_profiler/latest', '/_profiler/TOKEN']) {
    it(`answers HEAD ${path} with the head of GET and no body, behind the same gate`, async () => {
      const target = path.replace('TOKEN', token)
      const [get, head] = [await running.send({ target }), await running.send({ method: 'HEAD', target })]
      assert.equal(head.status, get.status)
      assert.equal(head.body, '')
      assert.equal(head.header('content-type'), get.header('content-type'))
      assert.equal((await running.send({ method: 'HEAD', target, headers: ['Host: evil.example'] })).status, 403)
    })

    it(`answers POST, PUT and DELETE ${path} with 405 and the methods there are`, async () => {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        const response = await running.send({ method, target: path.replace('TOKEN', token) })
        assert.equal(response.status, 405)
        assert.equal(response.header('allow'), 'GET, HEAD')
        assert.match(response.body, /Method Not Allowed \(Allow: GET, HEAD\)/)
      }
    })
  }
})

describe('ProfilerController: access over a socket (T66–T68)', () => {
  const refused: readonly (readonly string[])[] = [
    ['Host: evil.example'],
    ['Host: localhost.evil.example'],
    ['Host: 127.0.0.1.evil.example'],
    ['Host: localhost.'],
    ['Host: 127.1'],
    ['Host: 2130706433'],
    ['Host: [::ffff:127.0.0.1]'],
    ['Host: 0.0.0.0'],
    ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Dest: script'],
    ['Sec-Fetch-Site: zq'],
    ['Origin: ['],
    ['Origin: null'],
    ['Origin: http://evil.example'],
    ['Sec-Fetch-Site: none', 'Sec-Fetch-Site: cross-site'],
  ]
  it('refuses foreign hosts, other sites and odd values with the same constant page on every route', async () => {
    const pages = new Set<string>()
    for (const target of ['/_profiler/', '/_profiler/latest', `/_profiler/${token}`, '/_profiler/zzzzzzzzzzzz']) {
      for (const headers of refused) {
        const response = await running.send({ target, headers })
        assert.equal(response.status, 403, headers.join())
        pages.add(response.body)
      }
    }
    assert.equal(pages.size, 1)
    assert.equal((await running.send({ target: '/api' })).status, 200)
  })

  it('never opens by another spelling (T69)', async () => {
    for (const host of [`127.0.0.1:${running.port}`, 'evil.example']) {
      for (const target of [
        `//_profiler/${token}`,
        `/%5fprofiler/${token}`,
        `/_PROFILER/${token}`,
        `/_profiler;x/${token}`,
        `/_profiler/${token};x`,
        `/_profiler//${token}`,
        `/index.php_profiler/${token}`,
        `/x/../_profiler/${token}`,
        `/./_profiler/${token}`,
        `/_profiler/./${token}`,
        `/_profiler%2f${token}`,
        `/_profiler/${token}/`,
        `/_profiler/${token}%20`,
        `/_profiler\\${token}`,
      ]) {
        const response = await running.send({ target, headers: [`Host: ${host}`] })
        assert.notEqual(response.status, 200, `${host} ${target}`)
        assert.doesNotMatch(response.body, /outer trouble/)
      }
    }
  })

  it('asks the authority of an absolute target, too', async () => {
    assert.equal((await running.send({ target: `http://evil.example/_profiler/${token}` })).status, 403)
    assert.equal((await running.send({ target: `${running.url}/_profiler/${token}` })).status, 200)
  })

  it('gives every answer the headers that keep it to itself, and no permission for others', async () => {
    for (const target of ['/_profiler/', '/_profiler/latest', `/_profiler/${token}`, '/_profiler/zzzzzzzzzzzz']) {
      for (const headers of [[], ['Accept: application/json'], ['Host: evil.example']]) {
        const response = await running.send({ target, headers })
        assert.equal(response.header('cache-control'), 'no-store')
        assert.equal(response.header('x-content-type-options'), 'nosniff')
        assert.equal(response.header('cross-origin-resource-policy'), 'same-origin')
        assert.equal(response.header('referrer-policy'), 'no-referrer')
        assert.equal(response.header('etag'), undefined)
        assert.ok(!response.headers.some(([name]) => name.startsWith('access-control') || name.startsWith('x-debug')))
        if (response.status !== 302)
          assert.match(response.header('content-security-policy') ?? '', /frame-ancestors 'none'/)
      }
    }
  })
})

describe('ProfilerController: JSON', () => {
  const json = ['Accept: application/json']
  it('gives a whole profile, or one panel of it', async () => {
    const whole = JSON.parse((await running.send({ target: `/_profiler/${token}`, headers: json })).body)
    assert.equal(whole.token, token)
    assert.ok(Object.keys(whole.data).includes('exception') && Object.keys(whole.data).includes('logger'))
    const part = JSON.parse((await running.send({ target: `/_profiler/${token}?panel=logger`, headers: json })).body)
    assert.deepEqual(Object.keys(part.data), ['logger'])
    const none = await running.send({ target: `/_profiler/${token}?panel=nothing`, headers: json })
    assert.equal(none.status, 404)
    assert.ok(JSON.parse(none.body).panels.includes('request'))
  })

  it('gives the list, and 400 for a filter that cannot be used', async () => {
    const list = await running.send({ target: '/_profiler/?status=5xx', headers: json })
    assert.equal(JSON.parse(list.body).items[0].token, token)
    const bad = await running.send({ target: '/_profiler/?status=abc', headers: json })
    assert.equal(bad.status, 400)
    assert.match(JSON.parse(bad.body).problems[0], /^"abc" is not a status\. Use 404, 4xx/)
  })
})

it('ProfilerController: reading only (T76, T94): neither keeps nor removes a profile, however often panels are opened', async () => {
  await running.send({ target: '/_profiler/' })
  const { count } = await running.profiles.stats()
  for (let index = 0; index < 25; index += 1) {
    for (const panel of ['request', 'exception', 'nothing', 'logger'])
      await running.send({ target: `/_profiler/${token}?panel=${panel}` })
  }
  for (const target of ['/_profiler/purge', `/_profiler/${token}?action=delete`, '/_profiler/?action=purge'])
    await running.send({ target })
  await running.send({ target: '/_profiler/' })
  assert.equal((await running.profiles.stats()).count, count)
})

it('the profiler’s routes beside a catch-all of the application: are asked first, so that the profiler stays reachable', async () => {
  const routes = shopRoutes()
  routes.any('everything', '/{path<.*>}', ({ request: { params } }) => json({ path: params.path }))
  await using catching = await startApp({ routes })
  assert.equal((await catching.send({ target: '/anything/at/all' })).status, 200)
  const list = await catching.send({ target: '/_profiler/' })
  assert.match(list.body, /<title>Profiles · Fanlight<\/title>/)
})
