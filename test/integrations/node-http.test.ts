// A bare server of node:http behind `fanlight/http`: cases 1 to 7 of the conformance table, over real sockets.

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { describe, it } from 'node:test'
import { ask, browser, listen, profileOf, tokenOf } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/http.ts')

const page = '<!doctype html><html><head><title>Shop</title></head><body><h1>Shop</h1></body></html>'
const json = '{"id":7}'

function shop(): Server {
  return createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    switch (pathname) {
      case '/json':
        return void response.writeHead(200, { 'Content-Type': 'application/json' }).end(json)
      case '/page':
        response.setHeader('Content-Type', 'text/html; charset=utf-8')
        response.setHeader('ETag', '"shop-1"')
        return void response.end(page)
      case '/page/head-first':
        return void response
          .writeHead(200, 'Very fine', ['Content-Type', 'text/html', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'])
          .end(page)
      case '/page/with-length':
        response.setHeader('content-type', 'text/html')
        response.setHeader('content-length', Buffer.byteLength(page))
        return void response.end(page)
      case '/page/open':
        return void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><h1>No end')
      case '/empty':
        return void response.writeHead(204).end()
      case '/unchanged':
        return void response.writeHead(304, { ETag: '"1"' }).end()
      case '/away':
        return void response.writeHead(302, { Location: '/page' }).end()
      default:
        return void response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Not here')
    }
  })
}

describe('a bare server of node:http', () => {
  it('is given back as the same object', () => {
    const server = shop()
    assert.equal(fanlight(server), server)
    assert.equal(fanlight(server), server)
  })

  it('sends JSON as without us, with token, link and timing', async (test) => {
    const { port } = await listen(test, fanlight(shop()))
    const got = await ask(port, { path: '/json', headers: browser })
    assert.equal(got.text, json)
    assert.match(tokenOf(got), /^[0-9a-z]{10,16}$/)
    assert.equal(got.headers['x-debug-token-link'], `/_profiler/${tokenOf(got)}`)
    assert.match(String(got.headers['server-timing']), /^total;dur=/)
    const profile = await profileOf(port, tokenOf(got))
    assert.equal(profile.status, 200)
    assert.equal(profile.route, null)
  })

  it('sends a page with the toolbar before its end, and the right length', async (test) => {
    const { port } = await listen(test, fanlight(shop()))
    for (const path of ['/page', '/page/with-length', '/page/head-first']) {
      const got = await ask(port, { path, headers: browser })
      assert.equal(got.text.split('<fanlight-toolbar').length, 2, path)
      assert.ok(got.text.indexOf('<fanlight-toolbar') < got.text.indexOf('</body></html>'), path)
      if (path !== '/page/head-first') assert.equal(Number(got.headers['content-length']), got.bytes.byteLength, path)
      assert.equal(got.headers.etag, undefined)
    }
  })

  it('keeps the reason phrase and doubled cookies of a head that is written', async (test) => {
    const { port } = await listen(test, fanlight(shop()))
    const got = await ask(port, { path: '/page/head-first', headers: browser })
    assert.equal(got.reason, 'Very fine')
    assert.deepEqual(got.headers['set-cookie'], ['a=1', 'b=2'])
  })

  it('puts the toolbar at the end of a page without </body>', async (test) => {
    const { port } = await listen(test, fanlight(shop()))
    const got = await ask(port, { path: '/page/open', headers: browser })
    assert.match(got.text, /^<!doctype html><script[^]*<\/script><h1>No end<fanlight-toolbar/)
  })

  it('sends the pieces of a page as they come, and the toolbar once', async (test) => {
    const steps: (() => void)[] = []
    const { port } = await listen(
      test,
      fanlight(
        createServer((_, response) => {
          response.writeHead(200, { 'content-type': 'text/html' })
          response.write('<html><body><p>one</p>')
          steps.push(() => response.write('<p>two</p>'))
          steps.push(() => response.end('<p>three</p></body></html>'))
        }),
      ),
    )
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers: browser })
    const pieces: string[] = []
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      pieces.push(decoder.decode(chunk as Uint8Array))
      // The next piece is written only when this one is here.
      steps.shift()?.()
    }
    assert.match(pieces[0] ?? '', /^<html><script[^]*<\/script><body><p>one<\/p>$/)
    const text = pieces.join('')
    assert.match(text, /<body><p>one<\/p><p>two<\/p><p>three<\/p><fanlight-toolbar[^]*<\/body><\/html>$/)
    assert.equal(text.split('<fanlight-toolbar').length, 2)
  })

  it('answers HEAD without a body, and profiles it', async (test) => {
    const { port } = await listen(test, fanlight(shop()))
    const got = await ask(port, { method: 'HEAD', path: '/page', headers: browser })
    assert.equal(got.bytes.byteLength, 0)
    assert.equal(got.headers['content-type'], 'text/html; charset=utf-8')
    assert.equal((await profileOf(port, tokenOf(got))).method, 'HEAD')
  })

  it('leaves 204 and 304 as they are', async (test) => {
    const { port } = await listen(test, fanlight(shop()))
    for (const [path, status] of [
      ['/empty', 204],
      ['/unchanged', 304],
    ] as const) {
      const got = await ask(port, { path, headers: browser })
      assert.equal(got.status, status)
      assert.equal(got.bytes.byteLength, 0)
      assert.equal(got.headers['content-length'], undefined)
      assert.equal(got.headers['transfer-encoding'], undefined)
      assert.equal((await profileOf(port, tokenOf(got))).status, status)
    }
  })

  it('names the redirect that led to a page', async (test) => {
    const { port } = await listen(test, fanlight(shop()))
    const away = await ask(port, { path: '/away', headers: browser })
    const there = await ask(port, { path: String(away.headers.location), headers: browser })
    const profile = await profileOf(port, tokenOf(there))
    assert.ok(JSON.stringify(profile.data).includes(tokenOf(away)))
  })
})
