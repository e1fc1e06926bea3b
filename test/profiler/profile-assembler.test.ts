// Profiles that the thread of the store made from facts, against those that the main thread makes of the same requests.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { observeSqlite } from '../../src/capture.ts'
import { createApp, json, loadRuntimeContext, RouteCollection } from '../../src/index.ts'
import type { Profile } from '../../src/observe/profile.ts'
import type { Note } from '../../src/http/recording/recording.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

it('createAssembler: makes the same profile in the thread of the store as for somebody who opens it at once', async (test) => {
  const cwd = makeTemporaryDirectory(test)
  const database = observeSqlite(new DatabaseSync(':memory:'))
  const routes = new RouteCollection()
  routes.get('item', '/api/{id}', ({ request: { params }, log }) => {
    log.info('Asked for {id}.', { id: params.id, password: 'zqsecret1' })
    if (params.id === 'boom') throw new Error('no access with Bearer zqsecret2abcdef')
    return json(['a', 'b', 'c'].map((name) => database.prepare('SELECT ? AS name').get(name)))
  })
  const own = { name: 'own', collect: () => ({ list: ['one'] }) }
  const lines = { write: () => undefined }
  const env = { APP_ENV: 'dev', APP_DEBUG: '1', APP_STORE: 'sqlite:store.db' }
  const start = async () =>
    createApp({
      context: loadRuntimeContext({ cwd, env }).context,
      routes,
      log: lines,
      plugins: [{ name: 'own', collectors: [own] }],
    })
  const app = await start()
  const headers = { Host: 'localhost:8000', Authorization: 'Bearer zqsecret3abcdef', Cookie: 'sid=zqsecret4' }
  const made: Profile[] = []
  // Neighbours of one batch that send the same fields, and such that do not.
  const asked = ['/api/one?token=zqsecret5', '/api/boom', '/api/two', '/nothing/here', '/api/three']
  for (const [index, url] of asked.entries()) {
    const other = index === 2 ? { 'Accept-Language': 'de' } : index === 3 ? { 'Accept-Language': 'en' } : {}
    const answer = await app.inject({ url, headers: { ...headers, ...other } })
    const profile = await app.profiles?.read(answer.headers.get('x-debug-token') ?? '')
    assert.ok(profile !== undefined)
    made.push(profile)
  }
  await app.close()

  const later = await start()
  for (const profile of made) {
    const stored = await later.profiles?.read(profile.token)
    assert.deepEqual(untimed(stored), untimed(JSON.parse(JSON.stringify(profile)) as Profile))
    assert.deepEqual(Object.keys(stored?.data ?? {}), Object.keys(profile.data))
    assert.ok(!JSON.stringify(stored).includes('zqsecret'))
    assert.deepEqual(stored?.data['own'], { list: ['one'] })
  }
  const [first] = made
  assert.ok(first !== undefined)
  assert.equal((first.data['database'] as { queries: unknown[] }).queries.length, 3)
  await later.close()
})

/** Without what a busy machine adds: collectors that were slow, and requests that waited for this one, which are known later than it. */
function untimed(profile: Profile | undefined): Profile | undefined {
  if (profile === undefined) return undefined
  const notes = (profile.data['notes'] as readonly Note[]).filter(({ message }) => !message.startsWith('was slow'))
  const time = { ...(profile.data['time'] as object), blocked: [], blockedOthersMs: 0 }
  const findings = profile.findings.filter((finding) => finding !== 'blocked')
  return { ...profile, findings, data: { ...profile.data, notes, time } }
}
