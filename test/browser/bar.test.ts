// The bar of the profiler: the same on every page, and what is under More, with the mouse, with keys and without a script.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAccessible, everyLook, openBrowser, openPage } from '../support/browser.ts'
import { forAll } from '../support/for-all.ts'
import { startApp } from '../support/running-app.ts'

const app = await forAll(startApp())
await app.send({ target: '/products' })

for (const look of everyLook) {
  describe(`the bar, ${look.colorScheme}, ${look.width} px`, () => {
    it('is at the same place and as high on every page', async (test) => {
      const page = await openPage(test, look, app.url)
      const places = new Set<string>()
      for (const path of ['', 'errors', 'runs', 'routes', 'status', 'help', 'latest', 'aaaaaaaaaaaa']) {
        await page.goto(`${app.url}/_profiler/${path}`)
        const boxes = await page.locator('.topbar, .pages > *').evaluateAll((all) =>
          all.map((one) => {
            const { x, y, width, height } = one.getBoundingClientRect()
            return [x, y, width, height]
          }),
        )
        assert.ok(
          boxes.every(([x = 0, , width = 0]) => x >= 0 && x + width <= look.width),
          path,
        )
        places.add(JSON.stringify(boxes))
      }
      assert.equal(places.size, 1)
    })

    it('opens More by a click and by a key, and closes it as a menu', async (test) => {
      const page = await openPage(test, look, app.url)
      await page.goto(`${app.url}/_profiler/aaaaaaaaaaaa`)
      const [summary, help] = [page.locator('.more > summary'), page.getByRole('link', { name: 'Help' })]
      await summary.click()
      const { x = -1, width = 0 } = (await page.locator('.more > div').boundingBox()) ?? {}
      assert.ok(x >= 0 && x + width <= look.width)
      await assertAccessible(page)
      await page.locator('main').click({ position: { x: 2, y: 2 } })
      await help.waitFor({ state: 'hidden' })
      await summary.press('Enter')
      await help.focus()
      await page.keyboard.press('Escape')
      await help.waitFor({ state: 'hidden' })
      assert.ok(await summary.evaluate((element) => element.matches(':focus')))
      await summary.press('Enter')
      await help.focus()
      await help.press('Enter')
      await page.waitForURL('**/_profiler/help')
    })
  })
}

it('the bar: pauses recording in one click, and leads back to the page', async (test) => {
  const page = await openPage(test, { width: 1400, colorScheme: 'light' }, app.url)
  await page.goto(`${app.url}/_profiler/?status=404`)
  await page.getByRole('button', { name: 'Pause recording' }).click()
  await page.getByRole('button', { name: 'Resume recording' }).click()
  await page.getByRole('button', { name: 'Pause recording' }).waitFor()
  assert.equal(page.url(), `${app.url}/_profiler/?status=404`)
})

it('the bar without a script: opens More, and pauses recording', async (test) => {
  const context = await (await openBrowser()).newContext({ javaScriptEnabled: false })
  test.after(async () => context.close())
  const page = await context.newPage()
  await page.goto(`${app.url}/_profiler/routes`)
  await page.getByRole('button', { name: 'Pause recording' }).click()
  await page.waitForURL('**/_profiler/')
  await page.getByRole('button', { name: 'Resume recording' }).click()
  await page.getByRole('button', { name: 'Pause recording' }).waitFor()
  await page.locator('.more > summary').click()
  await page.getByRole('link', { name: 'Status' }).click()
  await page.waitForURL('**/_profiler/status')
})
