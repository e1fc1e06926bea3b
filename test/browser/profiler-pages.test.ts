// Every page of the profiler in a browser, of an application that gives it something to show: real, empty, cut and failed
// parts, long names and hostile text, several versions. Wide and light, narrow and dark.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { observeSqlite } from '../../src/capture.ts'
import { dump, HttpError, json, RouteCollection, stream, tag, text } from '../../src/index.ts'
import { emptyState } from '../../src/profiler.ts'
import { everyPanelStyle, panelAssets } from '../../src/analysis/pages/panels.ts'
import {
  closePages,
  assertAccessible,
  assertFitsEveryWidth,
  assertNoSidewaysScrolling,
  openBrowser,
  everyLook,
  isWhole,
  openPage,
  watchedPage,
} from '../support/browser.ts'
import { startApp } from '../support/running-app.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'
import type { Profile } from '../../src/observe/profile.ts'
import { openEngine } from '../../src/app/open-engine.ts'
import { makeSpan, makeSpansProfile, spanId, traceId } from '../support/trace-spans.ts'
import { forAll } from '../support/for-all.ts'

/** Tokens by what the request was for. */
const tokens = new Map<string, string>()

const longName = 'a_route_with_a_name_of_many_words_that_does_not_fit_into_one_line'

/** Lines, queries and spans: to lay out hundreds of them takes as long as ten other pages. */
const many = isWhole ? 520 : 60

function createRoutes(): RouteCollection {
  const database = observeSqlite(new DatabaseSync(':memory:'))
  const routes = new RouteCollection()
  routes.get('chatty', '/chatty', ({ log }) => {
    for (let index = 0; index < many; index += 1) {
      log.info('Line {index} says {what}', { index, what: 'x'.repeat(index % 90) })
      database.prepare('SELECT ? AS id').get(index)
    }
    dump({ basket: ['tea', '<script>alert(1)</script>'] })
    return json({})
  })
  routes.get('forbidden', '/forbidden', () => {
    tag('floor', 'cellar')
    tag('lamp', 'off')
    throw new HttpError(403, 'Only staff may see the warehouse')
  })
  routes.get('quiet', '/quiet', () => text('quiet'))
  routes.get('ticker', '/ticker', () => {
    const events = Array.from(
      { length: 60 },
      (_, id) => `id: ${id}\nevent: ${longName}\ndata: ${'x'.repeat(id * 20)}\n\n`,
    )
    return stream(Readable.from(events), { headers: { 'content-type': 'text/event-stream' } })
  })
  routes.get(longName, '/long/{first}/{second}', () => text('long'))
  return routes
}

const directory = makeTemporaryDirectory({ after })

after(closePages)
const options = {
  routes: createRoutes(),
  collectors: [
    {
      name: 'flags',
      collect: (): unknown => {
        throw new Error('the flags cannot be read')
      },
    },
  ],
  panels: [{ name: 'flags', title: 'Flags', render: () => emptyState('No flag was asked for.') }],
}
const environment = (version: string) => ({
  APP_STORE: `sqlite:${join(directory, 'store.db')}`,
  APP_VERSION: version,
})
const older = await startApp({ ...options, env: environment('2.0.0') })
for (const path of ['/quiet', '/chatty']) await older.send({ target: path })
await older[Symbol.asyncDispose]()
const engine = await openEngine(environment('2.0.0').APP_STORE)
await engine.profiles.write(makeTrace())
await engine.close()
const app = await forAll(startApp({ ...options, env: environment('2.1.0') }))
const paths = ['/quiet', '/chatty', '/forbidden', `/long/${'a'.repeat(900)}/b?q=${'b'.repeat(900)}`, '/nowhere?%3Cb%3E']
for (const path of paths) {
  const answer = await app.send({ target: path })
  tokens.set(path.slice(1, 8), answer.header('x-debug-token') ?? assert.fail())
}
const ticker = await app.send({ target: '/ticker', headers: ['X-Fanlight-Profile: memory'] })
tokens.set('ticker', ticker.header('x-debug-token') ?? assert.fail())
const browser = await openBrowser()

/** Two services, one with a late clock, many spans, an error and a lost parent. */
function makeTrace(): readonly Profile[] {
  const startTime = Date.now()
  const kind = 'server'
  const queries = Array.from({ length: many }, (_, index) =>
    makeSpan({ id: 10 + index, parent: 2, name: `SELECT ${index % 40}`, startTime: startTime + index, durationMs: 3 }),
  )
  const failed = { status: 'error', statusMessage: `connect ECONNREFUSED ${'x'.repeat(200)}` } as const
  return [
    makeSpansProfile('gateway', [
      makeSpan({
        id: 1,
        name: longName,
        startTime,
        durationMs: 400,
        attributes: { 'url.full': `http://a/${'b'.repeat(300)}` },
      }),
      makeSpan({ id: 4, parent: 99, name: 'lost', startTime }),
    ]),
    makeSpansProfile('orders', [
      makeSpan({ id: 2, parent: 1, kind, startTime: startTime - 9000, durationMs: 350, ...failed }),
      ...queries,
    ]),
  ]
}

function addresses(): readonly string[] {
  const of = (name: string): string => tokens.get(name) ?? assert.fail(name)
  const panels = (name: string, names: readonly string[]): readonly string[] =>
    names.map((panel) => `/${of(name)}?panel=${panel}`)
  const all = ['request', 'exception', 'time', 'cpu', 'logger', 'events', 'router', 'http-client', 'database']
  return [
    '/',
    '/?status=9&statu=4',
    '/runs?compare=no',
    '/runs?by=version',
    '/errors',
    '/errors?status=4xx&sort=count',
    '/status',
    '/help',
    '/open-requests',
    '/lock',
    '/routes',
    '/routes?url=/quite',
    '/runs',
    '/runs?version=2.1.0',
    `/compare?a=${of('chatty')}&b=${of('quiet')}`,
    `/export?token=${of('chatty')}`,
    '/trace',
    `/trace?id=${traceId}`,
    `/trace?id=${traceId}&span=${spanId(2)}`,
    '/trace?id=7',
    '/aaaaaaaaaaaa',
    ...panels('quiet', [...all, 'currency', 'dump', 'config', 'connections', 'memory', 'nothing']),
    ...panels('ticker', ['connections', 'memory']),
    ...panels('chatty', ['time', 'logger', 'database', 'dump']),
    ...panels('forbidd', ['flags', 'exception']),
    ...panels('nowhere', ['router', 'exception']),
    ...panels('long/aa', ['request']),
  ]
}

describe('the pages of the profiler', () => {
  it('take the whole width of the paper, without the menu', async (test) => {
    const page = await openPage(test, { width: 1100, colorScheme: 'light' }, app.url)
    await page.emulateMedia({ media: 'print' })
    const panels = ['request', 'exception', 'time', 'logger', 'flags']
    for (const address of panels.map((panel) => `/${tokens.get('forbidd')}?panel=${panel}`)) {
      await page.goto(`${app.url}/_profiler${address}`)
      const box = await page.locator('main').boundingBox()
      assert.ok((box?.width ?? 0) > 1000, `${address} is printed ${box?.width} px wide`)
      assert.equal(await page.getByRole('navigation').filter({ visible: true }).count(), 0)
    }
  })

  it('have a column of versions in the list where one profile of the page names one', async (test) => {
    const page = await openPage(test, { width: 1280, colorScheme: 'light' }, app.url)
    const heading = page.locator('.profiles th', { hasText: 'Version' })
    // A store that is behind answers a list with a page that says so.
    await until(async () => {
      await page.goto(`${app.url}/_profiler/?limit=1`)
      return heading.isVisible()
    })
    assert.equal(await page.locator('.profiles td.version').innerText(), '2.1.0')
    await page.evaluate(`document.querySelector('.profiles td.version').classList.remove('is-known')`)
    assert.equal(await heading.isVisible(), false)
  })

  it('show what they list without scrolling in a narrow window: filters are folded away until one is set', async (test) => {
    const page = await openPage(test, { width: 360, colorScheme: 'light' }, app.url)
    await page.setViewportSize({ width: 360, height: 640 })
    const filters = page.locator('main form :is(input:not([type=checkbox]), select)').filter({ visible: true })
    for (const [address, rows] of [
      ['/', '.profiles tbody tr'],
      ['/runs?compare=no', '.stacked tbody tr'],
      ['/routes', '.stacked tbody tr'],
    ] as const) {
      await page.goto(`${app.url}/_profiler${address}`)
      const row = await page.locator(rows).first().boundingBox()
      assert.ok(row !== null && row.y + row.height <= 640, `${address} begins its rows at ${row?.y} px`)
    }
    await page.goto(`${app.url}/_profiler/`)
    assert.equal(await filters.count(), 0)
    await page.getByText('Filters', { exact: true }).press('Enter')
    assert.ok((await filters.count()) > 3)
    for (const address of ['/?status=404', '/?status=abc', '/routes?url=/quiet']) {
      await page.goto(`${app.url}/_profiler${address}`)
      assert.ok((await filters.count()) > 0, address)
    }
  })

  it('have the filters at hand in a wide window, with nothing to unfold', async (test) => {
    const page = await openPage(test, { width: 1280, colorScheme: 'light' }, app.url)
    for (const address of ['/', '/runs']) {
      await page.goto(`${app.url}/_profiler${address}`)
      await page.getByRole('textbox', { name: 'Status' }).fill('200')
      assert.equal(await page.getByText('Filters', { exact: true }).isVisible(), false)
      // The search box in the bar belongs to the filters.
      await page.getByRole('searchbox').fill('/quiet')
      await page.getByRole('searchbox').press('Enter')
      await page.waitForURL(/(?=.*search=%2Fquiet).*status=200/)
    }
  })

  it('fit windows of every width in every look, have the styles of their panel, and the narrow ones are accessible', async () => {
    const [first = assert.fail(), ...others] = everyLook
    const { page, faults, close } = await watchedPage(browser, first, app.url)
    for (const address of addresses()) {
      await page.emulateMedia({ colorScheme: first.colorScheme })
      await page.setViewportSize({ width: first.width, height: 900 })
      await page.goto(`${app.url}/_profiler${address}`)
      await assertNoSidewaysScrolling(page)
      assert.deepEqual(await foreignStyles(page, address), [], address)
      // The wide pages are checked by the tests of each; panels differ from their narrow form in colours.
      if (address.includes('panel=')) await assertAccessible(page, ['color-contrast'])
      await assertFitsEveryWidth(page)
      for (const { width, colorScheme } of others) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 900 })
        await assertNoSidewaysScrolling(page)
        // Takes longest.
        if (width < 1000) await assertAccessible(page)
      }
      assertNoFaults(faults, address)
    }
    await close()
  })
})

/** Selectors of styles of other panels that fit something on the page. */
async function foreignStyles(page: Page, address: string): Promise<unknown> {
  const panel = /[?&]panel=([^&]+)/.exec(address)?.[1]
  if (panel === undefined) return []
  const { styles } = panelAssets(panel)
  const others = everyPanelStyle.filter((sheet) => !styles.includes(sheet)).map(String)
  return page.evaluate(`(() => {
    const shown = (selector) => {
      try { return document.querySelector(selector.replace(/::?[a-z-]+(?![a-z(-])/g, '')) !== null } catch { return false }
    }
    const rulesOf = (rules) => [...rules].flatMap((rule) => (rule.selectorText ? [rule.selectorText] : rulesOf(rule.cssRules ?? [])))
    return ${JSON.stringify(others)}.flatMap((text) => {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(text)
      return rulesOf(sheet.cssRules).filter(shown)
    })
  })()`)
}

function assertNoFaults(faults: readonly string[], address: string): void {
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('status of 40')),
    [],
    address,
  )
}
