// Ten errors, each as a person may come to see it: light, dark, on a phone, on paper. Pictures are written where
// FANLIGHT_SCREENSHOTS names a folder.

import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import {
  closePages,
  assertAccessible,
  assertNoSidewaysScrolling,
  openBrowser,
  pictureFolder as folder,
  watchedPage,
  type WatchedPage,
} from '../support/browser.ts'
import { faultyRoutes, faultyTargets } from '../support/faulty-shop.ts'
import { startApp, type RunningApp } from '../support/running-app.ts'

const shapes = ['light', 'dark', 'narrow', 'print'] as const
type Shape = (typeof shapes)[number]

describe('the error page in four shapes', () => {
  let browser: Browser
  let running: RunningApp
  let watched: WatchedPage

  before(async () => {
    running = await startApp({ routes: faultyRoutes() })
    browser = await openBrowser()
    watched = await watchedPage(browser, { width: 1400, colorScheme: 'light' }, running.url)
    if (folder !== undefined) mkdirSync(folder, { recursive: true })
  })
  after(async () => {
    await closePages()
    await running[Symbol.asyncDispose]()
  })

  for (const [name, target] of faultyTargets) {
    it(`${name}: no sideways scrolling, nothing that axe minds, no fault in the console`, async () => {
      const { page, faults } = watched
      await page.goto(`${running.url}${target}`)
      await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true')
      for (const shape of shapes) {
        await take(page, shape)
        await assertNoSidewaysScrolling(page)
        // Names and roles are the same in every shape, colours on paper and on a phone too.
        if (shape === 'light') await assertAccessible(page)
        if (shape === 'dark') await assertAccessible(page, ['color-contrast'])
        if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}-${shape}.png`), fullPage: true })
      }
      assert.deepEqual(faults, [])
    })
  }

  it('leaves out on paper what is for the screen only', async () => {
    const { page } = watched
    await page.goto(`${running.url}/log`)
    await take(page, 'print')
    assert.equal(await page.getByRole('button').filter({ visible: true }).count(), 0)
    assert.equal(await page.getByText('Line 50 of the warehouse.').first().isVisible(), true)
  })
})

async function take(page: Page, shape: Shape): Promise<void> {
  await page.setViewportSize({ width: shape === 'narrow' ? 360 : shape === 'print' ? 800 : 1400, height: 900 })
  await page.emulateMedia({
    media: shape === 'print' ? 'print' : 'screen',
    colorScheme: shape === 'dark' ? 'dark' : 'light',
  })
}
