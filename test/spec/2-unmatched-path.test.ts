// Chapter 2 of the contract: a path that matches no route.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { forAll } from '../support/for-all.ts'
import { pageText, startApp } from '../support/running-app.ts'

const running = await forAll(startApp())

describe('SPEC 2.1: any method, any path: status 404', () => {
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
    it(`${method} /nope`, async () => {
      assert.equal((await running.send({ method, target: '/nope' })).status, 404)
    })
  }
  for (const target of [
    '//a/b',
    '//',
    '/x.php',
    '/a/b.php',
    '/../../etc/passwd',
    '/%',
    '/%zz',
    '/a%2Fb',
    '/%C3%BC',
    '/a;b=c',
  ]) {
    it(`GET ${target} is an ordinary path`, async () => {
      assert.equal((await running.send({ target })).status, 404)
    })
  }
})

describe('SPEC 2.2: the outer message', () => {
  it('names method and URL: scheme, host, port and path exactly as sent, without the query', async () => {
    const { body } = await running.send({ method: 'POST', target: '//a//b.php?x=1&y=%20z' })
    assert.ok(pageText(body).includes(`No route found for "POST ${running.url}//a//b.php"`))
    assert.ok(!pageText(body).includes(`b.php?x=1&y=%20z"`))
  })

  it('leaves the default port of the scheme out', async () => {
    const { body } = await running.send({ target: '/nope', headers: ['Host: localhost:80'] })
    assert.ok(pageText(body).includes('No route found for "GET http://localhost/nope"'))
  })

  it('ends with the referer when the request has a non-empty one', async () => {
    const { body } = await running.send({ target: '/nope', headers: ['Referer: http://shop.example/from?here=1'] })
    assert.ok(
      pageText(body).includes(`No route found for "GET ${running.url}/nope" (from "http://shop.example/from?here=1")`),
    )
  })

  it('says nothing of an empty referer', async () => {
    const { body } = await running.send({ target: '/nope', headers: ['Referer:'] })
    assert.ok(pageText(body).includes(`No route found for "GET ${running.url}/nope"`))
    assert.ok(!pageText(body).includes(`/nope" (from`))
  })
})

describe('SPEC 2.3: the inner message', () => {
  for (const [target, message] of [
    ['/nope', 'No routes found for "/nope/"'],
    ['/nope/', 'No routes found for "/nope//"'],
    ['//a/b', 'No routes found for "//a/b/"'],
    ['/x.php?a=1', 'No routes found for "/x.php/"'],
  ] as const) {
    it(`${target}: ${message}`, async () => {
      const text = pageText((await running.send({ target })).body)
      assert.ok(text.includes(message))
      assert.ok(!text.includes(`${message}.`))
    })
  }
})

describe('SPEC 2.4: two nested errors', () => {
  it('shows the routing error as 1 of 2 and the HTTP error around it as 2 of 2', async () => {
    const text = pageText((await running.send({ target: '/nope' })).body)
    assert.match(text, /\[2\/2\]\s*NotFoundHttpError/)
    assert.match(text, /\[1\/2\]\s*ResourceNotFoundError/)
    assert.ok(text.indexOf('[2/2]') < text.indexOf('[1/2]'))
  })

  it('shows statusCode 404 and an empty list of headers', async () => {
    const text = pageText((await running.send({ target: '/nope' })).body)
    assert.match(text, /statusCode:\s*404/)
    assert.match(text, /headers:\s*\[\]/)
  })
})

it('SPEC 2.5: the error handler runs as a sub-request with its own token: links both profiles with each other', async () => {
  const response = await running.send({ target: '/nope' })
  const token = response.header('x-debug-token') ?? ''
  const forwarded = /Forwarded to [^(]+\(([0-9a-z]{10,16})\)/.exec(pageText(response.body))
  const child = forwarded?.[1] ?? ''
  assert.notEqual(child, token)
  const main = await running.send({ target: `/_profiler/${token}` })
  const sub = await running.send({ target: `/_profiler/${child}` })
  assert.equal(main.status, 200)
  assert.equal(sub.status, 200)
  assert.ok(main.body.includes(`/_profiler/${child}`), 'the main profile links to the sub-request')
  assert.ok(sub.body.includes(`/_profiler/${token}`), 'the sub-request links to the main profile')
})
