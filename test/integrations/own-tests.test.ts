// What the tests of an application see under `fanlight/register`: supertest opens a socket, so its requests are recorded; `inject()` does
// not. The bytes are those that they get without us.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { appFolder, register, type AppFolder } from '../support/registered-app.ts'

/** Waits until so many requests are listed, where it is on. */
const waiting = `
async function listOf(count, read) {
  let text = ''
  do text = await read()
  while (process.env.FANLIGHT === 'on' && JSON.parse(text).items.length < count)
  return text
}`

const expressTests = `${waiting}
const express = require('express')
const request = require('supertest')
const app = express()
app.use(express.json())
app.get('/orders/:id', function showOrder(asked, response) { response.json({ id: asked.params.id }) })
app.get('/page', (asked, response) => void response.send('<html><body><h1>Orders</h1></body></html>'))
app.post('/orders', (asked, response) => void response.status(201).location('/orders/8').json(asked.body))
app.get('/broken', () => { throw new Error('The order is broken') })
app.get('/own', () => { throw new Error('handled') })
app.use('/own', (error, asked, response, next) => void response.status(422).json({ error: error.message }))
const seen = []
const see = ({ status, headers, text }) => seen.push({ status, headers: Object.entries(headers), text })
async function main() {
  see(await request(app).get('/orders/7').expect(200).expect('Content-Type', /json/))
  see(await request(app).get('/page'))
  see(await request(app).post('/orders').send({ lamp: 3 }).expect(201).expect('Location', '/orders/8'))
  see(await request(app).get('/nowhere').expect(404))
  see(await request(app).get('/broken').set('Accept', 'application/json').expect(500))
  see(await request(app).get('/own').set('Accept', 'text/html').expect(422, { error: 'handled' }))
  see(await request(app).head('/orders/7'))
  const agent = request.agent(app)
  see(await agent.get('/orders/8'))
  const drawn = await request(app).get('/broken').set('Accept', 'text/html').expect(500)
  const list = await listOf(9, async () => (await request(app).get('/_profiler/index.json')).text)
  console.log(JSON.stringify({ seen, drawn: drawn.text, list }))
}
main()`

const fastifyTests = `${waiting}
const app = require('fastify')()
app.get('/orders/:id', async (asked) => ({ id: asked.params.id }))
app.get('/page', async (asked, reply) => reply.type('text/html').send('<html><body><h1>Orders</h1></body></html>'))
app.get('/broken', async () => { throw new Error('The order is broken') })
const seen = []
const see = ({ statusCode, headers, payload }) => seen.push({ status: statusCode, headers: Object.entries(headers), text: payload })
async function main() {
  for (const accept of ['application/json', 'text/html']) {
    for (const url of ['/orders/7', '/page', '/broken', '/nowhere']) see(await app.inject({ url, headers: { accept } }))
  }
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const close = { headers: { accept: 'text/html', connection: 'close' } }
  const drawn = await (await fetch(url + '/broken', close)).text()
  const list = await listOf(1, async () => (await fetch(url + '/_profiler/index.json', close)).text())
  await app.close()
  console.log(JSON.stringify({ seen, drawn, list }))
}
main()`

interface Seen {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly text?: string
}

interface Told {
  readonly seen: readonly Seen[]
  /** The response to a browser, for an error. */
  readonly drawn: string
  /** List of profiles, as JSON; anything where it is off. */
  readonly list: string
}

/** Runs the tests to their end. */
async function told(folder: AppFolder, env: Readonly<Record<string, string>>): Promise<Told> {
  const ended = await folder.run(['--import', register, 'app.cjs'], env)
  assert.equal(ended.exitCode, 0, ended.stderr)
  return JSON.parse(ended.stdout.trim().split('\n').at(-1) ?? '') as Told
}

const on = { FANLIGHT: 'on', NODE_ENV: 'test' }
const off = { FANLIGHT: 'off', NODE_ENV: 'test' }

const ours = new Set(['x-debug-token', 'x-debug-token-link', 'server-timing', 'date'])

function withoutOurs({ status, headers, text }: Seen): object {
  return { status, text, headers: headers.filter(([name]) => !ours.has(name)) }
}

/** Requests of profiles, newest first: `GET 500 /broken`. */
function recordedIn({ list }: Told): readonly string[] {
  const { items } = JSON.parse(list) as { items: readonly { method: string; status: number; route: string | null }[] }
  return items.map(({ method, status, route }) => `${method} ${status} ${route}`)
}

describe('the tests of an application under fanlight/register', () => {
  it('supertest gets the same bytes, and each request is recorded', async () => {
    await using folder = appFolder({ 'app.cjs': expressTests })
    const [expected, got] = [await told(folder, off), await told(folder, on)]
    assert.deepEqual(got.seen.map(withoutOurs), expected.seen.map(withoutOurs))
    for (const { headers } of got.seen) assert.match(new Map(headers).get('x-debug-token') ?? '', /^[0-9a-z]+$/)
    for (const { headers } of expected.seen) assert.ok(!headers.some(([name]) => name.startsWith('x-debug')))
    assert.match(got.drawn, /<a class="brand" href="\/_profiler[^]*The order is broken/)
    assert.deepEqual(recordedIn(got), [
      'GET 500 /broken',
      'GET 200 /orders/:id',
      'HEAD 200 /orders/:id',
      'GET 422 /own',
      'GET 500 /broken',
      'GET 404 null',
      'POST 201 /orders',
      'GET 200 /page',
      'GET 200 /orders/:id',
    ])
  })

  it('inject() of Fastify gets the same bytes, and is not recorded', async () => {
    await using folder = appFolder({ 'app.cjs': fastifyTests })
    const [expected, got] = [await told(folder, off), await told(folder, on)]
    const undated = ({ headers, ...seen }: Seen): object => ({
      ...seen,
      headers: headers.filter(([name]) => name !== 'date'),
    })
    assert.deepEqual(got.seen.map(undated), expected.seen.map(undated))
    assert.match(got.drawn, /<a class="brand" href="\/_profiler[^]*The order is broken/)
    assert.deepEqual(recordedIn(got), ['GET 500 /broken'])
  })
})

const source = new URL('../../src/', import.meta.url).href
const orders = `import { DatabaseSync } from 'node:sqlite'
const db = new DatabaseSync(':memory:')
db.exec('create table orders (id integer); insert into orders values (1), (2), (3)')
const list = () => db.prepare('select id from orders').all().map(({ id }) => db.prepare('select id from orders where id = ?').get(id).id)`
const profiled: Readonly<Record<string, string>> = {
  Express: `const app = (await import('express')).default()
app.get('/orders', (request, response) => void response.json(list()))
const target = app`,
  Koa: `const app = new (await import('koa')).default()
app.use((context) => (context.body = list()))
const target = app.callback()`,
  Fastify: `const app = (await import('fastify')).default()
app.get('/orders', () => list())
await app.ready()
const target = app.server`,
}

describe('profileRequest() of fanlight/testing', () => {
  for (const [framework, code] of Object.entries(profiled)) {
    it(`sends a request and reads its profile: ${framework}`, async () => {
      await using folder = appFolder({
        'app.mjs': `import { expectProfile, profileRequest } from '${source}testing.ts'
${orders}
${code}
const { response, profile } = await profileRequest(target, '/orders')
const within = (budgets) => { try { expectProfile(profile).toStayWithin(budgets) } catch ({ message }) { return message.split('\\n', 1)[0] } }
console.log(JSON.stringify([response.status, response.json(), within({ queries: 4, nPlusOne: 1 }), within({ queries: 3, nPlusOne: 0 })]))`,
      })
      const { stdout, stderr } = await folder.run(['--import', register, 'app.mjs'], { NODE_ENV: 'test' })
      const over = 'The request is over its budget: queries 4 (at most 3), nPlusOne 1 (at most 0)'
      assert.deepEqual(JSON.parse(stdout), [200, [1, 2, 3], null, over], stderr)
    })
  }

  it('says why there is no profile, and what it takes', async () => {
    await using folder = appFolder({
      'app.mjs': `import { profileRequest } from '${source}testing.ts'
const told = async (app) => profileRequest(app, '/orders').catch(({ message }) => message)
console.log(JSON.stringify([await told((request, response) => response.end('{}')), await told({})]))`,
    })
    const { stdout } = await folder.run(['app.mjs'], { FANLIGHT: 'off' })
    const [off, wrong] = JSON.parse(stdout) as readonly string[]
    assert.match(
      off ?? '',
      /^GET \/orders got a 200 and was not recorded\. Set NODE_ENV=test, and call fanlight\(app\)/,
    )
    assert.match(
      wrong ?? '',
      /^profileRequest\(\) takes an application of Fanlight, a listener of node:http or a server/,
    )
  })
})
