// The request as handlers read it.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, json, RouteCollection } from '../../../src/index.ts'
import { loadRuntimeContext } from '../../../src/http/config/runtime-context.ts'
import { requestContext } from '../../support/exchange.ts'

describe('HttpRequest', () => {
  it('reads the fields of the query', () => {
    const { query, rawQuery } = requestContext({ query: 'page=2&tag=a&tag=b%20c&bad=%zz&plus=1+2' })
    assert.equal(rawQuery, 'page=2&tag=a&tag=b%20c&bad=%zz&plus=1+2')
    assert.deepEqual(
      [query.get('page'), query.getAll('tag'), query.get('bad'), query.get('plus'), query.get('none')],
      ['2', ['a', 'b c'], '%zz', '1 2', null],
    )
  })

  it('finds header fields in any letter case, and joins repeated ones', () => {
    const request = requestContext({
      rawHeaders: ['X-Tag', 'a', 'Cookie', 'a=1', 'x-tag', 'b', 'cookie', 'b=2', '__proto__', 'c'],
    })
    assert.deepEqual([request.header('X-TAG'), request.header('none')], ['a', undefined])
    assert.deepEqual(request.headerValues('X-tag'), ['a', 'b'])
    assert.deepEqual(Object.entries(request.headers), [
      ['x-tag', 'a, b'],
      ['cookie', 'a=1; b=2'],
      ['__proto__', 'c'],
    ])
    assert.deepEqual(
      [...request.cookies],
      [
        ['a', '1'],
        ['b', '2'],
      ],
    )
  })

  it('gives handlers parameters and body', async () => {
    const routes = new RouteCollection().post('item', '/items/{id}', async ({ request: { params, body } }) =>
      json({ params, body: await body.json() }),
    )
    const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env: { APP_ENV: 'prod', APP_STORE: 'memory:' } })
    const app = await createApp({ routes, context })
    try {
      const response = await app.inject({ method: 'POST', url: '/items/7', body: { a: 1 } })
      assert.deepEqual(response.json(), { params: { id: '7' }, body: { a: 1 } })
    } finally {
      await app.close()
    }
  })
})
