// What the shared part does with errors and unknown paths of a framework: cases 13 to 31 of the conformance table, without a framework.

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { describe, it } from 'node:test'
import { observerOfProcess, plainApplication, type PlainOptions } from './plain-framework.ts'
import { ask, browser, listen, profileOf, profilesOf, tokenOf } from './served.ts'
import { pick } from '../support/pick.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/http.ts')

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
    // The framework responds itself.
    await ask(port, { path: '/orders', headers: { accept: '*/*' } })
    const got = await ask(port, { path: '/orders', headers: browser })
    assert.equal(got.status, 500)
    assert.match(got.text, /2 times\s+in the last/)
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
})

it('a picture of a page whose error comes after its head keeps its status', async (test) => {
  const server = fanlight(createServer())
  server.on('request', (request, response) => {
    response.end('picture')
    observerOfProcess().requestOf(request)?.failed(new Error('too late'))
  })
  const { port } = await listen(test, server)
  assert.equal((await ask(port, { path: '/late.png', headers: { 'sec-fetch-dest': 'image' } })).status, 200)
  const seen = (await profilesOf(port)).find(({ url }) => url.endsWith('/late.png'))
  assert.deepEqual([seen?.status, seen?.errorMessage], [200, 'too late'])
})
