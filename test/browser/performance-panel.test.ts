// The panels of time and of CPU profiles in a real browser, with real requests: one that held the loop, one that waited for it.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAccessible, assertNoSidewaysScrolling, openBrowser, everyLook, openPage } from '../support/browser.ts'
import { sendTogether, startBusyApp } from '../support/busy-app.ts'
import { forAll } from '../support/for-all.ts'

let victim: string
let culprit: string
/** Met nobody: it can be sent again by itself. */
let alone: string
const browser = await openBrowser()
const running = await forAll(startBusyApp({ env: { APP_EDITOR: 'vscode' } }))
;[victim = '', culprit = ''] = await sendTogether(running, [
  '/held-up',
  { path: '/hold-up/80', headers: { 'X-Fanlight-Profile': 'cpu' } },
])
;[alone = ''] = await sendTogether(running, ['/wait/1'])

const panelOf = (token: string, panel: string): string =>
  `${running.url}/_profiler/${token}?panel=${panel}&type=request`

for (const look of everyLook) {
  it(`the performance panels, ${look.colorScheme}, ${look.width} px: fit their window and are accessible`, async (test) => {
    const page = await openPage(test, look, running.url)
    for (const address of [
      panelOf(victim, 'time'),
      panelOf(culprit, 'time'),
      panelOf(culprit, 'cpu'),
      panelOf(victim, 'cpu'),
    ]) {
      await page.goto(address)
      await assertNoSidewaysScrolling(page)
      if (address.includes(culprit)) await assertAccessible(page)
    }
  })
}

const look = { width: 1280, colorScheme: 'light' } as const

describe('the performance panel', () => {
  it('leads from a request that waited to the one that held the loop, and back', async (test) => {
    const page = await openPage(test, look, running.url)
    await page.goto(panelOf(victim, 'time'))
    await page.getByText('Blocked for').waitFor()
    await page
      .getByRole('listitem')
      .filter({ hasText: /of waiting|of this request/ })
      .getByRole('link', { name: culprit })
      .first()
      .click()
    await page.getByText('Held up').waitFor()
    await page
      .getByRole('listitem')
      .filter({ hasText: /of waiting|of this request/ })
      .getByRole('link', { name: victim })
      .first()
      .click()
    await page.getByText('Blocked for').waitFor()
    const lane = page.locator('.lanes').getByRole('link', { name: /GET \/hold-up\/80/ })
    await lane.first().focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/${culprit}?panel=time*`)
  })

  it('has no label over a bar or outside of the table, and no waiting handler in the colour of own code', async (test) => {
    for (const shown of [{ width: 360, colorScheme: 'dark' } as const, look]) {
      const page = await openPage(test, shown, running.url)
      await page.goto(panelOf(alone, 'time'))
      const seen = await page.locator('.timeline').evaluate((table) => {
        const edge = table.getBoundingClientRect().right
        const labels = [...table.querySelectorAll('.lane text')].filter((label) => label.getClientRects().length > 0)
        const faults = labels.filter((label) => {
          const { left, right, top, bottom } = label.getBoundingClientRect()
          const others = label.parentElement?.querySelectorAll('rect, text') ?? []
          const covers = [...others].some((other) => {
            const box = other.getBoundingClientRect()
            const isBeside = box.left >= right || box.right <= left || box.top >= bottom || box.bottom <= top
            return other !== label && box.width > 0 && !isBeside
          })
          return covers || right > edge
        })
        return { labels: labels.length, faults: faults.map(({ textContent }) => textContent) }
      })
      assert.ok(seen.labels >= 4)
      assert.deepEqual(seen.faults, [], `${shown.width} px`)
      const [own, handler] = ['.share-own', '.cat-controller'].map(async (bar) =>
        page.evaluate<string>(`getComputedStyle(document.querySelector('.timeline ${bar} rect')).fill`),
      )
      assert.notEqual(await own, await handler)
    }
  })

  it('looks closer by keyboard, at one span by a click, and at everything again', async (test) => {
    const page = await openPage(test, look, running.url)
    await page.goto(panelOf(victim, 'time'))
    const rows = page.locator('tr[data-from]:not([hidden])')
    const all = await rows.count()
    const heading = page.locator('[data-scale]')
    const again = page.getByRole('button', { name: 'Show all' })
    assert.equal(await again.isVisible(), false)
    await page.locator('[data-timeline]').focus()
    await page.keyboard.press('+')
    assert.match(await heading.innerText(), /^[\d.]+ m?s – /)
    await page.keyboard.press('0')
    assert.match(await heading.innerText(), /^0 – /)
    await page.locator('tr[data-from] .span-bar svg').first().click()
    assert.match(await heading.innerText(), /^[\d.]+ m?s – [\d.]+ m?s/)
    assert.ok((await rows.count()) < all)
    await page.mouse.move(0, 0)
    await page.getByText(/, \d+ rows? hidden$/).waitFor()
    await again.click()
    assert.match(await heading.innerText(), /^0 – /)
    assert.equal(await rows.count(), all)
  })

  it('looks at the part of the time that is dragged over', async (test) => {
    const page = await openPage(test, look, running.url)
    await page.goto(panelOf(victim, 'time'))
    const box = await page.locator('tr[data-from] .span-bar svg').first().boundingBox()
    assert.ok(box !== null)
    // The axis ends before the lane does: words are beside the last bar.
    await page.mouse.move(box.x + box.width * 0.85 * 0.5, box.y + 8)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.85 * 0.75, box.y + 8)
    await page.mouse.up()
    const total = Number(await page.locator('[data-timeline]').getAttribute('data-timeline'))
    const [from = 0, to = 0] = (await page.locator('[data-scale]').innerText()).split(' – ').map(Number.parseFloat)
    assert.ok(Math.abs(from / total - 0.5) < 0.02 && Math.abs(to / total - 0.75) < 0.02, `${from} to ${to} of ${total}`)
  })

  it('is complete without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(panelOf(victim, 'time'))
    assert.equal(await page.locator('[data-look]').isVisible(), false)
    assert.ok(await page.locator('.lanes').isVisible())
    const rows = page.locator('tr[data-kind]:visible')
    const all = await rows.count()
    await page.getByRole('radio', { name: /^handler/ }).check()
    assert.equal(await rows.count(), 1)
    await page.goto(`${panelOf(victim, 'time')}&kind=listener`)
    assert.ok((await rows.count()) < all)
    await page.goto(panelOf(culprit, 'cpu'))
    assert.ok(
      await page
        .getByRole('cell', { name: /holdLoop/ })
        .first()
        .isVisible(),
    )
    await context.close()
  })
})

describe('the flame graph', () => {
  it('looks at one call by a click or the keyboard, and at all of them again', async (test) => {
    const page = await openPage(test, look, running.url)
    await page.goto(panelOf(culprit, 'cpu'))
    const call = page.getByRole('button', { name: /^holdLoop, test\/support\/busy-app.ts/ }).first()
    const before = await call.getAttribute('width')
    await call.focus()
    await page.keyboard.press('Enter')
    assert.equal(await call.getAttribute('width'), '100%')
    await page.keyboard.press('Escape')
    assert.ok(
      Math.abs(Number.parseFloat((await call.getAttribute('width')) ?? '') - Number.parseFloat(before ?? '')) < 0.01,
    )
    await call.click()
    await page.getByRole('button', { name: 'Fit' }).click()
    assert.notEqual(await call.getAttribute('width'), null)
  })

  it('links functions of the application to the editor', async (test) => {
    const page = await openPage(test, look, running.url)
    await page.goto(panelOf(culprit, 'cpu'))
    const link = page
      .getByRole('table', { name: 'Functions by self time' })
      .getByRole('link', { name: /busy-app\.ts:\d+/ })
      .first()
    assert.match((await link.getAttribute('href')) ?? '', /^vscode:\/\/file\//)
  })

  it('is got for a request by sending it again from the page', async (test) => {
    const page = await openPage(test, look, running.url)
    await page.goto(panelOf(alone, 'cpu'))
    await page.getByText('No CPU profile yet').waitFor()
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.waitForURL((address) => /panel=cpu/.test(address.search) && !address.pathname.includes(alone))
    await page.getByText(/on the CPU, \d|too fast for the profile/).waitFor()
  })
})
