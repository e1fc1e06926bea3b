// The panel of statements in a browser, with few and many of them: what is sent too often, and where it leads.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { observeSqlite } from '../../src/capture.ts'
import { json, RouteCollection } from '../../src/index.ts'
import { assertAccessible, assertNoSidewaysScrolling, everyLook, openPage } from '../support/browser.ts'
import { forAll } from '../support/for-all.ts'
import { startApp } from '../support/running-app.ts'

const database = observeSqlite(new DatabaseSync(':memory:'))
const one = database.prepare('SELECT ? AS id, ? AS name')
const routes = new RouteCollection()
routes.get('items', '/items/{count<\\d+>}', ({ request: { params } }) => {
  for (let index = 0; index < Number(params.count); index += 1) one.get(index % 20, 'x')
  return json({})
})
const app = await forAll(startApp({ routes }))

async function panelOf(count: number): Promise<string> {
  const token = (await app.send({ target: `/items/${count}` })).header('x-debug-token') ?? ''
  return `${app.url}/_profiler/${token}?panel=database`
}

describe('the database panel', () => {
  it('has one note for a statement that is sent 50 times, which leads to it, in every look', async (test) => {
    const address = await panelOf(50)
    for (const look of everyLook) {
      const page = await openPage(test, look, app.url)
      await page.goto(address)
      assert.equal(await page.locator('.finding').count(), 1)
      const text = (await page.locator('.finding').innerText()).replace(/\s+/g, ' ')
      assert.match(text, /N\+1: SELECT \? AS id, \? AS name ran 50 times from .* with different values/)
      assert.match(text, /Duplicates: it ran 50 times with only 20 different sets of values/)
      await page.locator('.finding a').click()
      assert.ok(await page.locator('#query-1').isVisible())
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
      assert.ok(await page.getByRole('button', { name: 'Copy the query' }).first().isVisible())
      await page.getByRole('button', { name: 'Explain SELECT ? AS id, ? AS name' }).click()
      await page.getByText('SCAN CONSTANT ROW').waitFor()
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
      await page.getByRole('link', { name: 'Back to the queries' }).click()
      await page.locator('#query-1').waitFor()
    }
  })

  it('shows one statement without a note, and says how many of too many were kept', async (test) => {
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, app.url)
    await page.goto(await panelOf(1))
    assert.equal(await page.locator('.finding').count(), 0)
    const text = await page.locator('#query-1').innerText()
    assert.match(text, /^[\d.]+ ms[^]*test\/browser\/database-panel\.test\.ts:\d+ · \+[\d.]+ ms · 1 row/)
    assert.equal(await page.locator('.runs').count(), 0)
    await page.goto(await panelOf(600))
    assert.match(await page.locator('main').innerText(), /500 of 600 queries recorded/)
    assert.equal(await page.locator('.finding').count(), 1)
  })
})
