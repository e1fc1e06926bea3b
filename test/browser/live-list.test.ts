// The live list and the page of groups in a real browser.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { assertAccessible, assertNoSidewaysScrolling, launchBrowser, looks, watchedPage } from '../support/browser.ts'
import { startApp, type RunningApp } from '../support/running-app.ts'

let browser: Browser
let running: RunningApp
before(async () => {
  ;[browser, running] = await Promise.all([launchBrowser(), startApp()])
  await running.send({ target: '/error' })
})
after(async () => {
  await browser.close()
  await running[Symbol.asyncDispose]()
})

for (const look of looks) {
  describe(`the live list, ${look.colorScheme}, ${look.width} px`, () => {
    it('shows new profiles on top, holds them back while paused, and goes on by the keyboard', async () => {
      const { page, faults, close } = await watchedPage(browser, look, running.url)
      await page.goto(`${running.url}/_profiler/`)
      await page.getByRole('link', { name: 'Watch live' }).click()
      await page.getByText('Live: new profiles appear here.').waitFor()
      // Of its own for each look: the rows of those before it are in the list.
      const own = `${look.colorScheme}-${look.width}`
      await running.send({ target: `/products?first-${own}` })
      await page
        .locator('.profiles tbody tr', { hasText: `first-${own}` })
        .first()
        .waitFor()

      await page.getByRole('button', { name: 'Pause' }).click()
      await running.send({ target: `/products?second-${own}` })
      await page.getByText('Paused, 1 waiting.').waitFor()
      const before = await page.locator('.profiles tbody tr').first().innerText()
      assert.ok(before.includes(`first-${own}`), before)
      await page.getByRole('button', { name: 'Show 1 and resume' }).blur()
      await page.keyboard.press('p')
      await page.getByText('Live: new profiles appear here.').waitFor()
      assert.ok((await page.locator('.profiles tbody tr').first().innerText()).includes(`second-${own}`))
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)

      await page.getByRole('link', { name: 'Stop' }).click()
      await page.getByRole('link', { name: 'Watch live' }).waitFor()
      assert.deepEqual(faults, [])
      await close()
    })
  })

  describe(`the page of groups, ${look.colorScheme}, ${look.width} px`, () => {
    it('leads from a group to its profiles, fits its window and is accessible', async () => {
      const { page, faults, close } = await watchedPage(browser, look, running.url)
      await page.goto(`${running.url}/_profiler/`)
      await page.getByRole('link', { name: 'Groups' }).click()
      await page.getByRole('link', { name: 'By error' }).click()
      await page.getByText('1 group of all').waitFor()
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
      await page.getByRole('link', { name: /^Error ← string in / }).click()
      await page.locator('.profiles tbody tr').first().waitFor()
      assert.equal(await page.locator('.profiles tbody tr').count(), 1)
      assert.deepEqual(faults, [])
      await close()
    })
  })
}

describe('the live list without a script', () => {
  it('says so and can be read again by a link', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${running.url}/_profiler/?live=1`)
    await page.getByText('Live updates need JavaScript').waitFor()
    await running.send({ target: '/products?third' })
    await page.getByRole('link', { name: 'Refresh' }).click()
    await page.locator('.profiles tbody tr', { hasText: '/products?third' }).first().waitFor()
    await context.close()
  })
})
