// The live list and the page of runs in a real browser.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAccessible, assertNoSidewaysScrolling, openBrowser, everyLook, openPage } from '../support/browser.ts'
import { json } from '../../src/index.ts'
import { shopRoutes, startApp } from '../support/running-app.ts'
import { forAll } from '../support/for-all.ts'

const routes = shopRoutes().get('logged', '/logged', ({ log }) => {
  for (let line = 0; line < 30; line += 1) log.info('Line {line}.', { line })
  log.warn('Words to be Found in the log, of {id}.', { id: 7 })
  return json('logged')
})
const wide = { width: 1400, colorScheme: 'light' } as const
const browser = await openBrowser()
const running = await forAll(startApp({ routes }))
await running.send({ target: '/logged' })
await running.send({ target: '/error' })

for (const look of everyLook) {
  describe(`the live list, ${look.colorScheme}, ${look.width} px`, () => {
    it('shows new profiles on top, holds them back while a row is ticked, and can be paused by the keyboard', async (test) => {
      const page = await openPage(test, look, running.url)
      await page.goto(`${running.url}/_profiler/`)
      await page.getByText('Live', { exact: true }).waitFor()
      const rows = page.locator('.profiles tbody tr')
      // New for each check: the rows of earlier ones are in the list.
      const own = `${look.colorScheme}-${look.width}`
      await running.send({ target: `/products?first-${own}` })
      await rows
        .filter({ hasText: `first-${own}` })
        .first()
        .waitFor()
      assert.match(await rows.first().locator('time').innerText(), /^(?:now|\d+ s)$/)

      await rows.first().getByRole('checkbox').check()
      await running.send({ target: `/products?second-${own}` })
      const show = page.getByRole('button', { name: 'Show new' })
      await show.waitFor()
      const before = await rows.first().innerText()
      assert.ok(before.includes(`first-${own}`), before)
      assert.ok(await page.getByRole('button', { name: 'Compare selected' }).isDisabled())
      const counted = page.locator('.list-tools')
      const held = await counted.innerText()
      await show.click()
      await rows
        .filter({ hasText: `second-${own}` })
        .first()
        .waitFor()
      const shown = Number(/^(\d+) profiles/.exec(await counted.innerText())?.[1])
      assert.equal(shown, Number(/^(\d+) profiles/.exec(held)?.[1]) + 1)
      assert.ok((await rows.first().innerText()).includes(`second-${own}`))
      await rows.first().getByRole('checkbox').check()
      assert.ok(await page.getByRole('button', { name: 'Compare selected' }).isEnabled())
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)

      while ((await page.locator('.profiles :checked').count()) > 0)
        await page.locator('.profiles :checked').first().uncheck()
      await page.keyboard.press('p')
      await page.getByText('Paused', { exact: true }).waitFor()
      await running.send({ target: `/products?third-${own}` })
      await page.keyboard.press('p')
      await page.locator('.brand').first().click({ trial: true })
      await page.evaluate('document.activeElement?.blur()')
      await rows
        .filter({ hasText: `third-${own}` })
        .first()
        .waitFor()
      await page.getByText('Live', { exact: true }).waitFor()
    })

    it('says that recording is paused in place of being live, and resumes', async (test) => {
      const page = await openPage(test, look, running.url)
      await page.goto(`${running.url}/_profiler/status`)
      await page.getByRole('button', { name: 'Pause recording' }).click()
      await page.goto(`${running.url}/_profiler/`)
      const bar = page.locator('.live-bar')
      assert.match(await bar.innerText(), /^Paused\s+Refresh\s+Resume$/)
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
      await bar.getByRole('button', { name: 'Resume' }).click()
      await page.goto(`${running.url}/_profiler/`)
      await page.getByText('Live', { exact: true }).waitFor()
    })

    it('leaves empty fields out of the address, with and without a script', async (test) => {
      const page = await openPage(test, look, running.url)
      await page.goto(`${running.url}/_profiler/?limit=100`)
      if (look.width < 700) await page.getByText('Filters', { exact: true }).click()
      await page.getByLabel('Status').fill('5xx')
      await page.getByLabel('Status').press('Enter')
      await page.waitForURL(/\/_profiler\/\?(?:status=5xx&limit=100|limit=100&status=5xx)$/)
      const { status, header } = await running.send({ target: '/_profiler/runs?status=&by=version&url=' })
      assert.deepEqual([status, header('location')], [302, '/_profiler/runs?by=version'])
    })

    it('keeps the bar in its place from page to page', async (test) => {
      const page = await openPage(test, look, running.url)
      const places = new Set<number | undefined>()
      for (const path of ['', 'runs', 'errors', 'status', 'routes', 'latest']) {
        await page.goto(`${running.url}/_profiler/${path}`)
        places.add((await page.locator('.brand').first().boundingBox())?.x)
      }
      assert.equal(places.size, 1, [...places].join())
    })

    it('opens a palette that leads to errors, routes and pages', async (test) => {
      const page = await openPage(test, look, running.url)
      await page.goto(`${running.url}/_profiler/status`)
      await page.keyboard.press('Control+k')
      const box = page.getByRole('combobox', { name: 'Go to' })
      await page.getByRole('option', { name: /^Runs/ }).waitFor()
      await assertAccessible(page)
      await box.fill('outer trouble')
      await page.getByRole('option').first().waitFor()
      await box.press('Enter')
      await page.waitForURL(/\/errors\?id=[0-9a-f]{12}$/)
      await page.getByText('outer trouble').first().waitFor()
      await page.keyboard.press('Control+k')
      await box.fill('runs page')
      await box.press('Enter')
      await page.waitForURL('**/_profiler/runs')
      await page.keyboard.press('Meta+k')
      await page.getByRole('option', { name: /^products route/ }).waitFor()
      await page.keyboard.press('Escape')
      assert.equal(await box.count(), 0)
      await page.keyboard.press('Control+k')
      await box.fill('no such thing')
      await page.getByText('Enter searches all profiles').waitFor()
      await box.press('Enter')
      await page.waitForURL('**/_profiler/?search=no+such+thing')
    })
  })

  it(`the page of runs, ${look.colorScheme}, ${look.width} px: leads from a group to its profiles, fits its window and is accessible`, async (test) => {
    const page = await openPage(test, look, running.url)
    await page.goto(`${running.url}/_profiler/`)
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByRole('link', { name: 'By version' }).click()
    await page.getByRole('link', { name: 'By route' }).click()
    await assertNoSidewaysScrolling(page)
    await assertAccessible(page)
    await page.getByRole('link', { name: 'products', exact: true }).click()
    await page.locator('.profiles tbody tr').first().waitFor()
    assert.equal(new URL(page.url()).searchParams.get('route'), 'products')
  })
}

describe('the live list, by keys and words', () => {
  it('moves by j and k, opens by Enter, and goes on to the next profile and back by keys', async (test) => {
    const page = await openPage(test, wide, running.url)
    await page.goto(`${running.url}/_profiler/?search=trouble`)
    await page.locator('.profiles tbody tr').first().waitFor()
    assert.match(await page.locator('.list-tools').innerText(), /^1 profile\n/)
    await page.keyboard.press('/')
    assert.equal(await page.evaluate('document.activeElement?.id'), 'search')
    await page.goto(`${running.url}/_profiler/?limit=100`)
    const tokens = await page.locator('.profiles tbody tr').evaluateAll((rows) => rows.map(({ id }) => id))
    for (const key of ['j', 'j', 'k', 'j']) await page.keyboard.press(key)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/_profiler/${tokens[1]}?list=limit%3D100`)
    await page.keyboard.press(']')
    await page.waitForURL(`**/_profiler/${tokens[2]}?list=limit%3D100`)
    await page.keyboard.press('[')
    await page.waitForURL(`**/_profiler/${tokens[1]}?list=limit%3D100`)
    await assertNoSidewaysScrolling(page)
    await page.getByRole('link', { name: 'Requests', exact: true }).click()
    await page.waitForURL(`**/_profiler/?limit=100#${tokens[1]}`)
  })

  it('selects rows by x and Space, and compares them by c', async (test) => {
    await running.send({ target: '/products' })
    const page = await openPage(test, wide, running.url)
    await page.goto(`${running.url}/_profiler/?limit=100`)
    for (const key of ['j', 'x', 'j', ' ']) await page.keyboard.press(key)
    assert.equal(await page.locator('.profiles :checked').count(), 2)
    assert.equal(await page.evaluate('scrollY'), 0)
    await page.keyboard.press('c')
    await page.waitForURL('**/_profiler/compare?a=*&b=*')
  })

  it('carries the words of a search to the panel that has them, and marks them there', async (test) => {
    const page = await openPage(test, wide, running.url)
    const marks = async (): Promise<unknown> => page.evaluate("CSS.highlights.get('found')?.size")
    await page.goto(`${running.url}/_profiler/?search=${encodeURIComponent('found in the log')}`)
    await page.locator('.profiles .open').first().click()
    assert.equal(await page.locator('input[name=find]').inputValue(), 'found in the log')
    assert.ok(Number(await marks()) > 0)
    await assertAccessible(page)
  })
})

it('the list in a window of 1400 × 900: shows 25 rows of 28 to 32 px at once', async () => {
  for (let count = 0; count < 25; count++) await running.send({ target: `/products?row-${count}` })
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
  await page.goto(`${running.url}/_profiler/`)
  const boxes = await page
    .locator('.profiles tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => row.getBoundingClientRect()).map(({ height, bottom }) => ({ height, bottom })),
    )
  assert.equal(boxes.filter(({ bottom }) => bottom <= 900).length, 25)
  assert.ok(boxes.every(({ height }) => height >= 28 && height <= 32))
  await page.close()
})

it('the live list without a script: says so and can be read again by a link', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${running.url}/_profiler/`)
  await page.getByText('Live updates need JavaScript').waitFor()
  await running.send({ target: '/products?third' })
  await page.getByRole('link', { name: 'Refresh' }).click()
  await page.locator('.profiles tbody tr', { hasText: '/products?third' }).first().waitFor()
  await context.close()
})
