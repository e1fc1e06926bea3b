import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { createApp } from '../app/app.ts'
import { Notes } from '../app/notes.ts'

const app = createApp(new Notes(':memory:'))
after(() => app.close())

it('adds a note and lists it', async () => {
  const added = await app.inject({ method: 'POST', url: '/notes', payload: { text: 'Milk' } })
  assert.equal(added.statusCode, 201)
  assert.deepEqual((await app.inject('/notes')).json(), [{ id: 1, text: 'Milk' }])
})

it('refuses a note without text', async () => {
  assert.equal((await app.inject({ method: 'POST', url: '/notes', payload: {} })).statusCode, 400)
})

it('has no note that was never added', async () => {
  assert.equal((await app.inject('/notes/7')).statusCode, 404)
})
