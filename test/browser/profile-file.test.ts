// The page that `profiles export --html` writes, opened from the disk as a person would.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { renderProfileHtml } from '../../src/analysis/pages/export/profile-html.ts'
import { builtInPanels } from '../../src/analysis/pages/panels.ts'
import {
  closePages,
  assertAccessible,
  assertNoSidewaysScrolling,
  openBrowser,
  everyLook,
  looks,
  openPage,
  watchedPage,
} from '../support/browser.ts'
import { hostileProfile } from '../support/hostile-profile.ts'
import { startApp } from '../support/running-app.ts'

const folder = mkdtempSync(join(tmpdir(), 'fanlight-export-'))
let browser: Browser
before(async () => {
  browser = await openBrowser()
  await using running = await startApp()
  const token = (await running.send({ target: '/error?x=1' })).header('x-debug-token') ?? ''
  const profile = await running.profiles.read(token)
  const child = await running.profiles.read(profile?.childTokens[0] ?? '')
  assert.ok(profile !== undefined && child !== undefined)
  writeFileSync(join(folder, 'error.html'), renderProfileHtml([profile, child], builtInPanels))
  writeFileSync(join(folder, 'hostile.html'), renderProfileHtml([hostileProfile()], builtInPanels))
})
after(async () => {
  await closePages()
  rmSync(folder, { recursive: true })
})

describe('renderProfileHtml', () => {
  for (const look of everyLook) {
    it(`opens offline with every panel, ${look.colorScheme}, ${look.width} px`, async (test) => {
      const page = await openPage(test, look, pathToFileURL(folder).href)
      await page.goto(pathToFileURL(join(folder, 'error.html')).href)
      await assertNoSidewaysScrolling(page)
      assert.ok(await page.getByText('outer trouble').first().isVisible())
      const text = (await page.textContent('body')) ?? ''
      for (const part of ['inner trouble', 'Matched route', 'Request / Response', 'cURL'])
        assert.ok(text.includes(part), part)
      await assertAccessible(page)
    })
  }

  it('is saved from the page of a profile, and opens offline', async (test) => {
    await using running = await startApp()
    const token = (await running.send({ target: '/products/tea' })).header('x-debug-token') ?? ''
    for (const look of everyLook) {
      const page = await openPage(test, look, running.url)
      await page.goto(`${running.url}/_profiler/${token}`)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Share' }).click(),
      ])
      assert.equal(download.suggestedFilename(), `profile-${token}.html`)
      const path = join(folder, download.suggestedFilename())
      await download.saveAs(path)
      const offline = await openPage(test, look, pathToFileURL(folder).href)
      await offline.goto(pathToFileURL(path).href)
      await offline.getByText('/products/tea').first().waitFor()
      await page.getByRole('link', { name: 'Other files' }).click()
      await page.getByRole('heading', { name: 'Before you share it' }).waitFor()
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
    }
  })

  it('runs nothing of a hostile profile', async () => {
    const { page, faults, close } = await watchedPage(browser, looks[0]!, pathToFileURL(folder).href)
    page.on('dialog', (dialog) => faults.push(dialog.message()))
    await page.goto(pathToFileURL(join(folder, 'hostile.html')).href)
    assert.equal(await page.locator('[onerror], [onload], [onmouseover], img').count(), 0)
    assert.deepEqual(faults, [])
    await close()
  })
})
