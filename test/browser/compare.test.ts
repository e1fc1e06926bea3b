import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createNonce } from '../../src/base/html/document.ts'
import { html } from '../../src/base/html/html.ts'
import { compareNumbers } from '../../src/analysis/compare/compare.ts'
import { numbersOf } from '../../src/analysis/compare/profile-numbers.ts'
import { compareStyles, compareView } from '../../src/analysis/pages/compare/compare-page.ts'
import { renderFrame } from '../../src/pages/layout.ts'
import { assertAccessible, assertNoSidewaysScrolling, everyLook, openPage } from '../support/browser.ts'
import { hostileProfile, hostileText } from '../support/hostile-profile.ts'
import { makeProfile } from '../support/profiles.ts'
import { forAll } from '../support/for-all.ts'
import { shopRoutes, startApp } from '../support/running-app.ts'
import { branch } from '../profiler/ran/parted.ts'
import { json } from '../../src/index.ts'

const routes = shopRoutes()
routes.get('cart', '/cart/{side}', ({ request: { params } }) => {
  const user = { name: 'Ada Lovelace', ...(params.side === 'A' && { vip: true }) }
  const sum = branch({ side: 'A', user, prices: [] })
  return json(sum)
})
const running = await forAll(startApp({ routes }))
for (const target of ['/products/tea', '/products/coffee', '/products/cocoa', '/error']) await running.send({ target })

for (const look of everyLook) {
  describe(`the comparison, ${look.colorScheme}, ${look.width} px`, () => {
    it('is reached from the list and from a profile, fits its window and is accessible', async (test) => {
      const page = await openPage(test, look, running.url)
      await page.goto(`${running.url}/_profiler/`)
      const boxes = page.getByRole('checkbox', { name: 'Compare' })
      await boxes.nth(0).check()
      await boxes.nth(1).check()
      await page.getByRole('button', { name: 'Compare selected' }).click()
      await page.getByRole('heading', { name: 'Compare profiles' }).waitFor()
      assert.match(page.url(), /\/compare\?a=[0-9a-z]{12}&b=[0-9a-z]{12}$/)
      await page.getByRole('heading', { name: 'Time by span' }).waitFor()
      await page.getByText('equal', { exact: false }).first().click()
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)

      await page.goto(`${running.url}/_profiler/?route=product`)
      await page.getByRole('link', { name: '/products/cocoa' }).click()
      await page.getByRole('link', { name: 'Compare', exact: true }).click()
      await page.getByRole('link', { name: /median/ }).click()
      await page.getByText('the median of 2 others of GET on the route product').waitFor()
      await assertNoSidewaysScrolling(page)
    })

    it('runs both again and begins with where the code parts, and the panel follows a value by its keys', async (test) => {
      const page = await openPage(test, look, running.url)
      const sent = async (side: string): Promise<string> =>
        (await running.send({ target: `/cart/${side}` })).header('x-debug-token') ?? ''
      const before = `${running.url}/_profiler/compare?a=${await sent('A')}&b=${await sent('B')}`
      await page.goto(before)
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
      // V8 may pass a function by that another thread optimizes: then the page says so, and nothing of what came after it.
      for (let tries = 0; tries < 4 && (await page.getByText('ran only in the second.').count()) === 0; tries += 1) {
        await page.goto(before)
        await page.getByRole('button', { name: 'Run both again with values' }).click()
        await page.getByRole('heading', { name: 'Where they part' }).waitFor()
      }
      assert.notEqual(page.url(), before)
      const a = new URL(page.url()).searchParams.get('a')
      const said = await page.getByText('ran only in the second.').textContent()
      assert.match(said ?? '', /parted\.ts:13\s+sum \*= 0\.9 ran only in the second\./)
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
      await page.goto(`${running.url}/_profiler/${a}?panel=code`)
      const call = page.locator('details.tree-card').filter({ hasText: 'branch' }).last()
      await call.locator('> summary').click()
      const value = call.getByRole('button', { name: /^\{ name: "Ada Lovelace"/ }).first()
      await value.focus()
      await page.keyboard.press('Enter')
      assert.ok((await page.locator('.seen[aria-pressed=true]').count()) > 1)
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
      await page.keyboard.press('Escape')
      assert.equal(await page.locator('.seen[aria-pressed=true]').count(), 0)
    })
  })
}

describe('the comparison of hostile and of missing data', () => {
  it('shows text as text, says what was not compared, and fits a narrow window', async (test) => {
    const page = await openPage(test, { width: 360, colorScheme: 'light' }, 'about:')
    const hostile = hostileProfile()
    const notes = [{ source: 'collector database', message: `failed: ${hostileText}` }]
    const other = makeProfile({ data: { time: { odd: true }, notes } })
    const nonce = createNonce()
    const content = compareView(
      {
        state: 'compared',
        a: { kind: 'profile', summary: hostile },
        b: { kind: 'median', route: hostileText, method: hostileText, count: 1 },
        comparison: compareNumbers(numbersOf(hostile), numbersOf(other)),
      },
      { profilerPath: '/_profiler', linkTo: (token) => `/_profiler/${token}` },
    )
    const frame = {
      title: 'Comparison',
      nonce,
      profilerPath: '/_profiler',
      links: [],
      tone: 'neutral',
      menu: null,
    } as const
    await page.setContent(
      String(renderFrame({ ...frame, headline: html`<h1>Comparison</h1>`, content, styles: [compareStyles] })),
    )
    await page.getByText('Not compared. B does not have it: another version wrote it.').waitFor()
    await page.getByText('Not compared. B does not have it: its collector failed').waitFor()
    assert.equal(await page.locator('main img, main script, main svg').count(), 0)
    await assertNoSidewaysScrolling(page)
  })
})
