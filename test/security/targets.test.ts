// Threats T37–T51 of SECURITY 5.3: targets, encodings, and what it costs to parse them.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { attackedApp } from '../support/attacked-app.ts'
import { pageText } from '../support/page-text.ts'
import { processorMs } from '../support/processor-time.ts'
import type { RawRequest } from '../support/raw-client.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { startApp } from '../support/running-app.ts'
import { requestBytes, wire, type WireResult } from '../support/wire.ts'
import { pick } from '../support/pick.ts'

const running = await attackedApp()
const production = await attackedApp({ env: { APP_ENV: 'prod' } })

/** Answered with something between 200 and 499, or closed without an answer by the parser. */
function assertHarmless({ responses, isClosed }: WireResult, what: string): void {
  assert.ok(isClosed, `${what}: left open`)
  for (const { status } of responses) assert.ok(status >= 200 && status < 500, `${what}: ${status}`)
}

/** Milliseconds of the processor that one hostile request may cost, in client and server together, on a page of debug. */
const maxCpuMs = 2000

async function assertCheap(requests: readonly RawRequest[]): Promise<void> {
  for (const request of requests) {
    let status = 0
    const ms = await processorMs(async () => ({ status } = await running.send(request)))
    const what = `${request.target.slice(0, 40)} ${(request.headers ?? []).join().slice(0, 60)}`
    assert.ok(status >= 200 && status < 500, `${what}: ${status}`)
    assert.ok(ms < maxCpuMs, `${what}: ${ms} ms of the processor`)
  }
}

const urlKillers = [
  '',
  '[',
  '[]',
  '[::',
  ':',
  ':80',
  ':99999',
  '@',
  '@@',
  'u:p@',
  '\\',
  '%',
  '%zz',
  '#',
  '?',
  '?%zz',
  '?#',
  ';',
  '..',
  '.',
  '*',
  '|',
  '^',
  '`',
  '{',
  '}',
  '<',
  '>',
  '"',
  "'",
  '$',
  '$$',
  '$&',
  '&',
  '=',
  '+',
  ',',
  '!',
  '~',
  'http:',
  'http://',
  'http://[',
  'javascript:',
  'file:///',
  '__proto__',
  'constructor',
  '%00',
  '%2f',
  '%2e%2e%2f',
  '%25',
  '%%',
  '-',
  '_',
  '0',
  '1e999',
  'null',
  'undefined',
  'NaN',
  '[object Object]'.replaceAll(' ', '+'),
]

describe('5.3 targets, encodings, parsers', () => {
  it('T37: no target that a URL parser chokes on stops anything', async () => {
    const targets = urlKillers.flatMap((text) => [`/${text}`, `//${text}`, `/x?${text}`, `/products/${text}`])
    assert.ok(targets.length > 135)
    for (const app of [running, production]) {
      const results = await Promise.all(targets.map((target) => wire(app.port, requestBytes(`GET ${target} HTTP/1.1`))))
      for (const [index, result] of results.entries()) {
        assertHarmless(result, targets[index] ?? '')
        assert.equal(result.responses.length, 1, targets[index])
      }
    }
  })

  it('T38: bad percent signs, overlong UTF-8 and surrogates match nothing', async () => {
    for (const path of ['/%', '/%zz', '/%c0%af', '/%ed%a0%80', '/%ff', '/%f8%88%80%80%80', '/%c3%28', '/%u0041']) {
      for (const target of [path, `/products${path}`, `/products/lamp${path.slice(1)}`]) {
        assert.equal((await running.send({ target })).status, 404, target)
      }
    }
    // A NUL is a character like any other: it is not a path of the table, and only text where a parameter takes it.
    assert.equal((await running.send({ target: '/%00' })).status, 404)
  })

  it('T39: raw control, NUL and high bytes end at the parser', async () => {
    for (const byte of [0, 1, 7, 8, 9, 0x0b, 0x0c, 0x0d, 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x9b, 0xa0, 0xff]) {
      const result = await wire(running.port, requestBytes(`GET /${String.fromCharCode(byte)}x HTTP/1.1`))
      assertHarmless(result, `byte ${byte}`)
      for (const { status } of result.responses) assert.ok(status >= 400)
    }
  })

  it('T40: an absolute target is not glued to the own address', async () => {
    // Only for hosts that are allowed errors say what was asked for.
    await using running = await startApp({ env: { APP_ALLOWED_HOSTS: '127.0.0.1,evil' } })
    for (const target of [
      'http://evil/x',
      'HTTP://EVIL/x',
      'https://evil:444/x',
      'http://evil',
      'http://evil?x',
      'http://u@evil/x',
      'http:///x',
      'ftp://evil/x',
      'http:/x',
    ]) {
      const result = await wire(
        running.port,
        requestBytes(`GET ${target} HTTP/1.1`, [`Host: 127.0.0.1:${running.port}`]),
      )
      assertHarmless(result, target)
      assert.equal(result.responses.length, 1, target)
      assert.ok(!result.text.includes(`${running.url}http`), target)
    }
    const named = await wire(
      running.port,
      requestBytes('GET http://evil/x HTTP/1.1', [`Host: 127.0.0.1:${running.port}`]),
    )
    assert.ok(pageText(named.responses[0]?.body ?? '').includes('No route found for "GET http://evil/x"'))
  })

  it('T41: *, CONNECT, unknown methods, HTTP/0.9 and TLS are answered or closed', async () => {
    const requests = [
      requestBytes('OPTIONS * HTTP/1.1'),
      requestBytes('GET * HTTP/1.1'),
      requestBytes('CONNECT evil:443 HTTP/1.1'),
      'GET /x\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'GET /x HTTP/3.0\r\n\r\n',
      'GET /x HTTP/1.9\r\nHost: h\r\nConnection: close\r\n\r\n',
      requestBytes('ZQ /x HTTP/1.1'),
      requestBytes('get /x HTTP/1.1'),
      requestBytes('PROPFIND /x HTTP/1.1'),
      requestBytes('M-SEARCH * HTTP/1.1'),
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'SSH-2.0-OpenSSH_9.6\r\n',
      '*1\r\n$4\r\nPING\r\n',
      '\r\n\r\n\r\nGET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
    ]
    for (const bytes of requests) {
      const result = await wire(running.port, bytes, { endsHalf: true })
      assert.ok(result.isClosed, JSON.stringify(bytes.slice(0, 30)))
      for (const { status } of result.responses)
        assert.ok(
          (status >= 400 && status < 500) || status === 501 || status === 505,
          `${bytes.slice(0, 20)}: ${status}`,
        )
    }
    const { responses } = await wire(running.port, requestBytes('CONNECT evil:443 HTTP/1.1'))
    assert.deepEqual(pick(responses, 'status'), [405])
  })

  it('T42: no request is upgraded, and none is left hanging', async () => {
    for (const [name, ...more] of [
      [
        'websocket',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        'Sec-WebSocket-Version: 13',
        'Origin: http://evil.example',
      ],
      ['h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'],
      ['zq'],
      ['TLS/1.3'],
    ]) {
      for (const connection of ['Upgrade', 'Upgrade, HTTP2-Settings', 'keep-alive, Upgrade']) {
        using client = await RawConnection.open(running.port)
        const head = ['GET /x HTTP/1.1', 'Host: h', `Upgrade: ${name}`, `Connection: ${connection}`, ...more, '', '']
        client.send(head.join('\r\n'))
        await client.receive('</html>')
        // The connection still speaks HTTP, and nothing else.
        client.send(requestBytes('GET /y HTTP/1.1'))
        await client.end()
        assert.equal(client.received.split('HTTP/1.1 404').length, 3)
        assert.ok(!client.received.includes('HTTP/1.1 101'))
      }
    }
  })

  it('T43: no path costs more than linear time', async () => {
    const length = 14_000
    const fill = (part: string): string => part.repeat(Math.floor(length / part.length))
    const paths = [
      '-',
      'a/',
      '%2f',
      '.',
      '../',
      '/',
      '%',
      'a',
      '%61',
      'a-',
      '{',
      '((',
      'aA0',
      ';a=',
      '&amp;',
      '%F0%9F%92%A9',
    ].map(fill)
    await assertCheap([
      ...paths.map((path) => ({ target: `/${path}` })),
      ...paths.map((path) => ({ target: `/products/${path}` })),
      ...paths.map((path) => ({ target: `/x?${path}` })),
      { target: `/_profiler/${'a'.repeat(length)}` },
      { target: `/_profiler/${'a'.repeat(length)}!` },
      { target: `/_profiler/?url=${'%25'.repeat(4000)}` },
      { target: `/_profiler/?url=${'_%25'.repeat(3000)}` },
      { target: `/_profiler/routes?url=/${'a/'.repeat(6000)}` },
    ])
  })

  it('T44: no header costs more than linear time', async () => {
    const parts = [
      ',',
      ';',
      '"',
      ' ',
      '=',
      '/',
      '\\',
      'a,',
      'a;q=1,',
      '*/*,',
      '://',
      'a://',
      ':',
      "password='",
      'eyJ',
      '-----BEGIN',
      'Bearer ',
      '4111 ',
      '%',
      '<',
      'a=b; ',
      '"a":',
      '@',
      'http://a:b@',
    ]
    for (const part of parts) {
      const value = `x${part.repeat(Math.floor(2100 / part.length))}x`
      const names = ['Accept', 'Accept-Language', 'Cookie', 'Forwarded', 'Range', 'Referer']
      await assertCheap([
        { target: '/x', headers: names.map((name) => `${name}: ${value}`) },
        { target: '/x', headers: [`Referer: x${part.repeat(Math.floor(13_000 / part.length))}x`] },
        {
          method: 'POST',
          target: '/basket',
          headers: [`Content-Type: x${part.repeat(Math.floor(13_000 / part.length))}x`],
          body: '{}',
        },
      ])
    }
  })

  it('T45: a URL of 1 MB, headers of 1 MB and of 17 KB, and 100 000 headers are refused', async () => {
    const requests = [
      `GET /${'a'.repeat(1e6)} HTTP/1.1\r\nHost: h\r\n\r\n`,
      `GET /x HTTP/1.1\r\nHost: h\r\nX: ${'a'.repeat(1e6)}\r\n\r\n`,
      `GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`,
      `GET /x HTTP/1.1\r\nHost: h\r\n${'a: b\r\n'.repeat(100_000)}\r\n`,
      `GET /x HTTP/1.1\r\nHost: h\r\n${'a:\r\n'.repeat(2100)}\r\n`,
      'G'.repeat(1e6),
    ]
    for (const bytes of requests) {
      const result = await wire(running.port, bytes)
      assert.ok(result.isClosed)
      for (const { status } of result.responses)
        assert.ok(status === 431 || status === 414 || status === 400, String(status))
    }
  })

  it('T46: no request makes a page larger than 1 MB', async () => {
    const many = Array.from({ length: 1900 }, (_, index) => `a${index % 10}: <`)
    const requests: RawRequest[] = [
      { target: `/${'<'.repeat(15_000)}` },
      { target: `/x?${'a&'.repeat(7500)}` },
      { target: `/x?${'<=&&'.repeat(3800)}` },
      { target: '/x', headers: many },
      { target: '/x', headers: [`Cookie: ${'a=;'.repeat(5000)}`] },
      { target: '/error', headers: [`Referer: ${'<'.repeat(15_000)}`] },
    ]
    for (const request of requests) {
      const answer = await running.send(request)
      assert.ok(answer.status === 404 || answer.status === 500, `${request.target.slice(0, 20)}: ${answer.status}`)
      const token = answer.header('x-debug-token')
      for (const body of [
        answer.body,
        (await running.send({ target: `/_profiler/${token}?panel=request` })).body,
        (await running.send({ target: `/_profiler/${token}` })).body,
      ])
        assert.ok(Buffer.byteLength(body) <= 1024 * 1024, `${request.target.slice(0, 20)}: ${body.length}`)
    }
  })

  it('T47: headers named like members of Object change nothing', async () => {
    for (const name of [
      '__proto__',
      'constructor',
      'hasOwnProperty',
      'toString',
      'prototype',
      'valueOf',
      '__defineGetter__',
    ]) {
      for (const target of ['/x', '/products']) {
        const { status } = await running.send({ target, headers: [`${name}: x`, `Cookie: ${name}=1; __proto__=2`] })
        assert.equal(status, target === '/x' ? 404 : 200)
      }
    }
  })

  it('T48: no query, form or JSON pollutes a prototype', async () => {
    const pollution =
      '__proto__[status]=200&constructor[prototype][status]=200&__proto__.status=200&a[__proto__][status]=200'
    const json =
      '{"__proto__":{"status":200},"constructor":{"prototype":{"status":200}},"a":{"__proto__":{"status":200}}}'
    const form = 'Content-Type: application/x-www-form-urlencoded'
    await running.send({ target: `/x?${pollution}` })
    await running.send({ method: 'POST', target: '/basket', headers: [form], body: pollution })
    const echoed = await running.send({
      method: 'POST',
      target: '/basket',
      headers: ['Content-Type: application/json'],
      body: json,
    })
    assert.ok(echoed.status < 500)
    for (const target of [`/_profiler/?${pollution}`, '/_profiler/__proto__?panel=__proto__'])
      await running.send({ target })
    assert.equal(Reflect.get({}, 'status'), undefined)
    assert.equal((await running.send({ target: '/x' })).status, 404)
  })

  it('T49: no Accept changes the status, and each form is well-formed', async () => {
    for (const accept of [
      'application/json',
      ';',
      ',',
      '*',
      '*/*;q=0',
      'application/json;q=zq',
      '/',
      'a/b',
      '\xff',
      'text/html,application/json',
      'a/b,'.repeat(3000),
    ]) {
      const answer = await running.send({ target: '/x', headers: [`Accept: ${accept}`] })
      assert.equal(answer.status, 404, accept.slice(0, 30))
      if (answer.header('content-type')?.includes('json') === true) JSON.parse(answer.body)
    }
    const problem = await running.send({
      target: '/%22%0a%3C?"',
      headers: ['Accept: application/json', 'Referer: "\\<\x09'],
    })
    assert.equal((JSON.parse(problem.body) as { readonly status: number }).status, 404)
  })

  it('T50: lengths are counted in bytes: framing holds on one connection', async () => {
    const one = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: h\r\nReferer: \xf0\x9f\x92\xa9\r\n\r\n`
    for (const app of [running, production]) {
      const { responses } = await wire(
        app.port,
        one('/%F0%9F%92%A9') + one('/products/%F0%9F%92%A9') + requestBytes('GET /%F0%9F%92%A9 HTTP/1.1'),
      )
      assert.deepEqual(pick(responses, 'status'), [404, 200, 404])
      for (const { body } of responses) assert.match(body, /<\/html>\s*$|<\/h1>\s*$/)
    }
  })

  it('T51: no path reads a file', async () => {
    const packageText = readFileSync(new URL('../../package.json', import.meta.url), 'utf8').slice(0, 60)
    for (const target of [
      '/../../etc/passwd',
      '/..%2f..%2fetc%2fpasswd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/@fs/etc/passwd?raw??',
      '/.env',
      '/.git/config',
      '/package.json',
      '/../package.json',
      '/src/index.ts',
      '/node_modules/valibot/package.json',
      '/var/fanlight.db',
      '/_profiler/..%2f..%2fpackage.json',
      '/_profiler/open?file=package.json&line=1',
      '/_profiler/?file=/etc/passwd',
      '/file:///etc/passwd',
    ]) {
      for (const app of [running, production]) {
        const { status, body } = await app.send({ target })
        assert.ok(status === 404 || (status === 200 && target.startsWith('/_profiler/?')), `${target}: ${status}`)
        assert.ok(!body.includes('root:') && !body.includes(packageText) && !body.includes('SQLite format'))
      }
    }
  })
})

// Every row of the section applies.
