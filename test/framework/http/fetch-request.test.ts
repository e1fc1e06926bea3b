// The Fetch request that a handler may ask for.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Readable } from 'node:stream'
import { BodyAlreadyReadError, RequestBody } from '../../../src/base/http/body.ts'
import { HttpRequest, type RequestParts } from '../../../src/base/http/request.ts'

function context(parts: Partial<RequestParts> = {}): HttpRequest {
  const rawHeaders = ['Host', 'shop.example', 'X-A', '1', 'x-a', '2']
  const sent: RequestParts = {
    method: 'GET',
    target: '/a?b',
    path: '/a',
    query: 'b',
    scheme: 'http',
    host: 'shop.example',
    port: 80,
    rawHeaders,
    peerAddress: '',
    clientAddress: '',
  }
  return new HttpRequest({ ...sent, ...parts })
}

function body(content: string): RequestBody {
  return new RequestBody({
    stream: Readable.from([Buffer.from(content)], { objectMode: false }),
    contentType: undefined,
    contentLength: undefined,
    maxBytes: 10,
  })
}

describe('HttpRequest.toFetch', () => {
  it('says method, URL and headers', () => {
    const request = context().toFetch()
    assert.equal(request.method, 'GET')
    assert.equal(request.url, 'http://shop.example/a?b')
    assert.equal(request.headers.get('x-a'), '1, 2')
  })

  it('takes a path with two leading slashes for a path', () => {
    assert.equal(new URL(context({ path: '//evil.example/x' }).toFetch().url).host, 'shop.example')
  })

  it('streams the body, within the limit', async () => {
    assert.equal(
      await context({ method: 'POST', body: body('content') })
        .toFetch()
        .text(),
      'content',
    )
    await assert.rejects(
      context({ method: 'POST', body: body('more than ten bytes') })
        .toFetch()
        .text(),
      {
        statusCode: 413,
      },
    )
  })

  it('does not touch the body before somebody reads it, and then it is read', async () => {
    const sent = body('content')
    const request = context({ method: 'POST', body: sent }).toFetch()
    assert.equal(sent.isRead, false)
    await request.text()
    await assert.rejects(sent.text(), BodyAlreadyReadError)
  })

  it('refuses what the Fetch standard has no request for', () => {
    for (const method of ['TRACE', 'CONNECT', 'TRACK']) {
      assert.throws(
        () => context({ method }).toFetch(),
        (error: Error) => error instanceof TypeError && error.message.includes(method),
      )
    }
    assert.throws(() => context({ path: '*', target: '*' }).toFetch(), TypeError)
  })
})
