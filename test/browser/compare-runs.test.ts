// The comparison of runs in a browser: every look, hostile names of routes, its form and its links.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { openSqliteEngine } from '../../src/profiles/stores/sqlite/open-sqlite-engine.ts'
import {
  assertAccessible,
  assertFitsEveryWidth,
  assertNoSidewaysScrolling,
  everyLook,
  looks,
  openPage,
} from '../support/browser.ts'
import { hostileText } from '../support/hostile-profile.ts'
import { makeProfile } from '../support/profiles.ts'
import { startApp, type RunningApp } from '../support/running-app.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

/** Two starts of an application: of each route the newer one took twice as long. */
async function twoStarts(test: TestContext): Promise<RunningApp> {
  const path = join(makeTemporaryDirectory(test), 'store.db')
  const engine = await openSqliteEngine({ path })
  const newer = Date.now() - 3_600_000
  const profiles = (startedAt: number, durationMs: number) =>
    ['products', hostileText, 'r'.repeat(300)].flatMap((route) =>
      Array.from({ length: 25 }, (_, index) =>
        makeProfile({ route, durationMs, time: startedAt + 1000 + index, data: { config: { startedAt } } }),
      ),
    )
  await engine.profiles.write([...profiles(newer - 3_600_000, 100), ...profiles(newer, 200)])
  await engine.close()
  const app = await startApp({ env: { APP_STORE: `sqlite:${path}` } })
  test.after(() => app[Symbol.asyncDispose]())
  return app
}

describe('the comparison of runs', () => {
  it('fits its window, shows names as text, and is accessible, in every look', async (test) => {
    const app = await twoStarts(test)
    for (const look of everyLook) {
      const page = await openPage(test, look, app.url)
      await page.goto(`${app.url}/_profiler/groups`)
      await page.getByRole('link', { name: 'Compare two runs' }).click()
      await page.getByRole('heading', { name: 'Worse (3)' }).waitFor()
      assert.equal(await page.locator('main img, main script').count(), 0)
      await assertNoSidewaysScrolling(page)
      if (look === looks[0]) await assertFitsEveryWidth(page)
      await assertAccessible(page)
    }
  })

  it('takes times from its form, and leads from a route to the profiles of a side', async (test) => {
    const app = await twoStarts(test)
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, app.url)
    await page.goto(`${app.url}/_profiler/compare-runs`)
    await page.getByText('Other runs and filters').click()
    const [since, baseSince] = [page.getByLabel('After: from (UTC)'), page.getByLabel('Before: from (UTC)')]
    const [newer, older] = [await since.inputValue(), await baseSince.inputValue()]
    // The two sides exchanged.
    await since.fill(older)
    await page.getByLabel('After: to (UTC)').fill(newer)
    await baseSince.fill(newer)
    await page.getByLabel('Before: to (UTC)').fill('')
    await page.getByLabel('Route').fill('products')
    await page.getByRole('button', { name: 'Compare', exact: true }).click()
    await page.getByRole('heading', { name: 'Better (1)' }).waitFor()
    await page.getByRole('row', { name: 'products faster' }).getByRole('link', { name: '20' }).first().click()
    await page.getByRole('heading', { name: 'Profiles' }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('until'), newer)
    // The first five are warm-up: they are not compared, and are in the list.
    assert.equal(await page.locator('table.profiles tbody tr').count(), 25)
  })
})
