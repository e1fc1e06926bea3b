import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openRequests } from '../../src/analysis/questions/open-requests.ts'
import { blockStyles, drawBlocks, wideStyles } from '../../src/pages/draw-blocks.ts'
import { renderFrame } from '../../src/pages/layout.ts'
import { createNonce } from '../../src/base/html/document.ts'
import { html } from '../../src/base/html/html.ts'
import {
  assertAccessible,
  assertFitsEveryWidth,
  assertNoSidewaysScrolling,
  everyLook,
  looks,
  openPage,
} from '../support/browser.ts'
import { hostileText } from '../support/hostile-profile.ts'
import { until } from '../support/until.ts'
import { startStuckApp } from '../support/stuck-app.ts'
import { forAll } from '../support/for-all.ts'

const stuck = await forAll(startStuckApp())

for (const look of everyLook) {
  it(`the page of open requests, ${look.colorScheme}, ${look.width} px: renews itself as requests come, can be paused, fits its window and is accessible`, async (test) => {
    const page = await openPage(test, look, stuck.running.url)
    stuck.begin('/silent')
    // It is in the bar while there is one.
    await until(async () => {
      await page.goto(`${stuck.running.url}/_profiler/`)
      return (await page.locator('.more a', { hasText: 'Open requests' }).count()) > 0
    })
    await page.locator('.more > summary').click()
    await page.getByRole('link', { name: 'Open requests' }).click()
    await page.getByRole('heading', { name: 'Open requests' }).waitFor()
    const path = `/never/${look.colorScheme}-${look.width}`
    stuck.begin(`${path}?a-rather-long-query=${'x'.repeat(200)}`)
    await page.getByRole('link', { name: path }).waitFor()
    await page.getByText('Waiting for GET 127.0.0.1').first().waitFor()
    await assertNoSidewaysScrolling(page)
    if (look === looks[0]) await assertFitsEveryWidth(page)
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByRole('button', { name: 'Resume', exact: true }).waitFor()
    await page.getByRole('link', { name: path }).click()
    await page.getByText('This request has not ended yet').waitFor()
  })
}

it('the list with a request that had no response: says so in full', async (test) => {
  const page = await openPage(test, { width: 1400, colorScheme: 'light' }, stuck.running.url)
  const shows = async (path: string, text: string): Promise<boolean> =>
    (await stuck.running.send({ target: `/_profiler/${path}` })).body.includes(text)
  const client = stuck.begin('/held')
  await until(async () => shows('open-requests', '/held'))
  client.destroy()
  await until(async () => shows('open-requests', 'client gone'))
  stuck.release()
  await until(async () => shows('', 'no response'))
  await page.goto(`${stuck.running.url}/_profiler/`)
  for (const { width } of everyLook) {
    await page.setViewportSize({ width, height: 900 })
    const cut = await page
      .locator('.profiles tbody td:not(.url)')
      .evaluateAll((cells) =>
        cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent),
      )
    assert.deepEqual(cut, [], `${width} px`)
  }
})

it('the page of open requests with hostile data: shows text as text, and says what was cut', async (test) => {
  const page = await openPage(test, { width: 360, colorScheme: 'light' }, 'about:')
  const nonce = createNonce()
  const request = {
    token: 'abcdefghij',
    method: hostileText,
    url: hostileText.repeat(20),
    route: hostileText,
    definedAt: hostileText,
    ip: hostileText,
    startedAt: 0,
    ageMs: 90_000_000,
    stands: { place: 'handler', name: hostileText, forMs: 1 },
    running: { name: hostileText, category: 'http', detail: hostileText.repeat(20), startMs: 0, durationMs: null },
    runningCount: 12,
    lastCall: null,
    lastLog: hostileText.repeat(20),
    connection: { protocol: 'websocket', sent: 3, received: 5, lastMs: 1200 },
    isClientGone: true,
    droppedSpans: 3,
  } as const
  const found = { requests: [request], count: 1912, processId: 1, takenAt: 0, missing: undefined }
  const asked = { values: {}, filter: {} }
  const content = drawBlocks(openRequests.draw(found, asked), 'entry', { linkTo: (token) => `/_profiler/${token}` })
  const markup = renderFrame({
    title: 'Open requests',
    nonce,
    profilerPath: '/_profiler',
    links: [],
    tone: 'neutral',
    headline: html`<h1>Open requests</h1>`,
    menu: null,
    content,
    styles: [blockStyles, wideStyles],
  })
  await page.setContent(String(markup))
  await page.getByText('The oldest 1 of 1912 are shown.').waitFor()
  assert.equal(await page.locator('img, main script, main svg').count(), 0)
  await assertNoSidewaysScrolling(page)
  await assertAccessible(page)
})
