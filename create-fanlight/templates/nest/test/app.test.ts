import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createApp } from '../app/app.ts'
import { Notes } from '../app/notes.ts'

const app = await createApp(new Notes(':memory:'))
let url = ''

before(async () => {
  await app.listen(0, '127.0.0.1')
  url = await app.getUrl()
})
after(() => app.close())

const post = (body: unknown) =>
  fetch(`${url}/notes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

it('adds a note and lists it', async () => {
  assert.equal((await post({ text: 'Milk' })).status, 201)
  assert.deepEqual(await (await fetch(`${url}/notes`)).json(), [{ id: 1, text: 'Milk' }])
})

it('refuses a note without text', async () => {
  assert.equal((await post({})).status, 422)
})

it('has no note that was never added', async () => {
  assert.equal((await fetch(`${url}/notes/7`)).status, 404)
})
