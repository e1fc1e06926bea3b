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

const post = (body: string) =>
  app.inject({
    method: 'POST',
    url: '/notes',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
  })

it('adds a note and shows it, escaped', async () => {
  const added = await post('text=Tea+%26+milk')
  assert.equal(added.status, 303)
  assert.equal(added.headers.get('location'), '/')
  const home = await app.inject({ method: 'GET', url: '/' })
  assert.match(home.body, /Tea &amp; milk/)
})

it('says what is missing', async () => {
  const refused = await post('text=')
  assert.equal(refused.status, 422)
  assert.match(refused.body, /Write something first/)
})

it('has no page for a note that is not there', async () => {
  assert.equal((await app.inject({ method: 'GET', url: '/notes/7' })).status, 404)
})

it('serves the style', async () => {
  const style = await app.inject({ method: 'GET', url: '/style.css' })
  assert.equal(style.status, 200)
  assert.equal(style.headers.get('content-type'), 'text/css; charset=utf-8')
})
