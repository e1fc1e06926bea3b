import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import {
  closePages,
  assertAccessible,
  assertNoSidewaysScrolling,
  openBrowser,
  everyLook,
  watchedPage,
} from '../support/browser.ts'
import { startApp, type RunningApp } from '../support/running-app.ts'

let browser: Browser
let running: RunningApp
before(async () => {
  ;[browser, running] = await Promise.all([openBrowser(), startApp()])
})
after(async () => {
  await closePages()
  await running[Symbol.asyncDispose]()
})

for (const look of everyLook) {
  describe(`the page of the route table, ${look.colorScheme}, ${look.width} px`, () => {
    it('is found from the list, tries a request, filters, fits its window and is accessible', async () => {
      const { page, faults, close } = await watchedPage(browser, look, running.url)
      await page.goto(`${running.url}/_profiler/`)
      await page.getByRole('link', { name: 'Routes' }).click()
      if (look.width < 640) await page.locator('summary', { hasText: 'Try a request' }).click()
      await page.getByRole('combobox', { name: 'Method' }).selectOption('POST')
      await page.getByRole('textbox', { name: 'URL or path' }).fill('/products/tea')
      await page.getByRole('button', { name: 'Try' }).click()
      await page.getByText('is not allowed. Use GET, HEAD.').waitFor()
      await page.getByText('routes, closest first').click()
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)

      await page.getByRole('searchbox', { name: 'Filter routes' }).fill('basket')
      await page.getByRole('button', { name: 'Filter' }).click()
      await page.getByText('1 of 7 routes').waitFor()
      assert.equal(await page.getByRole('textbox', { name: 'URL or path' }).inputValue(), '/products/tea')
      await assertAccessible(page)
      assert.deepEqual(faults, [])
      await close()
    })
  })
}
