import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { assertAccessible, assertNoSidewaysScrolling, everyLook, openPage } from '../support/browser.ts'
import { startApp } from '../support/running-app.ts'

for (const look of everyLook) {
  describe(`the status page, ${look.colorScheme}, ${look.width} px`, () => {
    it('is found from the list, says what is missing and why, fits its window and is accessible', async (test) => {
      await using running = await startApp({
        env: { APP_RECORD_SECRET: 'a secret of thirty-two characters'.replaceAll(' ', '-') },
        recording: {
          paths: { '/api': 0, [`/${'a-long-path/'.repeat(20)}`]: 0.5 },
          slowMs: false,
        },
      })
      for (const target of ['/api', '/products', '/error']) await running.send({ target })
      const page = await openPage(test, look, running.url)
      await page.goto(`${running.url}/_profiler/`)
      await page.getByText('1 request has no profile: 1 sampled out.').waitFor()
      await assertAccessible(page)
      await page.locator('.more > summary').click()
      await page.locator('.more').getByRole('link', { name: 'Status' }).click()
      await page.getByRole('heading', { name: 'Process' }).waitFor()
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
    })

    it('reads well before the first request', async (test) => {
      await using running = await startApp()
      const page = await openPage(test, look, running.url)
      await page.goto(`${running.url}/_profiler/status`)
      await page.getByText('0 of 10,000').waitFor()
      assert.doesNotMatch(await page.locator('main').innerText(), /NaN|undefined|null|Infinity/)
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
    })

    it('says that the store cannot be used', async (test) => {
      // A file is where the directory of the store would have to be.
      const store = join(import.meta.dirname, 'status-page.test.ts', 'store.db')
      await using running = await startApp({ env: { APP_STORE: `sqlite:${store}` } })
      const page = await openPage(test, look, running.url)
      await page.goto(`${running.url}/_profiler/status`)
      await page.getByText('Storage is off').waitFor()
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
    })
  })
}
