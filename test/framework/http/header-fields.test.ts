// Header fields as callers write them, through the public entry.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { HeaderFields } from '../../../src/base/http/header-fields.ts'
import { empty, HttpError, json, redirect, RouteCollection, text } from '../../../src/index.ts'
import { startApp } from '../../support/running-app.ts'

describe('header fields of a reply', () => {
  it('send one field per value, as written and in order, and replace the default', () => {
    const reply = json(1, { headers: { 'X-B': '2', 'Content-Type': 'a/b', 'Set-Cookie': ['a=1', 'b=2'], 'x-a': [] } })
    assert.deepEqual(reply.headers, ['content-type', 'a/b', 'X-B', '2', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'])
    assert.deepEqual(redirect('/a', { headers: { location: '/b' } }).headers, ['location', '/b'])
    assert.deepEqual(text('', { headers: { Vary: 'a', vary: 'b' } }).headers.slice(2), ['Vary', 'a', 'vary', 'b'])
  })

  it('send a redirect somewhere, with a status of redirects', () => {
    for (const status of [301, 302, 303, 307, 308] as const) assert.equal(redirect('/a', { status }).status, status)
    for (const status of [200, 300, 304, 404] as unknown as 301[])
      assert.throws(
        () => redirect('/a', { status }),
        new TypeError(`The status of redirect() is ${status}; allowed: 301, 302, 303, 307, 308`),
      )
    // @ts-expect-error: no status of a redirect
    assert.throws(() => redirect('/a', { status: 201 }), TypeError)
    for (const location of ['', undefined, 7] as unknown as string[])
      assert.throws(
        () => redirect(location),
        /^TypeError: redirect\(\) takes where the client goes, such as '\/orders'; it got /,
      )
  })

  it('may be the headers of a Fetch response', () => {
    const headers = new Headers([
      ['set-cookie', 'a=1'],
      ['X-A', '1'],
      ['set-cookie', 'b=2'],
      ['x-a', '2'],
    ])
    assert.deepEqual(empty({ headers }).headers, ['set-cookie', 'a=1', 'set-cookie', 'b=2', 'x-a', '1, 2'])
  })

  it('reach the client, those of an error too', async () => {
    const routes = new RouteCollection()
      .get('cookies', '/', () => text('ok', { headers: { 'Set-Cookie': ['a=1', 'b=2'] } }))
      .get('failing', '/failing', () => {
        throw new HttpError(503, 'busy', { headers: { 'Retry-After': '5', 'X-List': ['a', 'b'] } })
      })
    for (const APP_ENV of ['dev', 'prod']) {
      await using running = await startApp({ routes, env: { APP_ENV } })
      const { headers } = await running.send({ target: '/' })
      assert.deepEqual(
        headers.filter(([name]) => name === 'set-cookie').map(([, value]) => value),
        ['a=1', 'b=2'],
      )
      const failed = await running.send({ target: '/failing' })
      assert.equal(failed.status, 503)
      assert.equal(failed.header('retry-after'), '5')
      assert.deepEqual(
        failed.headers.filter(([name]) => name === 'x-list').map(([, value]) => value),
        ['a', 'b'],
      )
    }
  })

  const unfit: readonly (readonly [fields: unknown, says: string])[] = [
    [{ 'a b': 'c' }, '"a b" with the value "c"'],
    [{ 'x-a': 'a\nb' }, String.raw`"x-a" with the value "a\nb"`],
    [{ 'x-a': ['a', undefined] }, '"x-a" with the value undefined'],
  ]
  for (const [fields, says] of unfit) {
    it(`that cannot be sent are named in debug: ${says}`, async () => {
      const routes = new RouteCollection().get('h', '/', () => text('ok', { headers: fields as HeaderFields }))
      await using running = await startApp({ routes })
      const { status, body } = await running.send({ target: '/', headers: ['Accept: text/plain'] })
      assert.equal(status, 500)
      assert.ok(body.includes(`has a header that cannot be sent: ${says}`), body.slice(0, 500))
    })
  }
})

it('header fields of an HttpError: are a flat list on the error', () => {
  const headers = { 'Retry-After': '5', 'X-List': ['a', 'b'] }
  assert.deepEqual(new HttpError(503, 'busy', { headers }).headers, ['Retry-After', '5', 'X-List', 'a', 'X-List', 'b'])
  assert.deepEqual(new HttpError(404, 'gone').headers, [])
})

it('header fields of an injected request: arrive as written, one field per value', async () => {
  const routes = new RouteCollection().get('echo', '/', ({ request }) => json(request.rawHeaders))
  await using running = await startApp({ routes, env: { APP_ENV: 'prod' } })
  const { app } = running
  const record = { Host: 'localhost', 'X-A': ['1', '2'], 'x-b': '3' }
  const expected = ['Host', 'localhost', 'X-A', '1', 'X-A', '2', 'x-b', '3']
  assert.deepEqual((await app.inject({ headers: record })).json(), expected)
  assert.deepEqual((await app.inject({ headers: new Headers({ 'X-A': '1' }) })).json(), [
    'Host',
    'localhost',
    'x-a',
    '1',
  ])
  assert.equal((await app.inject({ headers: { Host: ['a', 'b'] } })).status, 400)
})
