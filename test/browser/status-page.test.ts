import assert from 'node:assert/strict'
import { join } from 'node:path'
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
import { startApp } from '../support/running-app.ts'

let browser: Browser
before(async () => {
  browser = await openBrowser()
})
after(async () => closePages())

for (const look of everyLook) {
  describe(`the status page, ${look.colorScheme}, ${look.width} px`, () => {
    it('is found from the list, says what is missing and why, fits its window and is accessible', async () => {
      await using running = await startApp({
        env: { APP_RECORD_SECRET: 'a secret of thirty-two characters'.replaceAll(' ', '-') },
        recording: {
          paths: { '/api': 0, [`/${'a-long-path/'.repeat(20)}`]: 0.5 },
          slowMs: false,
        },
      })
      for (const target of ['/api', '/products', '/error']) await running.send({ target })
      const { page, faults, close } = await watchedPage(browser, look, running.url)
      await page.goto(`${running.url}/_profiler/`)
      await page.getByText('1 request has no profile: 1 sampled out.').waitFor()
      await assertAccessible(page)
      await page.getByRole('link', { name: 'Status' }).first().click()
      await page.getByRole('heading', { name: 'Cost of recording' }).waitFor()
      const cells = await page.getByRole('row', { name: /^Slow / }).allInnerTexts()
      assert.match(cells.join(' '), /none\s+option recording\.slowMs/)
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
      assert.deepEqual(faults, [])
      await close()
    })

    it('reads well before the first request', async () => {
      await using running = await startApp()
      const { page, faults, close } = await watchedPage(browser, look, running.url)
      await page.goto(`${running.url}/_profiler/status`)
      await page.getByText('0 of 10,000').waitFor()
      assert.doesNotMatch(await page.locator('main').innerText(), /NaN|undefined|null|Infinity/)
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
      assert.deepEqual(faults, [])
      await close()
    })

    it('says that the store cannot be used', async () => {
      // A file is where the directory of the store would have to be.
      const store = join(import.meta.dirname, 'status-page.test.ts', 'store.db')
      await using running = await startApp({ env: { APP_STORE: `sqlite:${store}` } })
      const { page, faults, close } = await watchedPage(browser, look, running.url)
      await page.goto(`${running.url}/_profiler/status`)
      await page.getByText('Storage is off').waitFor()
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
      assert.deepEqual(faults, [])
      await close()
    })
  })
}
