// The page of all lines in a browser: it fits, can be read by everybody, shows new lines by itself, and leads to a line.

import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { json, RouteCollection } from '../../src/index.ts'
import { assertAccessible, assertFitsEveryWidth, closePages, everyLook, openPage } from '../support/browser.ts'
import { startApp } from '../support/running-app.ts'
import { forAll } from '../support/for-all.ts'

after(closePages)
const routes = new RouteCollection()
routes.get('say', '/say/{word}', ({ log, request: { params } }) => {
  log.error('Said {word}, and a-word-that-is-too-long-for-a-narrow-window-'.concat('x'.repeat(80)), params)
  return json({})
})
routes.get('greet', '/greet', ({ log }) => {
  log.error('שלום, world')
  return json({})
})
const app = await forAll(startApp({ routes }))
await app.send({ target: '/say/first' })

it('can be read in every look, and opens the log of the request at the line', async (test) => {
  for (const look of everyLook) {
    const page = await openPage(test, look, app.url)
    await page.goto(`${app.url}/_profiler/logs?search=Said+first`)
    await assertFitsEveryWidth(page)
    await assertAccessible(page)
    await page.locator('tbody a').first().click()
    await page.locator('.log tr:target').getByText('Said first').waitFor()
  }
})

it('shows new lines by itself, keeps what is typed into its filters, and can be paused', async (test) => {
  const page = await openPage(test, { width: 1400, colorScheme: 'light' }, app.url)
  await page.goto(`${app.url}/_profiler/logs?level=error`)
  await page.getByPlaceholder('Method').fill('GE')
  await app.send({ target: '/say/second' })
  await page.locator('tbody').getByText('Said second').waitFor()
  assert.equal(await page.getByPlaceholder('Method').inputValue(), 'GE')
  assert.equal(await page.locator('tbody').getByText('Matched').count(), 0)
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await page.getByRole('button', { name: 'Resume' }).waitFor()
})

it('shows a line that begins from right to left in that order', async (test) => {
  await app.send({ target: '/greet' })
  const page = await openPage(test, { width: 1400, colorScheme: 'light' }, app.url)
  await page.goto(`${app.url}/_profiler/logs?search=world`)
  const [first = 0, last = 0] = await page.getByText('שלום').evaluate((cell) =>
    [0, 10].map((at) => {
      const range = cell.ownerDocument.createRange()
      range.setStart(cell.firstChild ?? cell, at)
      range.setEnd(cell.firstChild ?? cell, at + 1)
      return range.getBoundingClientRect().left
    }),
  )
  assert.ok(first > last, `the first letter is at ${first} px, the last at ${last} px`)
})
