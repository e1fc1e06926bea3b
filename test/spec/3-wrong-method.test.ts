// Chapter 3 of the contract: a path that matches, a method that does not.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { json } from '../../src/index.ts'
import { forAll } from '../support/for-all.ts'
import { pageText, shopRoutes, startApp } from '../support/running-app.ts'

const routes = shopRoutes()
routes.put('item_put', '/item/{id}', () => json('put'), { requirements: { id: '\\d+' } })
routes.patch('item_patch', '/item/{id}', () => json('patch'), { requirements: { id: '\\d+' } })
routes.delete('item_other_host', '/item/{id}', () => json('other'), { host: 'other.example' })
const running = await forAll(startApp({ routes }))

describe('SPEC 3.1: status 405 and one list of methods in message and header', () => {
  it('DELETE /products', async () => {
    const { status, header, body } = await running.send({ method: 'DELETE', target: '/products' })
    assert.equal(status, 405)
    assert.equal(header('allow'), 'GET, HEAD')
    const message = `No route found for "DELETE ${running.url}/products": Method Not Allowed (Allow: GET, HEAD)`
    assert.ok(pageText(body).includes(message))
  })

  it('has no referer part', async () => {
    const headers = ['Referer: http://shop.example/from']
    const { body } = await running.send({ method: 'DELETE', target: '/products', headers })
    assert.ok(!pageText(body).includes('(from '))
  })
})

describe('SPEC 3.2: allowed methods come from the routes that would match', () => {
  it('gathers them in the order of the table', async () => {
    const { status, header } = await running.send({ target: '/item/7' })
    assert.equal(status, 405)
    assert.equal(header('allow'), 'PUT, PATCH')
  })

  it('leaves out a route whose host does not match', async () => {
    const { header } = await running.send({ target: '/item/7' })
    assert.ok(!header('allow')?.includes('DELETE'))
  })

  it('is 404 when a requirement does not match', async () => {
    assert.equal((await running.send({ target: '/item/seven' })).status, 404)
  })

  it('answers HEAD by the GET route, without a body and with its length', async () => {
    const get = await running.send({ target: '/products' })
    const head = await running.send({ method: 'HEAD', target: '/products' })
    assert.equal(head.status, 200)
    assert.equal(head.body, '')
    assert.equal(head.header('content-type'), get.header('content-type'))
  })

  it('lists GET, HEAD for a GET route', async () => {
    assert.equal((await running.send({ method: 'POST', target: '/api' })).header('allow'), 'GET, HEAD')
  })
})
