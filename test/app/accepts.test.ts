// The form of a response by `Accept`, over a socket.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { json, RouteCollection } from '../../src/index.ts'
import { forAll } from '../support/for-all.ts'
import { startApp } from '../support/running-app.ts'

const routes = new RouteCollection()
  .get('ours', '/ours', (exchange) => json(exchange.accepts('json', 'html', 'text/csv') ?? 'none'))
  .get('vary', '/vary', (exchange) => {
    exchange.accepts('json')
    exchange.addHeader('Vary', 'Origin')
    exchange.addHeader('Vary', 'accept')
    return json('ok', { headers: { vary: 'Cookie' } })
  })
  .get('error', '/error', (exchange) => {
    exchange.addHeader('x-added', exchange.accepts('text') ?? 'none')
    throw new Error('no luck')
  })
  .get('unknown', '/unknown', (exchange) => json(exchange.accepts('jsn')))

describe('exchange.accepts()', async () => {
  const running = await forAll(startApp({ routes }))

  for (const [accept, format] of [
    [undefined, 'json'],
    ['*/*', 'json'],
    ['text/html', 'html'],
    ['application/xhtml+xml', 'html'],
    ['application/problem+json', 'json'],
    ['text/csv, text/html;q=0.5', 'text/csv'],
    ['text/*', 'html'],
    ['application/json;q=0, */*', 'html'],
    ['image/png', 'none'],
    ['/', 'none'],
    [`${'a/b,'.repeat(600)}text/html`, 'json'],
  ] as const) {
    it(`gives ${format} for ${accept?.slice(0, 40)}`, async () => {
      const headers = accept === undefined ? [] : [`Accept: ${accept}`]
      const response = await running.send({ target: '/ours', headers })
      assert.equal(response.body, JSON.stringify(format))
      assert.equal(response.header('vary'), 'Accept')
    })
  }

  it('joins its Vary with that of the reply, each name once', async () => {
    const { headers } = await running.send({ target: '/vary' })
    assert.deepEqual(
      headers.filter(([name]) => name === 'vary'),
      [['vary', 'Cookie, Accept, Origin']],
    )
  })

  it('adds to an error response', async () => {
    const response = await running.send({ target: '/error', headers: ['Accept: text/plain'] })
    assert.equal(response.status, 500)
    assert.equal(response.header('x-added'), 'text')
    assert.equal(response.header('vary'), 'Accept')
  })

  it('says what it does not know', async () => {
    const { status, body } = await running.send({ target: '/unknown', headers: ['Accept: text/plain'] })
    assert.equal(status, 500)
    assert.match(body, /accepts\(\) does not know "jsn"; use html, json, markdown, text, or a media type/)
  })
})
