// What the shared part does with errors and unknown paths of a framework: cases 13 to 31 of the conformance table, without a framework.

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { describe, it } from 'node:test'
import { observerOfProcess, plainApplication, type PlainOptions } from './plain-framework.ts'
import { ask, browser, listen, profileOf, tokenOf } from './served.ts'
import { pick } from '../support/pick.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/http.ts')

const kept = { message: 'It failed' }

function serve(options: Omit<PlainOptions, 'observer'>): Server {
  const server = createServer()
  fanlight(server)
  return server.on('request', plainApplication({ ...options, observer: observerOfProcess() }))
}

function failing(thrown: unknown): Omit<PlainOptions, 'observer'> {
  return {
    routes: {
      'GET /orders': () => {
        throw thrown
      },
      'GET /order': () => undefined,
      'POST /pay': () => undefined,
    },
  }
}

describe('a default response to an error', () => {
  it('becomes our page for a browser, with the status and the other headers of the framework', async (test) => {
    const { port } = await listen(test, serve(failing(new TypeError('order.total is not a function'))))
    const got = await ask(port, { path: '/orders', headers: browser })
    assert.equal(got.status, 500)
    assert.match(got.text, /<title>TypeError: order\.total is not a function/)
    assert.equal(Number(got.headers['content-length']), got.bytes.byteLength)
    assert.equal(got.headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(got.headers['x-kept'], 'yes')
    assert.deepEqual(got.headers['set-cookie'], ['a=1', 'b=2'])
    assert.equal(got.headers.etag, undefined)
    const profile = await profileOf(port, tokenOf(got))
    assert.equal(profile.errorClass, 'TypeError')
    assert.equal(profile.route, '/orders')
    // No error handler of this library runs here.
    assert.deepEqual(profile.childTokens, [])
    assert.doesNotMatch(got.text, /Forwarded to|sub-request/)
  })

  it('becomes Markdown for an agent', async (test) => {
    const { port } = await listen(test, serve(failing(new RangeError('too many'))))
    const got = await ask(port, { path: '/orders', headers: { accept: 'text/markdown' } })
    assert.match(String(got.headers['content-type']), /^text\/markdown/)
    assert.match(got.text, /RangeError/)
  })

  it('stays as it is for everybody else, and is recorded', async (test) => {
    const { port } = await listen(test, serve(failing(new RangeError('too many'))))
    for (const accept of ['application/json', '*/*', 'application/json, text/html;q=0.5', undefined]) {
      const got = await ask(port, { path: '/orders', headers: accept === undefined ? {} : { accept } })
      assert.deepEqual(JSON.parse(got.text), kept, accept)
      assert.equal(got.headers.etag, '"e"')
      const profile = await profileOf(port, tokenOf(got))
      assert.equal(profile.errorClass, 'RangeError')
      assert.equal(profile.status, 500)
    }
  })

  for (const [what, thrown] of [
    ['a string', 'out of stock'],
    ['an object', { reason: 'out of stock' }],
    ['undefined', undefined],
  ] as const) {
    it(`shows that ${what} was thrown`, async (test) => {
      const { port } = await listen(test, serve(failing(thrown)))
      const got = await ask(port, { path: '/orders', headers: browser })
      assert.equal(got.status, 500)
      assert.match(String(got.headers['content-type']), /^text\/html/)
      if (thrown !== undefined) assert.match(got.text, /out of stock/)
    })
  }

  it('masks a 404 that the application throws before any route', async (test) => {
    const server = createServer((request, response) => {
      const observed = observerOfProcess().requestOf(request)
      observed?.failed(new Error('no user with password=hunter2'), 404)
      observed?.respondsByDefault('error')
      response.writeHead(404).end()
    })
    const { port } = await listen(test, fanlight(server))
    const got = await ask(port, { headers: browser })
    assert.equal(got.status, 404)
    assert.match(got.text, /no user with password=\*+/)
    assert.doesNotMatch(got.text.replaceAll(/<ol class="source[^]*?<\/ol>/g, ''), /hunter2/)
  })

  it('answers HEAD with the headers of the page', async (test) => {
    const { port } = await listen(test, serve(failing(new RangeError('too many'))))
    const got = await ask(port, { method: 'HEAD', path: '/orders', headers: browser })
    assert.equal(got.bytes.byteLength, 0)
    assert.match(String(got.headers['content-type']), /^text\/html/)
  })

  it('swallows what the framework writes in pieces, and calls back', async (test) => {
    const calledBack: string[] = []
    const server = createServer((request, response) => {
      const observed = observerOfProcess().requestOf(request)
      observed?.failed(new RangeError('in pieces'))
      observed?.respondsByDefault('error')
      response.statusCode = 500
      response.write('one', () => calledBack.push('one'))
      response.write('two', 'utf8', () => calledBack.push('two'))
      response.end('three', () => calledBack.push('end'))
      assert.equal(response.headersSent, true)
    })
    const { port } = await listen(test, fanlight(server))
    const got = await ask(port, { headers: browser })
    assert.match(got.text, /^<!doctype html>/i)
    assert.doesNotMatch(got.text, /onetwo/)
    assert.deepEqual(calledBack, ['one', 'two', 'end'])
  })
})

describe('an unknown path', () => {
  it('draws the 404 page with near routes of the framework', async (test) => {
    const { port } = await listen(test, serve(failing(new Error('no'))))
    const got = await ask(port, { path: '/ordres', headers: browser })
    assert.equal(got.status, 404)
    assert.match(got.text, /Error 404 Not Found/)
    assert.ok(got.text.includes('/orders'))
    // The terminal knows no routes of other frameworks.
    assert.doesNotMatch(got.text, /No routes found|fanlight match|Forwarded to/)
    const profile = await profileOf(port, tokenOf(got))
    assert.equal(profile.errorClass, 'NotFoundHttpError')
    const { errors } = profile.data['exception'] as { readonly errors: readonly { readonly message: string }[] }
    assert.deepEqual(pick(errors, 'message'), [`No route found for "GET http://127.0.0.1:${port}/ordres"`])
  })

  it('says which methods there are, with the status of the framework', async (test) => {
    const { port } = await listen(test, serve(failing(new Error('no'))))
    const got = await ask(port, { path: '/pay', headers: browser })
    assert.equal(got.status, 404)
    assert.match(got.text, /Method Not Allowed \(Allow: POST\)/)
  })

  it('is compared with the routes of its own application only', async (test) => {
    const other = serve({ routes: { 'GET /ordrex': () => undefined } })
    const { port } = await listen(test, other)
    const { port: first } = await listen(test, serve(failing(new Error('no'))))
    const got = await ask(port, { path: '/ordres', headers: browser })
    assert.match(got.text, /\/ordrex/)
    assert.doesNotMatch(got.text, /\/orders/)
    assert.doesNotMatch((await ask(first, { path: '/ordres', headers: browser })).text, /\/ordrex/)
    const { text } = await ask(port, { path: '/_profiler/routes.json' })
    assert.match(text, /\/ordrex/)
    assert.match(text, /\/orders/)
  })

  it('keeps the bytes of the framework for JSON', async (test) => {
    const { port } = await listen(test, serve(failing(new Error('no'))))
    const got = await ask(port, { path: '/ordres', headers: { accept: 'application/json' } })
    assert.equal(got.text, '{"message":"Not Found"}')
    assert.equal((await profileOf(port, tokenOf(got))).errorClass, 'NotFoundHttpError')
  })
})

describe('a response of the application', () => {
  it('to an error keeps its bytes, and the error is recorded', async (test) => {
    const own = { ...failing(new TypeError('no total')) }
    const { port } = await listen(
      test,
      serve({ ...own, ownErrors: (_, __, response) => void response.writeHead(503).end('own words') }),
    )
    const got = await ask(port, { path: '/orders', headers: browser })
    assert.equal(got.status, 503)
    assert.equal(got.text, 'own words')
    assert.equal((await profileOf(port, tokenOf(got))).errorClass, 'TypeError')
  })

  it('that is an HTML page gets the toolbar', async (test) => {
    const ownErrors: PlainOptions['ownErrors'] = (_, __, response) =>
      void response.writeHead(500, { 'content-type': 'text/html' }).end('<html><body>Sorry</body></html>')
    const { port } = await listen(test, serve({ ...failing(new TypeError('no total')), ownErrors }))
    const got = await ask(port, { path: '/orders', headers: browser })
    assert.match(got.text, /^<html><script[^]*<\/script><body>Sorry<fanlight-toolbar/)
  })

  it('leaves whole when something is thrown after it', async (test) => {
    const routes = {
      'GET /late': (_: unknown, response: { end(text: string): void }) => {
        response.end('done')
        throw new RangeError('too late')
      },
    }
    const { port } = await listen(test, serve({ routes, ownErrors: () => undefined }))
    const got = await ask(port, { path: '/late', headers: browser })
    assert.equal(got.text, 'done')
    assert.equal(got.status, 200)
    assert.equal((await profileOf(port, tokenOf(got))).errorClass, 'RangeError')
  })

  it('breaks off when something is thrown after its head', async (test) => {
    const routes = {
      'GET /late': async (_: unknown, response: { write(text: string, done: () => void): void }) => {
        await new Promise<void>((resolve) => response.write('half', resolve))
        throw new RangeError('after the head')
      },
    }
    const { port } = await listen(test, serve({ routes }))
    let token = ''
    await assert.rejects(async () => {
      const response = await fetch(`http://127.0.0.1:${port}/late`, { headers: browser })
      token = response.headers.get('x-debug-token') ?? ''
      await response.text()
    })
    const profile = await profileOf(port, token)
    assert.equal(profile.errorClass, 'RangeError')
    assert.equal(profile.status, 200)
    assert.match(JSON.stringify(profile.data), /"aborted":true/)
  })
})
