// Run by vitest in its own process: one test that holds and one that does not.

import { expect, it } from 'vitest'
import { createApp, json, loadRuntimeContext, RouteCollection } from '../../../../src/index.ts'
import { expectProfile, profileRequest } from '../../../../src/testing.ts'

const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env: { APP_ENV: 'test', APP_STORE: 'memory:' } })
const routes = new RouteCollection().get('home', '/', () => json({ ok: true }))

it('holds a budget', async () => {
  const app = await createApp({ routes, context })
  const { response, profile } = await profileRequest(app, '/')
  expect(response.status).toBe(200)
  expectProfile(profile).toStayWithin({ queries: 0, outgoing: 0, nPlusOne: 0, logErrors: 0 })
  await app.close()
})

it('is over a budget', async () => {
  const app = await createApp({ routes, context })
  const { profile } = await profileRequest(app, '/')
  await app.close()
  expectProfile(profile).toStayWithin({ bytes: 3 })
})
