import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertAccessible, assertNoSidewaysScrolling, everyLook, openPage } from '../support/browser.ts'
import { forAll } from '../support/for-all.ts'
import { startApp } from '../support/running-app.ts'

const running = await forAll(startApp())

for (const look of everyLook) {
  it(`the page of the route table, ${look.colorScheme}, ${look.width} px: is found from the list, tries a request, filters, fits its window and is accessible`, async (test) => {
    const page = await openPage(test, look, running.url)
    await page.goto(`${running.url}/_profiler/`)
    await page.getByRole('link', { name: 'Routes' }).click()
    await page.getByRole('textbox', { name: 'Method' }).fill('POST')
    await page.getByRole('textbox', { name: 'URL or path' }).fill('/products/tea')
    await page.getByRole('button', { name: 'Try' }).click()
    await page.getByText('is not allowed. Use GET, HEAD.').waitFor()
    await page.getByText('routes, closest first').waitFor()
    await assertNoSidewaysScrolling(page)
    await assertAccessible(page)

    await page.getByRole('textbox', { name: 'Filter routes' }).fill('basket')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByText('1 of 7 routes').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'URL or path' }).inputValue(), '/products/tea')
    await assertAccessible(page)
  })
}
