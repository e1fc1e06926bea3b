// Requests that never reach the application: in development the client is told why, in production it gets the constant page.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loadRuntimeContext } from '../../src/http/config/runtime-context.ts'
import { createApp, RouteCollection, text } from '../../src/index.ts'
import { LineList } from '../support/exchange.ts'
import { pageText } from '../support/page-text.ts'
import { exchangeBytes } from '../support/raw-connection.ts'

async function answerTo(message: string, env = 'dev', options: { maxHeaderBytes?: number } = {}): Promise<string> {
  const routes = new RouteCollection().get('home', '/', () => text('home'))
  const { context } = loadRuntimeContext({
    cwd: import.meta.dirname,
    env: { APP_ENV: env, APP_STORE: 'memory:', PORT: '0' },
  })
  const app = await createApp({ routes, context, log: new LineList(), ...options })
  try {
    const { port } = await app.listen()
    return await exchangeBytes(port, message)
  } finally {
    await app.close()
  }
}

const head = 'GET / HTTP/1.1\r\nHost: h\r\n'
const secret = 'zq-secret-'.repeat(2000)

describe('a refused request in development', () => {
  it('names the limit, the longest header field and the option, as a page for a browser', async () => {
    const answer = await answerTo(`${head}Accept: text/html\r\nX-A: 1\r\nCookie: sid=${secret}\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/)
    assert.match(answer, /\r\ncontent-type: text\/html; charset=utf-8\r\n/)
    assert.match(answer, /\r\ncontent-security-policy: default-src 'none'; style-src 'sha256-/)
    const page = pageText(answer)
    assert.ok(page.includes('Error 431 Request Header Fields Too Large'), page)
    assert.ok(page.includes('Request headers exceed the limit of 16,384 bytes.'), page)
    assert.ok(
      page.includes(`The longest one is Cookie with ${(secret.length + 4).toLocaleString('en-GB')} bytes.`),
      page,
    )
    assert.ok(page.includes('delete those that are old'), page)
    assert.ok(page.includes('createApp({ maxHeaderBytes: 32768 })'), page)
    assert.ok(!answer.includes('zq-secret'))
  })

  it('is text for other clients, and knows a long URL', async () => {
    const answer = await answerTo(`GET /${'u'.repeat(20_000)} HTTP/1.1\r\nHost: h\r\nAccept: text/plain\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 431 [^\0]*\r\ncontent-type: text\/plain/)
    assert.match(answer, /The URL alone is 20,015 bytes/)
  })

  it('can be allowed by the option', async () => {
    const message = `${head}X-A: ${'a'.repeat(20_000)}\r\nConnection: close\r\n\r\n`
    assert.match(await answerTo(message, 'dev', { maxHeaderBytes: 40_000 }), /^HTTP\/1\.1 200 /)
    assert.match(await answerTo(message, 'prod', { maxHeaderBytes: 40_000 }), /^HTTP\/1\.1 200 /)
    await assert.rejects(answerTo(message, 'dev', { maxHeaderBytes: -1 }), /maxHeaderBytes/)
  })

  for (const [what, message, said] of [
    [
      'bytes that are not a header',
      `${head}a b: c\r\n\r\n`,
      /Invalid header token \(HPE_INVALID_HEADER_TOKEN\).*is Host\./s,
    ],
    ['a control character', `${head}X-A: a\u0001b\r\n\r\n`, /Invalid header value char/],
    ['TLS on a plain port', '\u0016\u0003\u0001\u0002\u0000\u0001', /began with TLS.*Use http:\/\//],
    ['another protocol', 'HELLO there\r\n\r\n', /The fault is in the first line/],
    ['a missing Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', /Host is missing/],
    ['a second Host', `${head}Host: i\r\n\r\n`, /Host is missing, there more than once/],
    ['a host that cannot be used', 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n', /cannot be used/],
    ['too many fields', `${head}${'a:\r\n'.repeat(2100)}\r\n`, /There are 2,101 of them/],
  ] as const) {
    it(`names ${what}`, async () => {
      const answer = await answerTo(message)
      assert.match(answer, /^HTTP\/1\.1 4(?:00|31) /)
      assert.match(pageText(answer.slice(answer.indexOf('\r\n\r\n'))), said)
    })
  }
})

describe('a refused request with more bytes behind it', () => {
  for (const [what, message] of [
    ['Transfer-Encoding: identity', `POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: identity\r\n\r\nname=Ada`],
    ['an unknown coding', `POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\nname=Ada`],
    ['a Host that cannot be used', 'GET / HTTP/1.1\r\nHost: a b\r\n\r\nno request'],
  ] as const) {
    for (const env of ['dev', 'prod'])
      it(`gets one response for ${what} in ${env}`, async () => {
        const answer = await answerTo(message, env)
        assert.equal(answer.match(/HTTP\/1\.1 /g)?.length, 1)
        assert.match(answer, /^HTTP\/1\.1 400 /)
      })
  }
})

describe('a refused request in production', () => {
  for (const message of [`${head}Cookie: sid=${secret}\r\n\r\n`, `${head}a b: c\r\n\r\n`, `${head}Host: i\r\n\r\n`]) {
    it(`says nothing but its status: ${message.slice(20, 45).replaceAll('\r\n', ' ')}`, async () => {
      const answer = await answerTo(message, 'prod')
      const body = answer.slice(answer.indexOf('\r\n\r\n') + 4)
      assert.match(
        body,
        /^<!doctype html><html lang="en"><meta charset="utf-8"><title>(Error 4\d\d [\w ]+)<\/title><h1>\1<\/h1><\/html>\n$/,
      )
    })
  }
})
