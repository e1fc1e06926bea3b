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

it('adds a note and lists it', async () => {
  const added = await app.inject({ method: 'POST', url: '/notes', body: { text: 'Milk' } })
  assert.equal(added.status, 201)
  assert.equal(added.headers.get('location'), '/notes/1')
  const list = await app.inject({ method: 'GET', url: '/notes' })
  assert.deepEqual(list.json(), [{ id: 1, text: 'Milk' }])
})

it('refuses a note without text', async () => {
  assert.equal((await app.inject({ method: 'POST', url: '/notes', body: { text: ' ' } })).status, 422)
})

it('has no note that was never added', async () => {
  const missing = await app.inject({ method: 'GET', url: '/notes/7', headers: { accept: 'application/json' } })
  assert.equal(missing.status, 404)
  assert.match(missing.headers.get('content-type') ?? '', /^application\/problem\+json/)
})
