import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import type { CapturedBody } from '../../src/http/recording/captured-body.ts'
import type { InjectRequest } from '../../src/http/node/inject.ts'
import { loadRuntimeContext } from '../../src/http/config/runtime-context.ts'
import { createApp, json, RouteCollection, stream, text, trusted } from '../../src/index.ts'
import { LineList } from '../support/exchange.ts'
import { pageText } from '../support/page-text.ts'

const ofJson = { headers: { 'content-type': 'application/json' } }
const fail = (_body?: unknown): never => {
  throw new Error('no stock')
}
const routes = (): RouteCollection =>
  new RouteCollection()
    .post('order', '/order', async ({ request: { body } }) => fail(await body.json()), { captureBody: true })
    .post('unread', '/unread', fail, { captureBody: true })
    .get('stock', '/stock', () => json({ item, password: secret }), { captureBody: true })
    .get('pages', '/pages', () => text('p'.repeat(70_000)), { captureBody: true })
    .get('page', '/page', () => trusted('<p>a page</p>'), { captureBody: true })
    .get('none', '/none', () => new Response(null, { status: 204 }), { captureBody: true })
    .get('quiet', '/quiet', () => json({ item }), { captureBody: false })
    .get('plain', '/plain', () => json({ item, password: secret }))
    .get('fetched', '/fetched', () => Response.json({ item, password: secret }))
    .get('pieces', '/pieces', () => stream(Readable.from(['{"password":', `"${secret}"}`]), ofJson))
    .get('long', '/long', () => json('l'.repeat(70_000)))
    .get('words', '/words', () => text(item))
    .post('closed', '/closed', async ({ request: { body } }) => fail(await body.json()), { captureBody: false })
    .post('open', '/open', async ({ request: { body } }) => fail(await body.json()))

async function bodyOf(request: InjectRequest, environment: string, accept = 'text/html'): Promise<string> {
  const env = { APP_ENV: environment, APP_STORE: 'memory:' }
  const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env })
  const app = await createApp({ routes: routes(), context, log: new LineList() })
  try {
    return (await app.inject({ method: 'POST', ...request, headers: { accept } })).body
  } finally {
    await app.close()
  }
}

// Put together, so that the excerpt of this file on the page does not hold them.
const item = ['lamp z', 'q7'].join('')
const secret = ['hunt', 'er2'].join('')
const order = { item, password: secret }

it('the body in the profile: is shown in the request panel, masked', async () => {
  const env = { APP_ENV: 'dev', APP_STORE: 'memory:' }
  const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env })
  const app = await createApp({ routes: routes(), context, log: new LineList() })
  const token = (await app.inject({ method: 'POST', url: '/order', body: order })).headers.get('x-debug-token') ?? ''
  const url = `/_profiler/${token}?panel=request`
  const page = (await app.inject({ url, headers: { host: 'localhost' } })).body
  assert.ok(page.includes(`"item": "${item}"`), pageText(page).slice(0, 2000))
  assert.ok(!page.includes(secret))
  await app.close()
})

describe('the body of a response in the profile', () => {
  const responseBodyOf = async (url: string): Promise<CapturedBody | undefined> => {
    const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env: { APP_ENV: 'dev', APP_STORE: 'memory:' } })
    const app = await createApp({ routes: routes(), context, log: new LineList() })
    const token = (await app.inject({ url })).headers.get('x-debug-token') ?? ''
    const { body } = await app.inject({ url: `/_profiler/${token}.json`, headers: { host: 'localhost' } })
    const page = (await app.inject({ url: `/_profiler/${token}?panel=request`, headers: { host: 'localhost' } })).body
    await app.close()
    const { request } = (JSON.parse(body) as { data: { request: { responseBody?: CapturedBody } } }).data
    assert.equal(pageText(page).includes('Response body'), request.responseBody !== undefined)
    return request.responseBody
  }

  it('is kept where the route opts in, masked', async () => {
    const kept = await responseBodyOf('/stock')
    assert.deepEqual(kept?.content, { kind: 'json', value: { item, password: '******' } })
    assert.deepEqual([kept.mediaType, kept.isComplete], ['application/json', true])
    assert.equal((await responseBodyOf('/page'))?.content?.kind, 'text')
  })

  it('is kept where the route says nothing if it is JSON of up to 64 KB', async () => {
    const kept = await responseBodyOf('/plain')
    assert.deepEqual(kept?.content, { kind: 'json', value: { item, password: '******' } })
    assert.deepEqual((await responseBodyOf('/fetched'))?.content, kept?.content)
    assert.deepEqual((await responseBodyOf('/pieces'))?.content, { kind: 'json', value: { password: '******' } })
    const long = await responseBodyOf('/long')
    assert.deepEqual([long?.state, long?.content, long?.readBytes], ['too-long', null, 70_002])
    assert.equal(await responseBodyOf('/words'), undefined)
  })

  it('is the first 64 KB of a longer one', async () => {
    const kept = await responseBodyOf('/pages')
    assert.deepEqual([kept?.readBytes, kept?.keptBytes], [70_000, 65_536])
  })

  it('is not kept without a body, on an error page, or where the route says no', async () => {
    for (const url of ['/none', '/quiet', '/nowhere']) assert.equal(await responseBodyOf(url), undefined, url)
    const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env: { APP_ENV: 'dev', APP_STORE: 'memory:' } })
    const app = await createApp({ routes: routes(), context, log: new LineList() })
    const failed = await app.inject({ method: 'POST', url: '/order', body: order, headers: { accept: 'text/html' } })
    const token = failed.headers.get('x-debug-token') ?? ''
    const { body } = await app.inject({ url: `/_profiler/${token}.json`, headers: { host: 'localhost' } })
    await app.close()
    assert.doesNotMatch(body, /"responseBody"/)
  })
})

describe('the body on the error page', () => {
  it('is shown, masked, where the route opts in', async () => {
    const page = await bodyOf({ url: '/order', body: order }, 'dev')
    assert.ok(page.includes(`"item": "${item}"`))
    assert.ok(page.includes('"password": "******"'))
    assert.ok(!page.includes(secret))
  })

  it('is in the Markdown and the text too', async () => {
    for (const type of ['text/markdown', 'text/plain']) {
      const text = await bodyOf({ url: '/order', body: order }, 'dev', type)
      assert.match(text, /Request body/)
      assert.ok(text.includes(`"item": "${item}"`))
      assert.ok(!text.includes(secret))
    }
  })

  it('is shown where the route says nothing, and not where it says no; the page says how to', async () => {
    const shown = await bodyOf({ url: '/open', body: order }, 'dev')
    assert.ok(shown.includes(`"item": "${item}"`) && !shown.includes(secret))
    const page = await bodyOf({ url: '/closed', body: order }, 'dev')
    assert.ok(!page.includes(item))
    assert.match(pageText(page), /Body \(application\/json, 40 B\) was not recorded: that needs captureBody: true/)
    const text = await bodyOf({ url: '/open', body: secret, headers: {} }, 'dev')
    assert.match(pageText(text), /was not recorded: it is neither JSON nor a form/)
  })

  it('says that the handler did not read it, or that no route matched', async () => {
    assert.match(pageText(await bodyOf({ url: '/unread', body: order }, 'dev')), /not read by the handler/)
    assert.match(pageText(await bodyOf({ url: '/nowhere', body: order }, 'dev')), /was not read: no route matched/)
  })

  it('is never shown outside debug', async () => {
    const page = await bodyOf({ url: '/order', body: order, headers: {} }, 'prod')
    assert.ok(!page.includes(item))
  })
})
