import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  closePages,
  assertAccessible,
  assertNoSidewaysScrolling,
  openBrowser,
  everyLook,
  pictureFolder,
  openPage,
  watchedPage,
  type WatchedPage,
} from '../support/browser.ts'
import { json } from '../../src/index.ts'
import { forAll } from '../support/for-all.ts'
import { shopRoutes, startApp } from '../support/running-app.ts'

const routes = shopRoutes()
routes.get('broken', '/broken', () => {
  const sent = '{"order": 47'
  try {
    return json(JSON.parse(sent))
  } catch (cause) {
    throw new Error('The order cannot be shown', { cause })
  }
})
after(closePages)
const browser = await openBrowser()
const running = await forAll(startApp({ routes }))

async function picture(page: WatchedPage['page'], name: string): Promise<void> {
  if (pictureFolder !== undefined) await page.screenshot({ path: `${pictureFolder}/${name}.png`, fullPage: true })
}

for (const look of everyLook) {
  describe(`the 404 page and the profiler, ${look.colorScheme}, ${look.width} px`, () => {
    it('leads from the page to the exception panel, to the sub-request and back', async (test) => {
      const page = await openPage(test, look, running.url)
      const message = `No route found for "GET ${running.url}/nope"`
      const answer = await page.goto(`${running.url}/nope?x=1`)
      assert.equal(answer?.status(), 404)
      assert.equal(await page.title(), 'Error 404 Not Found')
      assert.ok((await page.textContent('body'))?.includes(message))

      const token = answer.headers()['x-debug-token'] ?? ''
      await page.locator(`a[href*="/_profiler/${token}"]`).first().click()
      await page.waitForURL(`**/_profiler/${token}**`)
      assert.ok((await page.textContent('main'))?.includes(message))

      const child = page.locator('a[href^="/_profiler/"]', { hasText: /^[0-9a-z]{10,16}$/ })
      const links = await child.evaluateAll((elements) => elements.map((element) => element.getAttribute('href') ?? ''))
      const childLink = links.find((href) => !href.includes(token) && /\/_profiler\/[0-9a-z]{10,16}/.test(href))
      assert.ok(childLink !== undefined, 'the profile links to its sub-request')
      await page.goto(running.url + childLink)
      await page.locator(`a[href*="/_profiler/${token}"]`).first().click()
      await page.waitForURL(`**/_profiler/${token}**`)
    })

    it('runs the request again for the variables of its frames', async (test) => {
      const page = await openPage(test, look, running.url)
      await page.goto(`${running.url}/broken?x=1`)
      await assertNoSidewaysScrolling(page)
      await picture(page, `run-again-${look.colorScheme}-${look.width}`)
      await page.getByRole('button', { name: 'Run again with values' }).click()
      await page.waitForURL('**/_profiler/*?panel=exception**')
      const variables = page.getByLabel('Variables when the line began').first()
      assert.match((await variables.textContent()) ?? '', /sent\s+"\{\\"order\\": 47"/)
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
      await picture(page, `variables-${look.colorScheme}-${look.width}`)
    })

    describe('each page', () => {
      let watched: WatchedPage
      before(async () => {
        watched = await watchedPage(browser, look, running.url)
      })
      after(() => watched.close())

      for (const [name, target] of [
        ['the 404 page', '/nope?x=1'],
        ['the page of a chain of errors', '/error'],
      ] as const) {
        it(`${name} fits its window, loads nothing from elsewhere, and axe finds nothing serious`, async () => {
          const { page, faults } = watched
          await running.send({ target: '/error' })
          await page.goto(running.url + target)
          await assertNoSidewaysScrolling(page)
          await assertAccessible(page)
          assert.deepEqual(faults.splice(0), [])
        })
      }
    })
  })
}

it('the exception panel: shows the same steps, source, hint and places to change as the page, and copies the profile', async (test) => {
  const page = await openPage(test, { width: 1400, colorScheme: 'light' }, running.url)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: running.url })
  await page.goto(`${running.url}/broken`)
  const traceOf = async (): Promise<string> => (await page.locator('.trace').innerText()).replace(/\s+/g, ' ')
  const onPage = await traceOf()
  for (const part of ['CHANGE HERE', 'Invalid JSON at line 1', 'WHERE THE VALUES COME FROM', 'root cause'])
    assert.ok(onPage.includes(part), `${part}: ${onPage}`)
  await page.getByRole('link', { name: 'Open profile' }).click()
  await page.waitForURL('**/_profiler/*?panel=exception**')
  assert.equal(await traceOf(), onPage)
  await page.locator('.copy > summary').click()
  await page.getByRole('button', { name: 'Markdown', exact: true }).click()
  await page.locator('.copy > summary', { hasText: 'Copied' }).waitFor()
  const copied = String(await page.evaluate('navigator.clipboard.readText()'))
  assert.match(copied, /The order cannot be shown[\s\S]*SyntaxError/)
})

describe('the maintenance page', () => {
  for (const look of everyLook) {
    it(`fits its window and is accessible, ${look.colorScheme}, ${look.width} px`, async (test) => {
      await using closed = await startApp({ env: { APP_LOCK: '1' } })
      const page = await openPage(test, look, closed.url)
      const answer = await page.goto(closed.url)
      assert.equal(answer?.status(), 503)
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
    })
  }
})
