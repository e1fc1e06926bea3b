// The panel of logs in a browser: how much of it is in sight, and its filters with and without a script.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { json, RouteCollection } from '../../src/index.ts'
import {
  assertAccessible,
  assertFitsEveryWidth,
  assertNoSidewaysScrolling,
  openBrowser,
  everyLook,
  openPage,
} from '../support/browser.ts'
import { forAll } from '../support/for-all.ts'
import { startApp } from '../support/running-app.ts'

const routes = new RouteCollection()
routes.get('lines', '/lines/{count<\\d+>}', ({ request: { params }, log }) => {
  log.warn('Cache for {name} is old', { name: 'prices', seconds: 90, host: 'cache-2.internal.example.org' })
  for (let line = 1; line <= Number(params.count); line += 1) log.debug(`Step ${line} of the import`)
  log.error('Broken\nin two lines', { why: 'x'.repeat(300) })
  return json({})
})
const app = await forAll(startApp({ routes }))
const browser = await openBrowser()

async function panelOf(count: number): Promise<string> {
  const token = (await app.send({ target: `/lines/${count}` })).header('x-debug-token') ?? ''
  return `${app.url}/_profiler/${token}?panel=logger`
}

const rows = '.log tbody tr:visible'

describe('the panel of logs', () => {
  it('fits every window and is accessible, with details open', async (test) => {
    const address = await panelOf(30)
    for (const look of everyLook) {
      const page = await openPage(test, look, app.url)
      await page.goto(address)
      for (const details of await page.locator('.log summary').all()) await details.click()
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
      await assertFitsEveryWidth(page)
    }
  })

  it('shows a line a row, at least 28 of them on a screen', async (test) => {
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, app.url)
    await page.goto(await panelOf(100))
    const bottoms = (await page.evaluate(
      "[...document.querySelectorAll('.log tbody tr')].map((row) => row.getBoundingClientRect().bottom)",
    )) as readonly number[]
    const inSight = bottoms.filter((bottom) => bottom <= 900).length
    assert.ok(inSight >= 28, `${inSight} lines`)
  })

  it('narrows the lines by level and text at once', async (test) => {
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, app.url)
    await page.goto(await panelOf(30))
    await page.getByRole('radio', { name: /^Problems/ }).check()
    assert.equal(await page.locator(rows).count(), 2)
    await page.getByRole('radio', { name: /^debug/ }).check()
    await page.getByLabel('Find in lines of the log').fill('step 3')
    assert.equal(await page.locator(rows).count(), 2)
    await page.getByText('2 of 33 lines').waitFor()
  })

  it('has its levels without a script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(await panelOf(30))
    await page.getByRole('radio', { name: /^error/ }).check()
    assert.equal(await page.locator(rows).count(), 1)
    assert.ok(await page.getByLabel('Find in lines of the log').isHidden())
    await context.close()
  })
})
