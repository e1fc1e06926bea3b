// Real requests through a real application: what they spend is what the profile says.

import assert, { AssertionError } from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { observeSqlite } from '../../../src/capture.ts'
import { json } from '../../../src/index.ts'
import { expectProfile, profileRequest } from '../../../src/testing.ts'
import { startEchoService } from '../../support/echo-service.ts'
import { shopRoutes, startApp } from '../../support/running-app.ts'
import { forAll } from '../../support/for-all.ts'

const service = await forAll(startEchoService())
const database = observeSqlite(new DatabaseSync(':memory:'))
database.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, title TEXT)')
const find = database.prepare('SELECT title FROM items WHERE id = ?')
const routes = shopRoutes()
routes.get('orders', '/orders', async () => {
  const titles = [1, 2, 3, 4].map((id) => find.get(id))
  await (await fetch(`${service.url}/echo`)).text()
  return json(titles.length)
})
const running = await forAll(startApp({ routes }))

describe('profileRequest', () => {
  it('gives the answer and its profile', async () => {
    const { response, profile } = await profileRequest(running.app, '/products/tea')
    assert.equal(response.status, 200)
    assert.equal(profile.token, response.headers.get('x-debug-token'))
    assert.equal(profile.route, 'product')
    expectProfile(profile).toStayWithin({ queries: 0, outgoing: 0, logErrors: 0, bytes: response.bytes.byteLength })
  })

  it('takes a whole request', async () => {
    const { response, profile } = await profileRequest(running.app, {
      method: 'POST',
      url: '/basket',
      body: { tea: 1 },
    })
    assert.deepEqual(response.json(), { tea: 1 })
    assert.equal(profile.method, 'POST')
  })

  it('counts statements, the N+1 among them, and calls to other services', async () => {
    const { profile } = await profileRequest(running.app, '/orders')
    expectProfile(profile).toStayWithin({ queries: 4, nPlusOne: 1, outgoing: 1, ownCpuMs: 10_000 })
    assert.throws(() => expectProfile(profile).toStayWithin({ ownCpuMs: 0 }), /ownCpuMs [\d.]+ \(at most 0\)/)
    assert.throws(
      () => expectProfile(profile).toStayWithin({ queries: 3, nPlusOne: 0 }),
      (error: unknown) => {
        assert.ok(error instanceof AssertionError)
        assert.deepEqual(error.actual, { queries: 4, nPlusOne: 1 })
        assert.match(
          error.message,
          /N\+1: 4 times, .+ from .*profile-request\.test\.ts:\d+: SELECT title FROM items WHERE id = \?/,
        )
        assert.match(error.message, new RegExp(`/_profiler/${profile.token}\n$`))
        return true
      },
    )
  })

  it('gives the profile of an error too', async () => {
    const { profile } = await profileRequest(running.app, '/error')
    assert.equal(profile.errorClass, 'Error')
    assert.throws(
      () => expectProfile(profile).toStayWithin({ logErrors: 0 }),
      /500 in [\d.]+ ms, route error, exception Error/,
    )
  })

  it('says why there is no profile', async () => {
    await assert.rejects(profileRequest(running.app, '/_profiler/'), /GET \/_profiler\/ got a 200 and was not recorded/)
    await using quiet = await startApp({ env: { APP_ENV: 'prod' } })
    await assert.rejects(profileRequest(quiet.app, '/'), /This application records nothing because debug is off\./)
    await using closed = await startApp({ env: { APP_LOCK: '1' } })
    await assert.rejects(profileRequest(closed.app, '/'), /got a 503 and was not recorded/)
  })
})
