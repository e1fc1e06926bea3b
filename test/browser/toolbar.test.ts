// The toolbar in a real browser, under the policies that real pages have.

import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { createRequire } from 'node:module'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { json, redirect, reply, RouteCollection, stream, trusted } from '../../src/index.ts'
import { Readable } from 'node:stream'
import {
  closePages,
  assertAccessible,
  assertNoSidewaysScrolling,
  openBrowser,
  everyLook,
  openPage,
  watchedPage,
} from '../support/browser.ts'
import { startApp } from '../support/running-app.ts'
import { until } from '../support/until.ts'
import type { ErrorChain } from '../../src/errors/flattened-error.ts'
import type { BrowserData } from '../../src/observe/browser/browser-data.ts'
import { forAll } from '../support/for-all.ts'

const packages = createRequire(import.meta.url)
const libraries = [
  ['turbo', packages.resolve('@hotwired/turbo/dist/turbo.es2017-umd.js')],
  ['htmx', packages.resolve('htmx.org/dist/htmx.min.js')],
] as const

after(closePages)
const browser = await openBrowser()
const shop = await forAll(startApp({ isShop: true }))
const lab = await forAll(startApp({ routes: labRoutes() }))

/** Policies, each with whether the toolbar can run under it. */
const policies: ReadonlyMap<string, readonly [policy: string, runs: boolean]> = new Map([
  ['nothing', ["default-src 'none'", true]],
  ['none', ["default-src 'self'; script-src 'none'; style-src 'none'", true]],
  ['own', ["default-src 'self'", true]],
  ['inline', ["script-src 'self' 'unsafe-inline'; style-src 'unsafe-inline'", true]],
  ['elements', ["script-src 'none'; script-src-elem 'self'; style-src-elem 'none'", true]],
  ['dynamic', ["script-src 'strict-dynamic' 'nonce-abc'; base-uri 'none'", true]],
  ['types', ["default-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'", true]],
  ['two', ["default-src 'self', script-src 'none'", true]],
  ['sandbox', ['sandbox allow-scripts allow-same-origin', false]],
])

const plainPage =
  '<!doctype html><html lang="en"><head><title>Lab</title></head><body><main><h1>Lab</h1></main></body></html>'

/** What goes wrong in a page while it is read. */
const faults = `
function total(lines) { return lines[0].price.cents }
class CartError extends Error {}
setTimeout(() => total([{}]))
Promise.reject(new CartError('no sum', { cause: new TypeError('no lines') }))
console.error('%s of %d lines', 'one', 2, { id: 7 })
console.error(new RangeError('alone'))
Promise.reject('a text')
throw new Error('while it was read')
`

/** What a page asks for while it is read, before the toolbar is there. */
const early = `
fetch('/api/1')
const request = new XMLHttpRequest()
request.open('GET', '/api/2')
request.send()
`

function labRoutes(): RouteCollection {
  const routes = new RouteCollection()
  routes.get('plain', '/plain', () =>
    reply(trusted(plainPage), { headers: { 'content-security-policy': "default-src 'self'" } }),
  )
  routes.get('from', '/from', () => redirect('/plain'))
  routes.get('api', '/api/{id<\\d+>}', ({ request: { params } }) => json({ id: params.id }))
  routes.get('policy', '/policy/{name}', ({ request: { params } }) => {
    const [policy] = policies.get(params.name) ?? ['']
    return reply(trusted(plainPage), { headers: { 'content-security-policy': policy } })
  })
  routes.get('meta', '/meta', () =>
    trusted(
      plainPage.replace('<title>', `<meta http-equiv="Content-Security-Policy" content="default-src 'none'"><title>`),
    ),
  )
  routes.get('streamed', '/streamed', () =>
    stream(Readable.from([plainPage.slice(0, 60), plainPage.slice(60)]), { headers: { 'content-type': 'text/html' } }),
  )
  routes.get('faulty', '/faulty/{policy}', ({ request: { params } }) => {
    const [policy] = policies.get(params.policy) ?? ["script-src 'unsafe-inline'"]
    return reply(trusted(plainPage.replace('<title>', `<script>${faults}</script><title>`)), {
      headers: { 'content-security-policy': `${policy}; script-src 'unsafe-inline'; img-src 'none'` },
    })
  })
  routes.get('early', '/early', () =>
    reply(trusted(plainPage.replace('<title>', `<script>${early}</script><title>`)), {
      headers: { 'content-security-policy': "script-src 'unsafe-inline'" },
    }),
  )
  routes.get('events', '/events/{kind}', ({ request: { params } }) =>
    params.kind === 'open'
      ? stream(Readable.from(['data: one\n\n']), { headers: { 'content-type': 'text/event-stream' } })
      : json({}),
  )
  // Turbo puts another body into the document, htmx other children into the body.
  for (const [name, file] of libraries)
    routes.get(`${name}-script`, `/${name}.js`, () =>
      stream(createReadStream(file), { headers: { 'content-type': 'text/javascript' } }),
    )
  routes.get('visited', '/visited/{library<turbo|htmx>}/{page}', ({ request: { params } }) =>
    trusted(
      plainPage
        .replace('<title>', `<script src="/${params.library}.js"></script><title>`)
        .replace('<body>', '<body hx-boost:inherited="true">')
        .replace('<h1>Lab</h1>', `<h1>Page ${params.page}</h1><a href="/visited/${params.library}/2?x=1">Next</a>`),
    ),
  )
  routes.get('hostile', '/h/{name<.+>}', () =>
    trusted(`<!doctype html><html lang="en"><head><title>Hostile</title><style>
      * { display: none !important; color: red !important } a { font-size: 90px }
      </style></head><body><main><h1>Hostile</h1></main></body></html>`),
  )
  return routes
}

/** Expression for the page: a property of an element of the toolbar as it is drawn. */
const styleOf = (selector: string, property: string): string =>
  `getComputedStyle(document.querySelector('fanlight-toolbar').shadowRoot.querySelector('${selector}')).${property}`

/** Expression for the page: what one can press in the toolbar and is too small for a finger although its text may take no room. */
const smallTargets = `(() => {
  const root = document.querySelector('fanlight-toolbar').shadowRoot, sheet = new CSSStyleSheet();
  sheet.replaceSync('.toolbar, .toolbar * { font-size: 1px !important }');
  root.adoptedStyleSheets = [sheet];
  const targets = [...root.querySelectorAll('.bar :is(a, button)')].filter((one) => one.checkVisibility());
  const sizes = targets.map((one) => [one.textContent, one.getBoundingClientRect()]);
  root.adoptedStyleSheets = [];
  return sizes.filter(([, { width, height }]) => width < 24 || height < 24).map(([text]) => text);
})()`

const bar = (open: Page): ReturnType<Page['locator']> => open.locator('fanlight-toolbar .bar')

for (const look of everyLook) {
  it(`the toolbar, ${look.colorScheme}, ${look.width} px: shows what became of a page of the shop, under the policy of the shop`, async () => {
    const { page: open, faults, close } = await watchedPage(browser, look, shop.url)
    const answer = await open.goto(`${shop.url}/products`)
    const token = answer?.headers()['x-debug-token'] ?? ''
    assert.ok(await bar(open).isVisible())
    assert.equal(await open.locator('fanlight-toolbar .status').textContent(), 'Status 200')
    const background = await open.evaluate(styleOf('.status', 'backgroundColor'))
    assert.notEqual(background, 'rgba(0, 0, 0, 0)', 'its own style runs')
    if (look.width > 1000)
      assert.match((await bar(open).textContent()) ?? '', /Route products[^]*Time [^]*Currency EUR/)
    await assertNoSidewaysScrolling(open)
    // axe puts styles of its own into pages with a shadow root, which the policy of the shop refuses.
    assert.deepEqual(faults, [])
    await assertAccessible(open)
    assert.deepEqual(await open.evaluate(smallTargets), [])
    await open.locator('fanlight-toolbar .token').click()
    await open.waitForURL(`**/_profiler/${token}`)
    await close()
  })
}

describe('the toolbar in a page', () => {
  const look = { width: 1400, colorScheme: 'light' } as const

  for (const [name, [policy, runs]] of policies) {
    it(`${runs ? 'runs' : 'keeps out'} under ${policy}`, async (test) => {
      const open = await openPage(test, look, lab.url)
      await open.goto(`${lab.url}/policy/${name}`)
      assert.equal(await bar(open).isVisible(), runs)
      if (runs) assert.ok(await open.locator('fanlight-toolbar #close').isVisible(), 'its script runs')
    })
  }

  it('keeps out of a page with its own policy, and says nothing on the console', async (test) => {
    const open = await openPage(test, look, lab.url)
    await open.goto(`${lab.url}/meta`)
    assert.equal(await open.locator('fanlight-toolbar').count(), 0)
  })

  it('does not let scripts of the page run that the policy refused before', async () => {
    const { page: open, close } = await watchedPage(browser, look, lab.url)
    await open.goto(`${lab.url}/policy/none`)
    const ran = await open.evaluate(`new Promise((resolve) => {
      const script = document.createElement('script')
      script.textContent = 'window.ran = true'
      document.body.append(script)
      setTimeout(() => resolve(window.ran === true))
    })`)
    assert.equal(ran, false)
    await close()
  })

  it('lists what the page fetches, by fetch and XMLHttpRequest, with the profile of each', async (test) => {
    const open = await openPage(test, look, lab.url)
    await open.goto(`${lab.url}/from`)
    assert.ok(!(await open.locator('fanlight-toolbar #open-requests').isVisible()))
    const tokens = (await open.evaluate(`(async () => {
      const one = await fetch('/api/1')
      await fetch(new Request('/nope', { method: 'POST', body: 'x' }))
      const two = await new Promise((resolve) => {
        const call = new XMLHttpRequest()
        call.open('get', '/api/2')
        call.addEventListener('load', () => resolve(call.getResponseHeader('x-debug-token')))
        call.send()
      })
      return [one.headers.get('x-debug-token'), two]
    })()`)) as string[]
    const opener = open.locator('fanlight-toolbar #open-requests')
    assert.match((await opener.textContent()) ?? '', /Requests\s+3/)
    await opener.click()
    const items = await open.locator('fanlight-toolbar li').allTextContents()
    assert.match(items[0] ?? '', /^200GET\/api\/2\d+ ms/)
    assert.match(items[1] ?? '', /^404POST\/nope\d+ ms/)
    assert.match(items[2] ?? '', /^200GET\/api\/1\d+ ms/)
    assert.ok(items[2]?.endsWith(tokens[0] ?? '-') && items[0]?.endsWith(tokens[1] ?? '-'))
    await assertAccessible(open)
    assert.deepEqual(await open.evaluate(smallTargets), [])
    await open.keyboard.press('Escape')
    assert.equal(await opener.getAttribute('aria-expanded'), 'false')
    const named = { 'server-timing': 'total;dur=1.00, graphql;desc="query Products"' }
    await open.route('**/graphql', async (route) => route.fulfill({ headers: named, body: '{}' }))
    await open.evaluate(`fetch('/graphql', { method: 'POST' }).then((answer) => answer.text())`)
    const [operation = ''] = await open.locator('fanlight-toolbar li').allTextContents()
    assert.match(operation, /^200POST\/graphql query Products\d+ ms/)
    for (let id = 10; id < 40; id++) await open.evaluate(`fetch('/api/${id}').then((answer) => answer.text())`)
    assert.equal(await open.locator('fanlight-toolbar li').count(), 20)
    await opener.click()
    await open.locator('fanlight-toolbar li a').first().click()
    await open.waitForURL('**/_profiler/*')
  })

  it('lists what a page asked for before the script of the toolbar ran', async (test) => {
    const open = await openPage(test, look, lab.url)
    await open.goto(`${lab.url}/early`)
    await until(async () => (await open.locator('fanlight-toolbar #count').textContent()) === '2')
    await open.locator('fanlight-toolbar #open-requests').click()
    const items = await open.locator('fanlight-toolbar #list li').allInnerTexts()
    assert.deepEqual(items.map((item) => /^200\s+(\/api\/\d)\s+\d+ ms\s+find$/.exec(item)?.[1] ?? item).toSorted(), [
      '/api/1',
      '/api/2',
    ])
    await open.evaluate(`fetch('/api/3').then((answer) => answer.text())`)
    await until(async () => (await open.locator('fanlight-toolbar #count').textContent()) === '3')
  })

  it('lists streams of events, and those that gave up', async () => {
    const { page: open, faults, close } = await watchedPage(browser, look, lab.url)
    await open.goto(`${lab.url}/plain`)
    const told = (await open.evaluate(`(async () => {
      const until = (source, name) => new Promise((resolve) => source.addEventListener(name, resolve))
      const ours = new EventSource('/_profiler/reload')
      await until(ours, 'process')
      ours.close()
      const opened = new EventSource('/events/open'), refused = new EventSource('/events/json')
      const first = await until(opened, 'message')
      opened.close()
      await until(refused, 'error')
      return [first.data, refused instanceof EventSource, EventSource.name, EventSource.CLOSED]
    })()`)) as unknown[]
    assert.deepEqual(told, ['one', true, 'EventSource', 2])
    const items = open.locator('fanlight-toolbar li')
    const texts = (await items.allTextContents()).sort()
    assert.equal(texts.length, 2, 'the profiler is no request of the page')
    assert.match(texts[0] ?? '', /^200GET\/events\/open\d+ msfind$/)
    assert.match(texts[1] ?? '', /^failedGET\/events\/json\d+ ms$/)
    const link = items.filter({ hasText: '/events/open' }).locator('a')
    assert.equal(await link.getAttribute('href'), '/_profiler/?url=%2Fevents%2Fopen')
    assert.match(faults.join(), /^EventSource's response has a MIME type/)
    await close()
  })

  for (const [library] of libraries)
    it(`follows ${library} to another page and back`, async (test) => {
      const open = await openPage(test, look, lab.url)
      const tokenOf = async (): Promise<string | undefined> =>
        (await open.locator('fanlight-toolbar .token').getAttribute('href'))?.slice('/_profiler/'.length)
      const own = (await open.goto(`${lab.url}/visited/${library}/1`))?.headers()['x-debug-token']
      await open.evaluate('window.isFirst = true')
      assert.equal(await tokenOf(), own)
      assert.match((await bar(open).textContent()) ?? '', /Route visited/)
      const response = open.waitForResponse('**/2?x=1')
      await open.locator('main a').click()
      const next = (await response).headers()['x-debug-token']
      await open.locator('h1', { hasText: 'Page 2' }).waitFor()
      const followed = open.locator('fanlight-toolbar .route.followed')
      await followed.waitFor()
      assert.equal(await open.evaluate('window.isFirst'), true, 'no page was loaded')
      assert.equal(await followed.textContent(), `/visited/${library}/2?x=1`)
      assert.deepEqual([await tokenOf(), await open.locator('fanlight-toolbar').count()], [next, 1])
      assert.equal(await open.locator('fanlight-toolbar .status:visible').textContent(), '200')
      await assertAccessible(open)
      // Turbo keeps the page, htmx asks for it again.
      const again = library === 'htmx' ? open.waitForResponse('**/1') : undefined
      await open.goBack()
      await open.locator('h1', { hasText: 'Page 1' }).waitFor()
      const back = (await again)?.headers()['x-debug-token'] ?? own
      await until(async () => (await tokenOf()) === back)
      assert.equal(await followed.count(), library === 'htmx' ? 1 : 0)
    })

  it('opens a panel on hover and on focus, without its script, and puts it away on Escape', async () => {
    const { page: open, close } = await watchedPage(browser, look, lab.url)
    await open.goto(`${lab.url}/plain`)
    const panel = (name: string): ReturnType<Page['locator']> =>
      open.locator('fanlight-toolbar .spot', { hasText: name }).locator('.panel')
    assert.ok(!(await panel('Own code').isVisible()))
    await open.locator('fanlight-toolbar .time-glyph').hover()
    assert.match(
      await panel('Own code').innerText(),
      /Own code\s+[\d.]+ ms\s+Waiting for the event loop\s+[\d.]+ ms\s+Waiting for I\/O\s+[\d.]+ ms/,
    )
    await open.locator('fanlight-toolbar .memory').focus()
    assert.match(await panel('Heap').innerText(), /Heap\s+[\d.]+ MB\s+Since this request began\s+[+\u2212][\d.]+ \w+/)
    await assertAccessible(open)
    await open.keyboard.press('Escape')
    assert.ok(!(await panel('Heap').isVisible()))
    await open.keyboard.press('Tab')
    assert.match(await panel('Log').innerText(), /1 line\s+info\s+1|2 lines/)
    await close()
    const quiet = await browser.newContext({ javaScriptEnabled: false })
    const still = await quiet.newPage()
    await still.goto(`${lab.url}/plain`)
    await still.locator('fanlight-toolbar .memory').hover()
    assert.ok(await still.locator('fanlight-toolbar .panel', { hasText: 'Resident' }).isVisible())
    await quiet.close()
  })

  it('says that a request of the page failed, and cuts nothing at 360 px', async (test) => {
    const open = await openPage(test, { width: 360, colorScheme: 'light' }, lab.url)
    await open.goto(`${lab.url}/plain`)
    const opener = open.locator('fanlight-toolbar #open-requests')
    await open.evaluate(`fetch('/api/1').then((answer) => answer.text())`)
    await opener.waitFor()
    assert.doesNotMatch((await opener.getAttribute('class')) ?? '', /tone-error/)
    await open.evaluate(`fetch('/nope').then((answer) => answer.text())`)
    assert.match((await opener.textContent()) ?? '', /Requests\s+2, 1 failed/)
    assert.match((await opener.getAttribute('class')) ?? '', /tone-error/)
    const cut =
      await open.evaluate(`[...document.querySelector('fanlight-toolbar').shadowRoot.querySelectorAll('.bar .item, .bar .status')]
      .filter((item) => item.offsetWidth > 0)
      .filter((item) => item.scrollWidth > item.clientWidth || item.getBoundingClientRect().right > innerWidth)
      .map((item) => item.textContent)`)
    assert.deepEqual(cut, [])
    await assertNoSidewaysScrolling(open)
  })

  it('leaves fetch of the page as it was: its answers, and its failures', async () => {
    const { page: open, close } = await watchedPage(browser, look, lab.url)
    await open.goto(`${lab.url}/plain`)
    const seen = await open.evaluate(`(async () => {
      const failure = await fetch('http://127.0.0.1:1/').catch((error) => error.constructor.name)
      const aborted = await fetch('/api/1', { signal: AbortSignal.abort() }).catch((error) => error.name)
      const body = await (await fetch('/api/7')).json()
      return [failure, aborted, body.id, fetch.name]
    })()`)
    assert.deepEqual(seen, ['TypeError', 'AbortError', '7', 'fetch'])
    await close()
  })

  it('is closed and opened by the keyboard, and stays closed on the next page', async (test) => {
    const open = await openPage(test, look, lab.url)
    await open.goto(`${lab.url}/plain`)
    await open.locator('fanlight-toolbar #close').focus()
    await open.keyboard.press('Enter')
    assert.ok(!(await bar(open).isVisible()))
    await open.goto(`${lab.url}/streamed`)
    assert.ok(!(await bar(open).isVisible()))
    await assertAccessible(open)
    await open.locator('fanlight-toolbar #reopen').press('Enter')
    assert.ok(await bar(open).isVisible())
    await open.reload()
    assert.ok(await bar(open).isVisible())
  })

  it('is not printed', async (test) => {
    const open = await openPage(test, look, lab.url)
    await open.goto(`${lab.url}/plain`)
    await open.emulateMedia({ media: 'print' })
    assert.ok(!(await bar(open).isVisible()))
  })

  it('cannot be changed by the styles of the page, and does not change the page', async (test) => {
    const open = await openPage(test, look, lab.url)
    await open.goto(`${lab.url}/h/%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E`)
    const sizes = await open.evaluate(styleOf('.token', 'fontSize'))
    assert.equal(sizes, '13px')
    assert.equal(await open.locator('fanlight-toolbar script, body > script').count(), 0)
  })
})

it('the request panel: copies the request as a command', async (test) => {
  const open = await openPage(test, { width: 1400, colorScheme: 'light' }, lab.url)
  await open.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const { headers } = await lab.send({ target: "/api/1?it's" })
  const token = new Map(headers.map(([name, value]) => [name.toLowerCase(), value])).get('x-debug-token')
  await open.goto(`${lab.url}/_profiler/${token}?panel=request`)
  await open.getByText('cURL', { exact: true }).click()
  // It says so for a while only: waited for from before the click on.
  const said = open.getByRole('button', { name: 'Copied the cURL command' }).waitFor()
  await Promise.all([said, open.getByRole('button', { name: 'Copy the cURL command' }).click()])
  const copied = String(await open.evaluate('navigator.clipboard.readText()'))
  assert.ok(copied.startsWith(`curl --path-as-is --globoff '${lab.url}/api/1?it'\\''s'`), copied)
  await assertAccessible(open)
})

describe('a page with a toolbar', () => {
  const look = { width: 1400, colorScheme: 'light' } as const

  it('reports what goes wrong from its first script on, and says how much', async () => {
    const { page: open, close } = await watchedPage(browser, look, lab.url)
    const token = (await open.goto(`${lab.url}/faulty/nothing`))?.headers()['x-debug-token'] ?? ''
    const item = open.locator('fanlight-toolbar #browser')
    await item.waitFor()
    assert.equal((await item.textContent())?.replace(/\s+/g, ' ').trim(), 'Browser 6 errors')
    assert.equal(await open.locator('head script').count(), 1, 'the script has gone')
    const { errors } = await reported(token, (data) => data.errors.length === 6)
    const read = errors.find(({ message }) => message === 'while it was read')
    const { data } = (await lab.profiles.read(read?.token ?? '')) ?? assert.fail()
    const [frame] = (data['exception'] as ErrorChain).errors[0]?.frames ?? []
    const lineOf =
      plainPage
        .replace('<title>', `<script>${faults}`)
        .split('\n')
        .findIndex((line) => line.startsWith('throw')) + 1
    assert.deepEqual([frame?.file, frame?.line], [`${lab.url}/faulty/nothing`, lineOf], 'as the page numbers its lines')
    assert.deepEqual(errors.map(({ kind, className, message }) => `${kind} ${className}: ${message}`).sort(), [
      'console RangeError: alone',
      'console console.error: one of 2 lines {"id":7}',
      'error Error: while it was read',
      "error TypeError: Cannot read properties of undefined (reading 'cents')",
      'rejection CartError: no sum',
      'rejection string: a text',
    ])
    await item.click()
    await open.waitForURL(`**/_profiler/${token}?panel=browser**`)
    await open.getByRole('link', { name: 'CartError' }).click()
    await open.getByText('no lines').first().waitFor()
    await close()
  })

  it('reports how quick a page was, and last what changed when it is left', async () => {
    const { page: open, faults, close } = await watchedPage(browser, look, lab.url)
    const token = (await open.goto(`${lab.url}/plain`))?.headers()['x-debug-token'] ?? ''
    const first = await reported(token, (data) => data.views.length === 1)
    const { vitals, navigation, userAgent } = first.views[0] ?? assert.fail()
    assert.ok((vitals.ttfbMs ?? 0) > 0 && (vitals.fcpMs ?? 0) > 0 && (vitals.lcpMs ?? 0) > 0, JSON.stringify(vitals))
    assert.ok(navigation?.steps.some(({ name }) => name === 'waiting for the response'))
    assert.match(userAgent, /Chrom/)
    await open.evaluate(
      `for (let count = 0; count < 10000; count++) window.dispatchEvent(new ErrorEvent('error', { error: Object.assign(new Error('again'), { stack: '' }) }))`,
    )
    await open.evaluate(`for (let count = 0; count < 10000; count++) console.error(count)`)
    assert.match((await open.locator('fanlight-toolbar #browser').textContent()) ?? '', /20000 errors/)
    await open.goto('about:blank')
    const last = await reported(token, (data) => (data.views[0]?.dropped ?? 0) > 0)
    assert.equal(last.errors.length, 20)
    assert.equal(last.errors.find(({ message }) => message === 'again')?.count, 10_000)
    assert.equal(last.views[0]?.dropped, 10_000 - 19)
    assert.deepEqual(
      faults.filter((fault) => !/^\d+$/.test(fault)),
      [],
    )
    await close()
  })

  it('is the only kind that reports', async (test) => {
    const open = await openPage(test, look, lab.url)
    for (const target of ['/meta', '/policy/sandbox', '/api/1', '/_profiler/']) {
      await open.goto(`${lab.url}${target}`)
      assert.equal(await open.evaluate(`Symbol.for('fanlight.browser') in window`), false, target)
    }
  })
})

/** What the pages of a request have reported, once it is all there. */
async function reported(token: string, isWhole: (data: BrowserData) => boolean): Promise<BrowserData> {
  let data: BrowserData = { errors: [], views: [] }
  await until(async () => {
    data = ((await lab.profiles.read(token))?.data['browser'] as BrowserData | undefined) ?? data
    return isWhole(data)
  })
  return data
}
