// Error page, toolbar and profiler of an Express application with helmet() and compression(), in a real browser.

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import compression from 'compression'
import express, { Router, type Express } from 'express'
import helmet from 'helmet'
import type { Page } from 'playwright-core'
import { listen } from '../integrations/served.ts'
import { until } from '../support/until.ts'
import {
  closePages,
  assertAccessible,
  assertNoSidewaysScrolling,
  openBrowser,
  everyLook,
  watchedPage,
} from '../support/browser.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/express.ts')

const rows = Array.from({ length: 100 }, (_, index) => `<li>Lamp ${index}</li>`).join('')
const catalogue = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Lamps</title>
<meta name="viewport" content="width=device-width"></head><body><main><h1>Lamps</h1><ul>${rows}</ul></main></body></html>`

after(closePages)
const browser = await openBrowser()
const { port } = await listen({ after }, shop())
const url = `http://127.0.0.1:${port}`

function shop(): Express {
  const app = fanlight(express())
  app.use(helmet(), compression({ threshold: 0 }), function refuseRobots(_request, _response, next) {
    setTimeout(next, 2)
  })
  const shops = Router({ mergeParams: true })
  shops.get('/lamps', function listLamps(_request, response) {
    response.send(catalogue)
  })
  shops.get('/orders/:order/items/:item', function showItem() {
    throw new Error('The lamp is out of stock', { cause: new Error('The warehouse did not respond') })
  })
  app.use('/shops/:shop', shops)
  app.post('/shops/:shop/orders', (_request, response) => void response.json({ made: true }))
  return app
}

/** Fails where the page is too wide, cannot be used by everybody, or said anything on the console. */
async function assertReadsWell(page: Page, faults: readonly string[]): Promise<void> {
  await assertNoSidewaysScrolling(page)
  // axe puts styles of its own into pages, which their policies may refuse.
  assert.deepEqual(faults, [], page.url())
  await assertAccessible(page)
}

for (const look of everyLook) {
  describe(`an Express application behind helmet() and compression(), ${look.colorScheme}, ${look.width} px`, () => {
    it('has our error page, with the profile', async () => {
      const { page, faults, close } = await watchedPage(browser, look, url)
      const response = await page.goto(`${url}/shops/7/orders/3/items/9`)
      assert.equal(response?.status(), 500)
      assert.equal(await page.locator('h1').textContent(), 'The lamp is out of stock')
      assert.match(
        (await page.locator('body').textContent()) ?? '',
        /Route \/shops\/:shop\/orders\/:order\/items\/:item/,
      )
      await assertReadsWell(page, faults)
      await page.getByRole('link', { name: 'Open profile' }).click()
      await page.waitForURL('**/_profiler/*')
      await close()
    })

    it('has our page for unknown paths and methods, with near routes', async () => {
      for (const [path, near] of [
        ['/shops/7/lamp', 'GET /shops/7/lamps'],
        ['/shops/7/orders', 'POST /shops/7/orders'],
      ] as const) {
        const { page, faults, close } = await watchedPage(browser, look, url)
        assert.equal((await page.goto(`${url}${path}`))?.status(), 404)
        assert.ok(await page.getByText(near, { exact: true }).first().isVisible(), near)
        assert.doesNotMatch((await page.locator('body').textContent()) ?? '', /Name and definition/)
        await assertReadsWell(page, faults)
        await close()
      }
    })

    it('has the toolbar, which opens the profile', async () => {
      const { page, faults, close } = await watchedPage(browser, look, url)
      const response = await page.goto(`${url}/shops/7/lamps`)
      const token = response?.headers()['x-debug-token'] ?? ''
      const bar = page.locator('fanlight-toolbar .bar')
      assert.ok(await bar.isVisible())
      assert.ok(await page.locator('fanlight-toolbar #close').isVisible(), 'its script runs')
      if (look.width > 1000) assert.match((await bar.textContent()) ?? '', /Route \/shops\/:shop\/lamps/)
      await assertReadsWell(page, faults)
      await page.locator('fanlight-toolbar .token').click()
      await page.waitForURL(`**/_profiler/${token}`)
      await close()
    })

    it('shows its steps, its route and its route table, and nothing of applications of ours', async () => {
      const { page, faults, close } = await watchedPage(browser, look, url)
      const response = await page.goto(`${url}/shops/7/lamps`)
      const profile = `${url}/_profiler/${response?.headers()['x-debug-token']}`
      const missed = await page.goto(`${url}/shops/7/lamp`)
      for (const [address, said, unsaid] of [
        [
          `${profile}?panel=events`,
          /Step[^]*helmetMiddleware[^]*refuseRobots[^]*router \/shops\/:shop/,
          /[Ll]istener|maintenance lock|Did not run/,
        ],
        [
          `${profile}?panel=router`,
          /Matched route\s*\/shops\/:shop\/lamps[^]*Defined at\s*\S+:\d+[^]*shop\s*7/,
          /maintenance lock/,
        ],
        [
          `${url}/_profiler/${missed?.headers()['x-debug-token']}?panel=router`,
          /No route matched[^]*It is "lamps", not "lamp"[^]*POST \/shops\/:shop\/orders/,
          /maintenance lock|plural/,
        ],
        [`${url}/_profiler/routes`, /\/shops\/:shop\/lamps\s*GET\s*listLamps/, /framework-routes/],
      ] as const) {
        await page.goto(address)
        const text = (await page.locator('main').textContent()) ?? ''
        assert.match(text, said, address)
        assert.doesNotMatch(text, unsaid, address)
        await assertReadsWell(page, faults)
      }
      await close()
    })
  })
}

it('knows what goes wrong in a page of an Express application, under the policy of helmet()', async () => {
  const { page, close } = await watchedPage(browser, { width: 1400, colorScheme: 'light' }, url)
  const response = await page.goto(`${url}/shops/7/lamps`)
  const token = response?.headers()['x-debug-token'] ?? ''
  await page.evaluate(`void setTimeout(() => { throw new RangeError('The lamp has fallen') })`)
  const item = page.locator('fanlight-toolbar #browser')
  await item.waitFor()
  const panel = `${url}/_profiler/${token}.md?panel=browser`
  await until(async () => (await (await fetch(panel)).text()).includes('The lamp has fallen'))
  await item.click()
  await page.getByRole('link', { name: 'RangeError' }).click()
  await page.getByText('The lamp has fallen').first().waitFor()
  assert.match(page.url(), /panel=exception/)
  await close()
})
