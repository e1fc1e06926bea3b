// Chapter 5 of the contract: the diagnostic panel.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { forAll } from '../support/for-all.ts'
import { currency, pageText, startApp } from '../support/running-app.ts'

const running = await forAll(startApp())
await running.currencies.upsert([currency('EUR')])
const token = (await running.send({ target: '/nope?x=1' })).header('x-debug-token') ?? ''

describe('SPEC 5.1: a panel of the profiled request', () => {
  it('shows the exception panel', async () => {
    const { status, header, body } = await running.send({ target: `/_profiler/${token}?panel=exception&type=request` })
    assert.equal(status, 200)
    assert.equal(header('content-type'), 'text/html; charset=utf-8')
    assert.ok(pageText(body).includes(`No route found for "GET ${running.url}/nope"`))
    assert.ok(pageText(body).includes('No routes found for "/nope/"'))
  })

  for (const panel of ['request', 'router', 'logger', 'time', 'currency', 'config', 'exception']) {
    it(`has the panel ${panel}`, async () => {
      const { status, body } = await running.send({ target: `/_profiler/${token}?panel=${panel}&type=request` })
      assert.equal(status, 200)
      assert.match(pageText(body), /404 GET \/nope/)
      assert.ok(body.includes(`href="/_profiler/${token}?panel=${panel}&amp;type=request"`))
    })
  }
})

describe('SPEC 5.2: the token', () => {
  it('is short, alphanumeric and in both headers', async () => {
    const response = await running.send({ target: '/products' })
    assert.match(response.header('x-debug-token') ?? '', /^[0-9a-z]{10,16}$/)
    assert.equal(response.header('x-debug-token-link'), `/_profiler/${response.header('x-debug-token')}`)
  })

  it('is never the same twice, and not in order', async () => {
    const tokens: string[] = []
    for (let count = 0; count < 40; count += 1)
      tokens.push((await running.send({ target: '/api' })).header('x-debug-token') ?? '')
    assert.equal(new Set(tokens).size, 40)
    assert.notDeepEqual([...tokens].sort(), tokens)
  })
})

describe('SPEC 5.3: defaults and unknown names', () => {
  it('shows the exception panel first if something was thrown', async () => {
    const { body } = await running.send({ target: `/_profiler/${token}` })
    assert.ok(pageText(body).includes('No routes found for "/nope/"'))
  })

  it('shows the request panel first if nothing was thrown', async () => {
    const fine = (await running.send({ target: '/products' })).header('x-debug-token')
    const first = await running.send({ target: `/_profiler/${fine}` })
    const named = await running.send({ target: `/_profiler/${fine}?panel=request` })
    const withoutNonce = (body: string): string => body.replace(/nonce="[^"]*"/g, '')
    assert.equal(pageText(withoutNonce(first.body)), pageText(withoutNonce(named.body)))
  })

  for (const query of [
    'panel=nothing',
    'panel=__proto__',
    'panel=constructor',
    'panel=request&type=command',
    'type=__proto__',
  ]) {
    it(`is 404 for ?${query}, and lists the panels there are`, async () => {
      const { status, body } = await running.send({ target: `/_profiler/${token}?${query}` })
      assert.equal(status, 404)
      for (const panel of ['exception', 'request', 'router', 'logger']) assert.ok(body.includes(`panel=${panel}`))
    })
  }

  it('gives one and the same 404 page for an unknown and a malformed token', async () => {
    const pages = new Set<string>()
    for (const target of [
      '/_profiler/zzzzzzzzzzzz',
      '/_profiler/short',
      '/_profiler/UPPERCASE00',
      '/_profiler/%00',
      "/_profiler/'%20OR%201",
    ]) {
      const { status, body } = await running.send({ target })
      assert.equal(status, 404)
      pages.add(body.replace(/nonce="[^"]*"/g, ''))
    }
    assert.equal(pages.size, 1)
  })
})

describe('SPEC 5.4: the line of the matched route', () => {
  it('is logged with route, parameters, URI and method', async () => {
    running.log.lines.length = 0
    await running.send({ target: '/products/lamp?a=1' })
    const line = running.log.lines.find((entry) => entry.message.startsWith('Matched route'))
    assert.equal(line?.level, 'info')
    assert.deepEqual(
      { ...line?.context, route_parameters: { ...(line?.context['route_parameters'] as object) } },
      {
        route: 'product',
        route_parameters: { slug: 'lamp' },
        request_uri: `${running.url}/products/lamp?a=1`,
        method: 'GET',
      },
    )
  })

  it('reads "Matched route "<name>"." in the log panel', async () => {
    const own = (await running.send({ target: '/products' })).header('x-debug-token')
    const { body } = await running.send({ target: `/_profiler/${own}?panel=logger` })
    assert.ok(pageText(body).includes('Matched route "products".'))
  })

  it('is logged for the panel route too, where the currency record is read as well', async () => {
    running.log.lines.length = 0
    const reads = running.currencies.reads
    await running.send({ target: `/_profiler/${token}` })
    const line = running.log.lines.find((entry) => entry.message.startsWith('Matched route'))
    assert.equal(line?.context['route'], '_profiler')
    assert.equal(running.currencies.reads, reads + 1)
  })
})

describe('SPEC 5.5: the list, the newest, and no profile of the profiler', () => {
  it('lists profiles', async () => {
    const newest = (await running.send({ target: '/nope' })).header('x-debug-token')
    const { status, body } = await running.send({ target: '/_profiler/' })
    assert.equal(status, 200)
    assert.ok(body.includes(`/_profiler/${newest}`))
  })

  it('searches them', async () => {
    await running.send({ target: '/products/needle-in-the-list' })
    const found = await running.send({ target: '/_profiler/?url=needle' })
    assert.ok(pageText(found.body).includes('needle-in-the-list'))
    assert.ok(!found.body.includes(`/_profiler/${token}`))
    const none = await running.send({ target: '/_profiler/?url=nothing-has-this-name' })
    assert.equal(none.status, 200)
  })

  it('leads from latest to the newest', async () => {
    const newest = (await running.send({ target: '/products/newest' })).header('x-debug-token')
    const { status, header } = await running.send({ target: '/_profiler/latest' })
    assert.equal(status, 302)
    assert.ok(header('location')?.startsWith(`/_profiler/${newest}`))
  })

  it('does not profile itself', async () => {
    const response = await running.send({ target: `/_profiler/${token}` })
    assert.equal(response.header('x-debug-token'), undefined)
    const list = await running.send({ target: '/_profiler/?url=_profiler' })
    assert.ok(!pageText(list.body).includes(`${running.url}/_profiler/${token}`))
  })
})

it('SPEC 5.6: production without debug: has none of these routes and sends no debug header', async () => {
  await using production = await startApp({ env: { APP_ENV: 'prod' } })
  const ordinary = await production.send({ target: '/nope' })
  const withoutReference = (body: string): string => body.replaceAll(/[0-9a-z]{12}/g, '')
  for (const target of ['/_profiler/', '/_profiler/latest', `/_profiler/${token}`, '/_profiler']) {
    for (const method of ['GET', 'POST']) {
      const response = await production.send({ method, target })
      assert.equal(response.status, 404)
      assert.equal(response.header('allow'), undefined)
      assert.equal(withoutReference(response.body), withoutReference(ordinary.body))
      assert.ok(!response.headers.some(([name]) => name.startsWith('x-debug')))
    }
  }
  assert.ok(!(await production.send({ target: '/products' })).headers.some(([name]) => name.startsWith('x-debug')))
})
