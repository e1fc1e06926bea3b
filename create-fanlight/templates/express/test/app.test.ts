import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, it } from 'node:test'
import { createApp } from '../app/app.ts'
import { Notes } from '../app/notes.ts'

const notes = new Notes(':memory:')
const server = createServer(createApp(notes))
let url = ''

before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(() => {
  server.close()
  notes.close()
})

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
