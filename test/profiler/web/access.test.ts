// Who may open a profile: the table of SECURITY section 2, with the spellings that others tried.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TrustedProxies } from '../../../src/base/http/trusted-proxies.ts'
import { refusal } from '../../../src/pages/access.ts'
import { requestContext } from '../../support/exchange.ts'

const rules = { allowedHosts: ['127.0.0.1', 'localhost', '[::1]', '*.shop.example'], hostSetting: 'APP_ALLOWED_HOSTS' }

function answer(parts: Parameters<typeof requestContext>[0], headers: readonly string[] = []): string | null {
  return refusal(requestContext({ ...parts, rawHeaders: ['Host', 'as read', ...headers] }), rules)
}

describe('refusal', () => {
  for (const peerAddress of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1']) {
    it(`lets the peer ${peerAddress} in`, () => assert.equal(answer({ peerAddress }), null))
  }
  for (const peerAddress of ['192.168.1.5', '10.0.0.1', '::ffff:10.0.0.1', '127.0.0.1.evil', '128.0.0.1', '::2', '']) {
    it(`refuses the peer "${peerAddress}"`, () => assert.match(answer({ peerAddress }) ?? '', /peer/))
  }

  it('asks the socket for the peer, whatever a proxy says of the client', () => {
    assert.match(answer({ peerAddress: '10.0.0.1', clientAddress: '127.0.0.1' }) ?? '', /peer/)
  })

  it('refuses a client elsewhere that a trusted proxy on this machine speaks for', () => {
    assert.match(answer({ peerAddress: '127.0.0.1', clientAddress: '203.0.113.7' }) ?? '', /client/)
    assert.match(answer({ peerAddress: '::1', clientAddress: '' }) ?? '', /client/)
    assert.equal(answer({ peerAddress: '127.0.0.1', clientAddress: '::1' }), null)
  })

  it('lets named peers in as if they were this machine, and checks all else', () => {
    const named = { ...rules, allowedPeers: new TrustedProxies(['172.17.0.1', 'fd00::/8']) }
    const ask = (parts: Parameters<typeof requestContext>[0], headers: readonly string[] = []): string | null =>
      refusal(requestContext({ ...parts, rawHeaders: ['Host', 'as read', ...headers] }), named)
    for (const peerAddress of ['172.17.0.1', '::ffff:172.17.0.1', 'fd00::7', '127.0.0.1'])
      assert.equal(ask({ peerAddress, clientAddress: peerAddress }), null)
    assert.match(ask({ peerAddress: '172.17.0.2' }) ?? '', /peer/)
    assert.match(ask({ peerAddress: '172.17.0.1', clientAddress: '203.0.113.7' }) ?? '', /client/)
    assert.match(ask({ peerAddress: '172.17.0.1', clientAddress: '172.17.0.1', host: 'evil.example' }) ?? '', /host/)
    assert.match(
      ask({ peerAddress: '172.17.0.1', clientAddress: '172.17.0.1' }, ['Sec-Fetch-Site', 'cross-site']) ?? '',
      /site/,
    )
  })

  it('refuses fields that are there twice', () => {
    assert.match(answer({}, ['Sec-Fetch-Site', 'none', 'Sec-Fetch-Site', 'none']) ?? '', /site/)
    assert.match(answer({}, ['Origin', 'http://127.0.0.1:8000', 'Origin', 'http://evil.example']) ?? '', /origin/)
  })

  for (const host of ['127.0.0.1', 'localhost', '[::1]', 'a.shop.example', 'a.b.shop.example']) {
    it(`lets the host ${host} in, on any port`, () => {
      assert.equal(answer({ host, port: 80 }), null)
      assert.equal(answer({ host, port: 65_535 }), null)
    })
  }
  for (const host of [
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evil-localhost',
    'shop.example',
    'evilshop.example',
    '.shop.example',
    '*.shop.example.evil',
    '127.0.0.2',
    '[::2]',
    '__proto__',
    '',
  ]) {
    it(`refuses the host "${host}"`, () => assert.match(answer({ host }) ?? '', /host/))
  }

  for (const site of ['none', 'same-origin', 'same-site']) {
    it(`lets Sec-Fetch-Site ${site} in`, () => assert.equal(answer({}, ['Sec-Fetch-Site', site]), null))
  }
  it('lets a link on another site lead here', () => {
    const headers = ['Sec-Fetch-Site', 'cross-site', 'Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'document']
    assert.equal(answer({}, headers), null)
  })
  for (const [mode, dest] of [
    ['no-cors', 'script'],
    ['no-cors', 'image'],
    ['cors', 'empty'],
    ['navigate', 'iframe'],
    ['navigate', 'object'],
    ['navigate', ''],
    ['', 'document'],
    ['websocket', 'websocket'],
  ] as const) {
    it(`refuses another site that asks with mode "${mode}" for "${dest}"`, () => {
      const headers = ['Sec-Fetch-Site', 'cross-site', 'Sec-Fetch-Mode', mode, 'Sec-Fetch-Dest', dest]
      assert.match(answer({}, headers) ?? '', /site/)
    })
  }
  for (const site of ['zq', '', 'SAME-ORIGIN', 'same-origin, cross-site', '__proto__', '\u0000', 'x'.repeat(5000)]) {
    it(`refuses the odd Sec-Fetch-Site ${JSON.stringify(site.slice(0, 30))}`, () => {
      assert.match(answer({}, ['Sec-Fetch-Site', site]) ?? '', /site/)
    })
  }

  it('lets the own origin in', () => assert.equal(answer({}, ['Origin', 'http://127.0.0.1:8000']), null))
  for (const origin of [
    'null',
    '[',
    '',
    'http://127.0.0.1',
    'http://127.0.0.1:8001',
    'https://127.0.0.1:8000',
    'http://evil.example',
    'http://127.0.0.1:8000.evil.example',
    'http://127.0.0.1:8000/',
    'http://user@127.0.0.1:8000',
  ]) {
    it(`refuses the origin "${origin}"`, () => assert.match(answer({}, ['Origin', origin]) ?? '', /origin/))
  }
})
