// Threats T16–T36 of SECURITY 5.2: redirects, hosts, headers, caches. T17, and the browser's half of T30 and T31, are in
// test/browser/threats.

import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { describe, it } from 'node:test'
import { RouteCollection, text as textReply } from '../../src/index.ts'
import { attackedApp, profilePages, tokenOf } from '../support/attacked-app.ts'
import { pageText } from '../support/page-text.ts'
import type { RawResponse } from '../support/raw-client.ts'
import { startApp } from '../support/running-app.ts'
import { requestBytes, wire } from '../support/wire.ts'

const running = await attackedApp()
const production = await attackedApp({ env: { APP_ENV: 'prod' } })
const token = tokenOf(await running.send({ target: '/first' }))

const get = async (target: string, ...headers: string[]): Promise<RawResponse> => running.send({ target, headers })
const hasHeader = (answer: RawResponse, text: string): boolean =>
  answer.headers.some(([name, value]) => `${name}: ${value}`.toLowerCase().includes(text.toLowerCase()))
const linksOf = (markup: string): string[] =>
  [...markup.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, to]) => to ?? '')

describe('5.2 redirects, hosts, headers, caches', () => {
  it('T16: no path becomes a redirect to another host', async () => {
    for (const path of [
      '//evil.example/',
      '/%5cevil.example/',
      '/\\evil.example/',
      '///evil.example/',
      '//evil.example//',
      '/%2f%2fevil.example/',
    ]) {
      for (const app of [running, production]) {
        const answer = await app.send({ target: path })
        assert.equal(answer.status, 404, path)
        assert.equal(answer.header('location'), undefined)
      }
    }
  })

  it('T16: the slash redirect of a matched route stays on the host', async () => {
    const routes = new RouteCollection()
    routes.get('folder', '/folder/', () => textReply('folder'))
    routes.get('anything', '/any/{path<.+>}/', () => textReply('anything'))
    routes.get('all', '/{path<.+>}/', () => textReply('all'))
    await using app = await startApp({ routes })
    assert.match((await app.send({ target: '/folder' })).header('location') ?? '', /\/folder\/$/)
    for (const path of [
      '//evil.example',
      '///evil.example',
      '//evil.example/%2f..',
      '/%2fevil.example',
      '/%5cevil.example',
      '/\\evil.example',
      '/any//evil.example',
      '/any/%2f%2fevil.example',
    ]) {
      const { status, header } = await app.send({ target: path })
      const location = header('location')
      assert.ok(status < 500)
      if (location !== undefined)
        assert.equal(new URL(location, app.url).origin, app.url, `${path} leads to ${location}`)
    }
  })

  it('T18: no response is split, and no header is added', async () => {
    for (const target of [
      '/a%0d%0aX-Inj:1',
      `/_profiler/${token}%0d%0aX-Inj:1`,
      `/_profiler/latest?panel=%0d%0aX-Inj:1`,
      '/products/%E5%98%8D%E5%98%8AX-Inj:1',
      '/products/a%0d%0a%0d%0aHTTP/1.1%20200%20OK',
      '/products/%c4%8d%c4%8aX-Inj:1',
    ]) {
      const { responses, isClosed } = await wire(
        running.port,
        requestBytes(`GET ${target} HTTP/1.1`, [`Host: 127.0.0.1:${running.port}`]),
      )
      assert.equal(responses.length, 1, target)
      assert.ok((responses[0]?.status ?? 500) < 500)
      assert.equal(responses[0]?.header('x-inj'), undefined)
      assert.ok(isClosed)
    }
  })

  it('T19: characters beyond Latin-1 break no header', async () => {
    for (const target of ['/%F0%9F%92%A9', '/x?%F0%9F%92%A9']) assert.equal((await get(target)).status, 404)
    // Node's parser takes no bytes beyond ASCII in a target.
    assert.equal((await get('/\xf0\x9f\x92\xa9')).status, 400)
    assert.equal((await get('/x', 'Referer: http://h/\xf0\x9f\x92\xa9')).status, 404)
    assert.equal((await running.send({ method: 'DELETE', target: '/products?%F0%9F%92%A9' })).status, 405)
  })

  it('T20: no forwarded header is believed', async () => {
    const forwarded = [
      'X-Forwarded-Host: evil.example',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Port: 444',
      'X-Forwarded-Prefix: /evil',
      'Forwarded: for=1.2.3.4;host=evil.example;proto=https',
      'X-Host: evil.example',
    ]
    const answer = await get('/x', ...forwarded)
    assert.equal(answer.status, 404)
    assert.ok(!answer.body.includes('evil.example'))
    const profile = await running.send({ target: `/_profiler/${tokenOf(answer)}` })
    assert.ok(pageText(profile.body).includes(`No route found for "GET ${running.url}/x"`))
    assert.ok(!profile.body.includes('evil.example'))
  })

  it('T21: no header gives another path', async () => {
    for (const name of ['X-Original-URL', 'X-Rewrite-URL', 'X-Original-URI', 'X-Forwarded-Path']) {
      const answer = await get('/x', `${name}: /_profiler/${token}`)
      assert.equal(answer.status, 404)
      const profile = await running.send({ target: `/_profiler/${tokenOf(answer)}` })
      assert.ok(pageText(profile.body).includes('No routes found for "/x/"'))
    }
  })

  it('T22: a spoofed client address opens nothing', async () => {
    const spoofed = ['X-Forwarded-For', 'X-Real-IP', 'Client-IP', 'True-Client-IP', 'CF-Connecting-IP']
    const headers = Object.fromEntries([...spoofed.map((name) => [name, '127.0.0.1']), ['Forwarded', 'for=127.0.0.1']])
    for (const peerAddress of ['203.0.113.7', '::ffff:203.0.113.7', '2001:db8::1']) {
      const url = `/_profiler/${token}`
      const { status, body } = await running.app.inject({
        url,
        peerAddress,
        headers: { host: '127.0.0.1', ...headers },
      })
      assert.equal(status, 403)
      assert.ok(!body.includes(token))
    }
    assert.equal(
      (await production.send({ target: `/_profiler/${token}`, headers: ['X-Forwarded-For: 127.0.0.1'] })).status,
      404,
    )
  })

  it('T22: the same over every address that this machine has beside loopback', async () => {
    await using open = await startApp({ env: { HOST: '0.0.0.0', APP_ALLOWED_HOSTS: '127.0.0.1,localhost' } })
    const own = tokenOf(await open.send({ target: '/x' }))
    assert.equal((await open.send({ target: `/_profiler/${own}` })).status, 200)
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
    for (const { address } of addresses.filter(({ internal, family }) => !internal && family === 'IPv4')) {
      const head = `GET /_profiler/${own} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 127.0.0.1\r\nConnection: close\r\n\r\n`
      const { text } = await wire(open.port, head, { host: address })
      assert.match(text, /^HTTP\/1\.1 403 /)
    }
  })

  it('T23: a foreign Host reaches no header and no link', async () => {
    for (const target of ['/x', '/products', '/error', '/_profiler/']) {
      const answer = await get(target, 'Host: evil.example')
      assert.ok(!hasHeader(answer, 'evil.example'), target)
      assert.deepEqual(
        linksOf(answer.body).filter((link) => link.includes('evil.example')),
        [],
      )
    }
  })

  it('T25: a strange Host stops nothing', async () => {
    for (const host of [
      '',
      '.',
      '..',
      'a%00b',
      'A'.repeat(5000),
      '[::ffff:127.0.0.1]:80',
      'a:99999',
      'a:',
      'a.',
      '-',
      '_',
      '1',
      '0x7f.1',
      'xn--a',
    ]) {
      const { status } = await get('/x', `Host: ${host}`)
      assert.ok(status >= 200 && status < 500, `${host}: ${status}`)
    }
  })

  it('T27: no other origin is granted anything', async () => {
    for (const origin of ['http://evil.example', 'null', `http://127.0.0.1:${running.port}`]) {
      for (const method of ['GET', 'OPTIONS', 'POST']) {
        for (const target of ['/x', '/products', '/_profiler/', `/_profiler/${token}`]) {
          const answer = await running.send({
            method,
            target,
            headers: [
              `Origin: ${origin}`,
              'Access-Control-Request-Method: GET',
              'Access-Control-Request-Headers: x-a',
              'Access-Control-Request-Private-Network: true',
            ],
          })
          assert.deepEqual(
            answer.headers.filter(([name]) => name.startsWith('access-control-')),
            [],
          )
        }
      }
    }
  })

  it('T28: errors, profiles and the maintenance page are never stored', async () => {
    await using closed = await startApp({ env: { APP_LOCK: '1' } })
    const answers = await Promise.all([
      ...['/x', '/error', '/_profiler/', '/_profiler/latest', `/_profiler/${token}`, '/_profiler/none'].map((target) =>
        get(target),
      ),
      get('/x', 'Host: a b'),
      get(`/_profiler/${token}`, 'Host: evil.example'),
      get('/x', 'Accept: application/json'),
      running.send({ method: 'DELETE', target: '/products' }),
      ...['/x', '/error'].map((target) => production.send({ target })),
      production.send({ method: 'DELETE', target: '/products' }),
      closed.send({ target: '/' }),
    ])
    for (const answer of answers) {
      assert.equal(answer.header('cache-control'), 'no-store', String(answer.status))
      assert.equal(answer.header('etag'), undefined)
      assert.equal(answer.header('last-modified'), undefined)
    }
  })

  it('T29: no range and no condition makes a 404 anything else', async () => {
    for (const header of [
      'Range: bytes=0-5',
      'If-None-Match: *',
      'If-Match: "a"',
      'If-Modified-Since: Fri, 20 Nov 2026 00:00:00 GMT',
      'If-Range: "a"',
    ]) {
      for (const app of [running, production]) {
        const answer = await app.send({ target: '/x', headers: [header, 'X-Vary: zq'] })
        assert.equal(answer.status, 404)
        assert.match(answer.header('vary') ?? 'Accept', /^accept$/i)
        assert.equal(answer.header('content-range'), undefined)
      }
    }
  })

  it('T30: no page lets itself be framed', async () => {
    const answers = [
      await get('/x'),
      await get('/error'),
      await get(`/_profiler/${token}`),
      await get('/_profiler/'),
      await production.send({ target: '/x' }),
    ]
    for (const answer of answers) assert.match(answer.header('content-security-policy') ?? '', /frame-ancestors 'none'/)
    for (const answer of answers.slice(2, 4)) assert.equal(answer.header('x-frame-options'), 'DENY')
  })

  it('T31: profiler pages tell nobody where the reader was', async () => {
    for (const page of await profilePages(running, token)) {
      assert.equal(page.header('referrer-policy'), 'no-referrer')
      assert.equal(page.header('cross-origin-resource-policy'), 'same-origin')
      assert.ok(!page.body.includes('unsafe-url'))
    }
  })

  it('T32: every answer has its own nonce', async () => {
    const nonces = new Set<string>()
    for (const target of ['/x', '/error', `/_profiler/${token}`, '/_profiler/', '/x']) {
      for (let round = 0; round < 5; round += 1) {
        const answer = await get(target)
        const nonce = /'nonce-([^']{16,})'/.exec(answer.header('content-security-policy') ?? '')?.[1] ?? ''
        assert.ok(answer.body.includes(`nonce="${nonce}"`))
        nonces.add(nonce)
      }
    }
    assert.equal(nonces.size, 25)
  })

  it('T33: no header and no query switches anything', async () => {
    const plain = await production.send({ target: '/x' })
    for (const [query, ...headers] of [
      ['', 'x-middleware-subrequest: middleware'],
      ['?_route=_profiler'],
      ['?debug=1&APP_DEBUG=1&APP_ENV=dev'],
      ['', 'X-Debug-Token: zq', 'X-Debug: 1', 'APP_ENV: dev'],
      ['', 'Cookie: XDEBUG_SESSION=1; debug=1; APP_DEBUG=1'],
      ['?_format=json&_controller=x&_method=DELETE&_locale=x'],
    ] as const) {
      const answer = await production.send({ target: `/x${query}`, headers: [...headers] })
      const constant = (body: string): string => body.replaceAll(/[0-9a-z]{12}/g, '')
      assert.equal(answer.status, 404)
      assert.equal(constant(answer.body), constant(plain.body))
      assert.ok(!hasHeader(answer, 'x-debug'))
      assert.equal((await get(`/x${query}`, ...headers)).status, 404)
    }
    assert.notEqual((await get('/x', `X-Debug-Token: ${token}`)).header('x-debug-token'), token)
  })

  it('T34: the method is the one that was sent', async () => {
    const answer = await running.send({
      method: 'POST',
      target: '/x?_method=DELETE',
      headers: [
        'X-HTTP-Method-Override: DELETE',
        'X-HTTP-Method: DELETE',
        'X-Method-Override: DELETE',
        'Content-Type: application/x-www-form-urlencoded',
      ],
      body: '_method=DELETE',
    })
    assert.ok(pageText(answer.body).includes(`No route found for "POST ${running.url}/x"`))
    assert.equal(
      (await running.send({ method: 'POST', target: '/products', headers: ['X-HTTP-Method-Override: GET'] })).status,
      405,
    )
  })

  it('T35: TRACE echoes no header', async () => {
    for (const app of [running, production]) {
      const answer = await app.send({
        method: 'TRACE',
        target: '/x',
        headers: ['Cookie: a=zq-trace', 'X-Own: zq-trace'],
      })
      assert.equal(answer.status, 404)
      assert.notEqual(answer.header('content-type'), 'message/http')
      assert.ok(!answer.body.includes('zq-trace'))
    }
  })

  it('T36: no header tells software or version', async () => {
    for (const answer of [
      await get('/x'),
      await get('/products'),
      await production.send({ target: '/x' }),
      await production.send({ target: '/products' }),
    ]) {
      assert.equal(answer.header('x-powered-by'), undefined)
      assert.doesNotMatch(answer.header('server') ?? '', /\d/)
      assert.equal(answer.header('via'), undefined)
    }
    assert.doesNotMatch((await production.send({ target: '/x' })).body, /fanlight|node/i)
  })
})

// | row | where it is |
// |---|---|
// | T17 protocol-relative self links | test/browser/threats.test.ts: it needs Chromium |
// | T24, T26 | test/spec/8-errors.test.ts, with all forms of a Host in test/framework/node/read-host.test.ts |
// | T30, T31 as a browser sees them | test/browser/threats.test.ts |
