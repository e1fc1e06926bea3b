import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { InjectedResponse } from '../../../src/http/node/inject.ts'
import { RouteCollection, text } from '../../../src/index.ts'
import type { FoundRoutes } from '../../../src/analysis/questions/routes.ts'
import { forAll } from '../../support/for-all.ts'
import { pageText, startApp, type RunningApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'
import { pick } from '../../support/pick.ts'

function show(): ReturnType<typeof text> {
  return text('shown')
}

function tableWithFaults(): RouteCollection {
  const routes = new RouteCollection()
  routes.get('home', '/', show)
  routes.get('product', '/products/{slug}', show)
  routes.get('new_product', '/products/new', show)
  routes.post('basket', '/basket', show)
  routes.get('order', '/orders/{id<\\d+>}', show, { host: '{shop}.example.org', schemes: ['https'] })
  return routes
}

const running = await forAll(startApp({ routes: tableWithFaults() }))

const page = async (query: string, headers: Readonly<Record<string, string>> = {}): Promise<InjectedResponse> =>
  running.app.inject({ url: `/_profiler/routes${query}`, headers: { host: 'localhost', ...headers } })

const trial = (method: string, url: string): string => `?${new URLSearchParams({ method, url }).toString()}`

describe('the page of the route table', () => {
  it('lists every route with what it asks for, and none of the profiler', async () => {
    const { status, body } = await page('')
    assert.equal(status, 200)
    const shown = rows(body)
    assert.equal(shown.length, 5)
    assert.match(shown[0] ?? '', /^home GET \/ show test\/profiler\/web\/routes-page\.test\.ts:\d+$/)
    assert.match(
      shown[4] ?? '',
      /^order GET \/orders\/\{id\} host \{shop\}\.example\.org, scheme https, id: \\d\+ show /,
    )
    assert.doesNotMatch(pageText(body), /_profiler/)
  })

  it('names what is wrong with the table, with both places', async () => {
    const { body } = await page('')
    assert.match(pageText(body), /Faults/)
    assert.match(
      pageText(body),
      /unreachable Route "new_product" \(.*routes-page\.test\.ts:\d+\).*"product" \(.*test\.ts:\d+\)/,
    )
  })

  it('filters by any text of a row, and keeps what was tried', async () => {
    const { body } = await page(`${trial('GET', '/products/tea')}&filter=EXAMPLE.org`)
    assert.deepEqual(
      rows(body).map((row) => row.split(' ')[0]),
      ['order'],
    )
    assert.match(body, /name="url"\s+value="\/products\/tea"/)
    assert.match(body, /name="filter"\s+value="EXAMPLE\.org"/)
    assert.match(pageText((await page('?filter=nothing')).body), /None of 5 routes contains "nothing"\./)
  })

  it('shows the route that takes a request, and its parameters', async () => {
    const { status, body } = await page(trial('GET', '/products/t%C3%A9a'))
    assert.equal(status, 200)
    const text = squeezed(body)
    assert.match(text, /GET http:\/\/localhost\/products\/t%C3%A9a matches product\./)
    assert.match(text, /Route parameters slug téa/)
    assert.match(text, /Checked 2 routes, in this order/)
    assert.match(text, /product match/)
  })

  it('shows what would work where no route takes it', async () => {
    const typo = squeezed((await page(trial('GET', '/productz/tea'))).body)
    assert.match(typo, /No route matches GET http:\/\/localhost\/productz\/tea\. Did you mean .*GET \/products\/tea/)
    const method = squeezed((await page(trial('delete', '/basket'))).body)
    assert.match(method, /DELETE http:\/\/localhost\/basket is not allowed\. Use POST\./)
    const requirement = squeezed((await page(trial('GET', 'https://north.example.org/orders/x'))).body)
    assert.match(requirement, /Parameter "id" is "x", but must match \\d\+\./)
    const scheme = squeezed((await page(trial('GET', 'http://north.example.org/orders/7'))).body)
    assert.match(scheme, /is redirected to https:\/\/north\.example\.org\/orders\/7 with 301, which matches order\./)
  })

  it('says that paths of the profiler are not in the table', async () => {
    assert.match(squeezed((await page(trial('GET', '/_profiler/latest'))).body), /belongs to the profiler/)
  })

  it('answers 400 and says what is allowed for what is not a request', async () => {
    for (const [method, url, message] of [
      ['GTE', '/', '"GTE" is not an HTTP method. Use a name such as GET or POST. Did you mean GET?'],
      ['GET', 'not a url', '"not a url" is not a URL. Use http://host/path'],
      ['GET', 'http://[::1/', 'is not a URL. Use'],
      ['<script>', '/', 'is not an HTTP method. Use'],
    ] as const) {
      const { status, body } = await page(trial(method, url))
      assert.equal(status, 400, method + url)
      assert.ok(pageText(body).includes(message), message)
      assert.doesNotMatch(body, /<script>(?!<)[^(]*is no method/)
    }
  })

  it('answers 400 for what the address cannot mean', async () => {
    const { status, body } = await running.send({ target: '/_profiler/routes?filte=products' })
    assert.equal(status, 400)
    assert.match(
      pageText(body),
      /Unknown parameter "filte"\. Did you mean "filter"\? Known: method, url, filter, unused\./,
    )
  })

  it('leads to the editor, from the table and from a request that was tried', async () => {
    await using app = await startApp({ env: { APP_EDITOR: 'vscode' } })
    for (const query of ['', '?url=/products', '?url=/product']) {
      const { body } = await app.send({ target: `/_profiler/routes${query}` })
      assert.match(body, /<a href="vscode:\/\/file\/[^"]+:\d+:1"><code>[^<]+running-app\.ts:\d+<\/code>/, query)
    }
  })

  it('gives the same as JSON', async () => {
    const { status, body } = await page(`${trial('GET', '/products/tea')}&filter=basket`, {
      accept: 'application/json',
    })
    assert.equal(status, 200)
    const view = JSON.parse(body) as Record<string, unknown>
    assert.deepEqual(Object.keys(view).toSorted(), ['count', 'ignored', 'problems', 'routes', 'trial', 'unused'])
    assert.equal(view['count'], 5)
    const { outcome, params } = view['trial'] as { outcome: string; params: object }
    assert.deepEqual([outcome, params], ['match', { slug: 'tea' }])
    const bad = await page(trial('GTE', '/'), { accept: 'application/json' })
    assert.equal(bad.status, 400)
    assert.match(bad.body, /"error":"\\"GTE\\" is not an HTTP method/)
  })

  it('says so where there are no routes', async () => {
    await using empty = await startApp({ routes: new RouteCollection() })
    const { body } = await empty.app.inject({ url: `/_profiler/routes${trial('GET', '/')}` })
    assert.match(squeezed(body), /No route matches GET http:\/\/localhost\/\..*The application has no routes\./)
  })

  it('is behind the gate of the profiler, takes a POST of its own form only, and is not there outside debug', async () => {
    assert.equal((await page('', { host: 'evil.example' })).status, 403)
    assert.equal((await running.app.inject({ url: '/_profiler/routes', peerAddress: '192.0.2.7' })).status, 403)
    assert.equal((await running.app.inject({ method: 'POST', url: '/_profiler/routes' })).status, 403)
    assert.equal((await running.app.inject({ method: 'PUT', url: '/_profiler/routes' })).status, 405)
    const { headers } = await page('')
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/)
    assert.equal(headers.get('cache-control'), 'no-store')
    await using prod = await startApp({ routes: tableWithFaults(), env: { APP_ENV: 'prod' } })
    assert.equal((await prod.app.inject({ url: '/_profiler/routes' })).status, 404)
  })

  it('is linked from every page of the profiler, and from the router panel with the request', async () => {
    const missed = await running.app.inject({ url: '/productz/tea?x=1' })
    const token = missed.headers.get('x-debug-token') ?? ''
    const { body } = await running.app.inject({ url: `/_profiler/${token}?panel=router` })
    assert.match(body, /href="\/_profiler\/routes">Routes</)
    const link = /href="(\/_profiler\/routes\?[^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? ''
    assert.match(
      squeezed((await running.app.inject({ url: link })).body),
      /No route matches GET http:\/\/localhost\/productz\/tea\?x=1/,
    )
  })
})

describe('the start of an application', () => {
  it('warns in development of what is wrong with the route table, and in production says nothing', async () => {
    const warnings = (app: RunningApp): readonly unknown[] =>
      app.log.lines
        .filter(({ level, channel }) => level === 'warn' && channel === 'router')
        .map(({ context }) => context)
    await using prod = await startApp({ routes: tableWithFaults(), env: { APP_ENV: 'prod' } })
    // Begun after the other one: when this one has looked its routes through, that one would have, too.
    await using dev = await startApp({ routes: tableWithFaults() })
    await until(() => warnings(dev).length > 0)
    const [warning, ...others] = warnings(dev) as readonly Record<string, string>[]
    assert.deepEqual(others, [])
    assert.deepEqual(
      [warning?.['kind'], warning?.['route'], warning?.['by']],
      ['unreachable', 'new_product', 'product'],
    )
    assert.match(warning?.['message'] ?? '', /routes-page\.test\.ts:\d+.*routes-page\.test\.ts:\d+/)
    assert.deepEqual(warnings(prod), [])
  })

  it('hands out the routes of the application only', () => {
    assert.deepEqual(pick(running.app.routes.all(), 'name'), ['home', 'product', 'new_product', 'basket', 'order'])
  })
})

function squeezed(body: string): string {
  return pageText(body).replaceAll(/\s+/g, ' ')
}

/** Text of each row of the table of routes. */
function rows(body: string): readonly string[] {
  const table = /<table class="table stacked \w+"[^>]*>[\s\S]*?<tbody>([\s\S]*?)<\/tbody>/.exec(body)?.[1] ?? ''
  return table
    .split('</tr>')
    .map((row) => squeezed(row.replaceAll('<', ' <')).trim())
    .filter((row) => row !== '')
}

it('the page of the route table: how often routes were hit: links each count to its profiles, with their median, as page and JSON', async () => {
  await using fresh = await startApp({ routes: tableWithFaults() })
  for (const target of ['/', '/products/tea', '/products/pot']) await fresh.send({ target })
  const used = async (): Promise<FoundRoutes['routes']> =>
    (JSON.parse((await fresh.send({ target: '/_profiler/routes.json' })).body) as FoundRoutes).routes
  await until(
    async () =>
      pick(await used(), 'profileCount')
        .flat()
        .join() === '1,2,0,0,0',
  )
  const [, product, unused] = await used()
  assert.deepEqual([(product?.p50Ms ?? 0) > 0, unused?.p50Ms], [true, null])
  const [, row = '', other = ''] = rows((await fresh.send({ target: '/_profiler/routes' })).body)
  assert.match(row, /^product .* 2 [\d.]+ m?s$/)
  assert.doesNotMatch(other, /m?s$/)
  assert.match(
    (await fresh.send({ target: '/_profiler/routes' })).body,
    /<a href="\/_profiler\/\?route=product">2<\/a>/,
  )
  const found = JSON.parse((await fresh.send({ target: '/_profiler/index.json?route=product' })).body) as {
    items: object[]
  }
  assert.equal(found.items.length, 2)
})

it('the page of the route table: routes never hit: shows routes that were never hit, recorded or not, as page, JSON and Markdown', async () => {
  const routes = tableWithFaults()
  routes.get('about', { en: '/about', de: '/ueber' }, show)
  await using fresh = await startApp({ routes, recording: { sampleRate: 0 } })
  const names = async (query: string): Promise<readonly string[]> => {
    const { body } = await fresh.send({ target: `/_profiler/routes.json${query}` })
    return (JSON.parse(body) as FoundRoutes).routes.map(({ name }) => name)
  }
  const all = await names('')
  assert.deepEqual(await names('?unused=1'), all)
  await fresh.send({ target: '/products/tea' })
  await fresh.send({ target: '/ueber' })
  await until(async () => !(await names('?unused=1')).includes('about.de'))
  assert.deepEqual(await names('?unused=1'), ['home', 'new_product', 'basket', 'order'])
  assert.deepEqual(await names('?unused=1&filter=bask'), ['basket'])
  const page = (await fresh.send({ target: '/_profiler/routes?unused=1' })).body
  assert.match(pageText(page), /No request matched these since this process started, nor in 0 kept profiles\./)
  assert.match(page, /<input type="hidden" name="unused" value="1" \/>[^]*aria-current="page">Never hit</)
  assert.match(
    (await fresh.send({ target: '/_profiler/routes.md?unused=1' })).body,
    /4 of 7 routes\. No request matched/,
  )
})
