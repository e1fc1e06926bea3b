import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { RouteCollection, text } from '../../src/index.ts'
import { startApp } from '../support/running-app.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

const routes = new RouteCollection().get('order', '/order', ({ log }) => {
  log.info('Order {order} of MEMBER-1234.', { order: 7, club_no: 'zq-by-key' })
  return text('done')
})
const redact = { headers: ['x-tenant'], keys: ['club_no'], patterns: [/MEMBER-\d+/] }

describe('createApp: redact', () => {
  for (const kind of ['memory', 'sqlite']) {
    it(`masks headers, keys and patterns of the application's own, and what is masked anyway (${kind})`, async (test) => {
      const store = kind === 'memory' ? 'memory:' : `sqlite:${join(makeTemporaryDirectory(test), 'store.db')}`
      await using running = await startApp({ routes, redact, env: { APP_STORE: store } })
      const answer = await running.send({
        target: '/order?club_no=zq-by-key&q=MEMBER-1234&password=zq-anyway',
        headers: ['X-Tenant: zq-by-header', 'User-Agent: of MEMBER-1234'],
      })
      const token = answer.header('x-debug-token') ?? ''
      const profile = await running.send({ target: `/_profiler/${token}.json` })
      assert.equal(profile.status, 200)
      for (const secret of ['zq-by-key', 'zq-by-header', 'zq-anyway', 'MEMBER-1234']) {
        assert.ok(!profile.body.includes(secret), secret)
      }
      assert.match(profile.body, /Order \{order\} of \*{6}/)
    })
  }
})
