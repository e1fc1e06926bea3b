// The comparison of runs in a browser: every look, hostile names of routes, its form and its links.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { openSqliteEngine } from '../../src/stores/sqlite/open-sqlite-engine.ts'
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
      await page.goto(`${app.url}/_profiler/runs?compare=no`)
      await page.getByRole('link', { name: 'With the run before' }).click()
      await page.getByText('3 of 3 routes got worse').waitFor()
      assert.equal(await page.locator('main img, main script').count(), 0)
      await assertNoSidewaysScrolling(page)
      if (look === looks[0]) await assertFitsEveryWidth(page)
      await assertAccessible(page)
    }
  })

  it('takes times from its form, and leads from a route to the profiles of a side', async (test) => {
    const app = await twoStarts(test)
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, app.url)
    const { run, base } = (await (await fetch(`${app.url}/_profiler/runs.json`)).json()) as {
      readonly run: { readonly since: number }
      readonly base: { readonly since: number }
    }
    const [newer, older] = [new Date(run.since).toISOString(), new Date(base.since).toISOString()]
    await page.goto(`${app.url}/_profiler/runs`)
    await page.getByText('More filters').click()
    // The two sides exchanged.
    await page.getByLabel('From (UTC)', { exact: true }).fill(older)
    await page.getByLabel('To (UTC)', { exact: true }).fill(newer)
    await page.getByLabel('Before: from (UTC)').fill(newer)
    await page.getByLabel('Route', { exact: true }).fill('products')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByText('0 of 1 route got worse, 1 better').waitFor()
    assert.equal(await page.getByLabel('Before: from (UTC)').inputValue(), newer)
    await page.getByRole('row', { name: 'products faster' }).getByRole('link', { name: '25' }).first().click()
    await page.getByRole('heading', { name: 'Profiles' }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('until'), newer)
    // The count is that of the list, with the first five, whose times are not compared.
    assert.equal(await page.locator('table.profiles tbody tr').count(), 25)
  })
})
