// The page of queries in a browser: it fits, can be read by everybody, and a click opens the slowest run where it is shown.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { observeSqlite } from '../../src/capture.ts'
import { json, RouteCollection } from '../../src/index.ts'
import { assertAccessible, assertFitsEveryWidth, closePages, everyLook, openPage } from '../support/browser.ts'
import { startApp } from '../support/running-app.ts'
import { forAll } from '../support/for-all.ts'

after(closePages)
const database = observeSqlite(new DatabaseSync(':memory:'))
const routes = new RouteCollection()
routes.get('items', '/items', () => {
  for (let id = 0; id < 5; id += 1) database.prepare('SELECT ? AS id').get(id)
  return json(database.prepare('SELECT 1 AS a_column_with_a_long_name, 2 AS another_one_that_is_longer').get() ?? {})
})
const app = await forAll(startApp({ routes }))
for (let count = 0; count < 3; count += 1) await app.send({ target: '/items' })

describe('the page of queries', () => {
  it('opens the slowest run of a query at the query, in every look', async (test) => {
    for (const look of everyLook) {
      const page = await openPage(test, look, app.url)
      await page.goto(`${app.url}/_profiler/queries?sort=count`)
      await assertFitsEveryWidth(page)
      await assertAccessible(page)
      const row = page.locator('tbody tr').first()
      assert.match(await row.innerText(), /SELECT \? AS id[^]*15[^]*3 of 3/)
      await row.locator('a[href*="#query-"]').click()
      await page.locator('.query:target').getByText('SELECT ? AS id').waitFor()
      await page.goBack()
      await page.getByRole('button', { name: 'Explain SELECT ? AS id' }).click()
      await page.getByText('SCAN CONSTANT ROW').waitFor()
    }
  })

  it('is sorted and narrowed by its links, without empty parameters in the address', async (test) => {
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, app.url)
    await page.goto(`${app.url}/_profiler/queries`)
    await page.getByRole('link', { name: 'Count' }).click()
    await page.getByRole('link', { name: 'Last hour' }).click()
    await page.getByRole('searchbox').fill('long_name')
    await page.keyboard.press('Enter')
    await page.waitForURL(/search=long_name/)
    assert.doesNotMatch(page.url(), /=(?:&|$)/)
    assert.equal(await page.locator('tbody tr').count(), 1)
  })
})
