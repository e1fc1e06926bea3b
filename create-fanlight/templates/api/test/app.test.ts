import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { loadRuntimeContext, type App } from 'fanlight'
import { frontController } from '../app/front-controller.ts'

let app: App

before(async () => {
  const { context } = loadRuntimeContext({ cwd: '.', env: { APP_ENV: 'test', APP_STORE: 'memory:' } })
  app = await frontController(context)
})
after(() => app.close())

it('begins with its addresses', async () => {
  const home = await app.inject({ method: 'GET', url: '/' })
  assert.deepEqual(home.json(), { notes: '/notes', health: '/health' })
})

it('adds a note and lists it', async () => {
  const added = await app.inject({ method: 'POST', url: '/notes', body: { text: 'Milk' } })
  assert.equal(added.status, 201)
  assert.equal(added.headers.get('location'), '/notes/1')
  const list = await app.inject({ method: 'GET', url: '/notes' })
  assert.deepEqual(list.json(), [{ id: 1, text: 'Milk' }])
})

it('refuses a note without text, and names the place', async () => {
  const refused = await app.inject({ method: 'POST', url: '/notes', body: { text: ' ' } })
  assert.equal(refused.status, 422)
  const { errors } = refused.json() as { errors: readonly { path: string }[] }
  assert.equal(errors[0]?.path, 'text')
})

it('has no note that was never added', async () => {
  const missing = await app.inject({ method: 'GET', url: '/notes/7' })
  assert.equal(missing.status, 404)
  assert.match(missing.headers.get('content-type') ?? '', /^application\/problem\+json/)
})
