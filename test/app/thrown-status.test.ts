// The status of the response to a thrown value that names one.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loadRuntimeContext } from '../../src/http/config/runtime-context.ts'
import { createApp, RouteCollection } from '../../src/index.ts'
import { LineList } from '../support/exchange.ts'

describe('a thrown statusCode', () => {
  const cases: readonly (readonly [thrown: unknown, status: number])[] = [
    [400, 400],
    [599, 599],
    [399, 500],
    [200, 500],
    [600, 500],
    [9999, 500],
    [-1, 500],
    [404.5, 500],
    [0, 500],
    [NaN, 500],
    ['404', 500],
  ]
  for (const [statusCode, status] of cases) {
    it(`of ${JSON.stringify(statusCode)} becomes ${status}`, async () => {
      const routes = new RouteCollection()
      routes.get('failing', '/', () => {
        throw Object.assign(new Error('failed'), { statusCode })
      })
      const env = { APP_ENV: 'prod', APP_STORE: 'memory:' }
      const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env })
      const app = await createApp({ routes, context, log: new LineList() })
      try {
        assert.equal((await app.inject({ url: '/' })).status, status)
      } finally {
        await app.close()
      }
    })
  }
})
