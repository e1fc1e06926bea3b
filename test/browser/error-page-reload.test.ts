// The error page reloads itself when the source of its error changes: a real application in its own project.

import assert from 'node:assert/strict'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { loadRuntimeContext } from '../../src/http/config/runtime-context.ts'
import type { Handler } from '../../src/index.ts'
import { createApp, json, RouteCollection, type App } from '../../src/index.ts'
import { closePages, openBrowser, watchedPage } from '../support/browser.ts'
import { LineList } from '../support/exchange.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

let browser: Browser
let app: App
let origin = ''
// Made here: what is cleaned up after a hook goes away with the hook.
const folder = makeTemporaryDirectory({ after })
let start: (port: string) => Promise<void>
let seconds = 1_800_000_000

/** Gives a file of the project its own time. */
function change(file: string): void {
  seconds += 10
  utimesSync(join(folder, file), seconds, seconds)
}

before(async () => {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'other.js'), 'export const other = 1\n')
  writeFileSync(join(folder, 'cart.js'), "export function showCart() {\n  throw new TypeError('no cart')\n}\n")
  mkdirSync(join(folder, 'node_modules/pg'), { recursive: true })
  writeFileSync(join(folder, 'node_modules/pg/index.js'), 'export const run = (call) => call()\n')
  const load = async (file: string): Promise<unknown> => import(pathToFileURL(join(folder, file)).href)
  const { showCart } = (await load('cart.js')) as { readonly showCart: Handler }
  const { run } = (await load('node_modules/pg/index.js')) as { readonly run: (call: () => never) => never }
  const routes = new RouteCollection()
  routes.get('cart', '/cart', (exchange) => run(() => showCart(exchange) as never))
  routes.post('pay', '/pay', showCart)
  routes.get('fine', '/fine', () => json({}))
  start = async (port) => {
    const { context } = loadRuntimeContext({ cwd: folder, env: { APP_ENV: 'dev', APP_STORE: 'memory:', PORT: port } })
    app = await createApp({ routes, context, log: new LineList() })
    origin = `http://127.0.0.1:${(await app.listen()).port}`
  }
  await start('0')
  browser = await openBrowser()
})
after(async () => {
  await closePages()
  await app.close()
})

/** The page, and how often it was loaded. */
async function openCart(): Promise<{ page: Page; loads: () => number; close: () => Promise<void> }> {
  const { page, close } = await watchedPage(browser, { width: 1400, colorScheme: 'light' }, origin)
  let count = 0
  page.on('load', () => (count += 1))
  const asked = page.waitForResponse((response) => response.url().includes('/changes') && response.ok())
  await page.goto(`${origin}/cart`)
  await asked
  return { page, loads: () => count, close }
}

describe('the error page when its source changes', () => {
  it('reloads itself, once for each change', async () => {
    const { page, loads, close } = await openCart()
    assert.equal(await page.getByText('Reloads when the source changes').isVisible(), true)
    change('cart.js')
    await until(async () => loads() === 2)
    change('other.js')
    change('node_modules/pg/index.js')
    const asked = (): Promise<unknown> => page.waitForResponse((response) => response.url().includes('/changes'))
    for (let count = 0; count < 4; count += 1) await asked()
    assert.equal(loads(), 2)
    await close()
  })

  it('reloads itself when the application comes back after a restart', async () => {
    const { page, loads, close } = await openCart()
    await app.close()
    await page.waitForEvent('requestfailed')
    assert.equal(loads(), 1)
    await start(new URL(origin).port)
    await until(async () => loads() === 2)
    await close()
  })

  it('stops when told to, and stays so after it was reloaded by hand', async () => {
    const { page, close } = await openCart()
    await page.getByRole('button', { name: 'Stop' }).click()
    assert.equal(await page.getByText('Does not reload').isVisible(), true)
    await page.reload()
    assert.equal(await page.getByText('Does not reload').isVisible(), true)
    await page.getByRole('button', { name: 'Start' }).click()
    await page.waitForResponse((response) => response.url().includes('/changes'))
    await close()
  })

  it('tells of nothing but files of the trace and of the process', async () => {
    const stampOf = async (target: string): Promise<readonly string[]> => {
      const { headers } = await fetch(origin + target, { method: target === '/pay' ? 'POST' : 'GET' })
      const token = headers.get('x-debug-token') ?? ''
      const answer = await fetch(`${origin}/_profiler/changes?token=${token}`)
      assert.equal(answer.status, 200)
      return String(((await answer.json()) as { readonly stamp: unknown }).stamp).split(' ')
    }
    await until(async () => (await stampOf('/cart')).length === 2)
    assert.equal((await stampOf('/fine')).length, 1)
    for (const token of ['', 'zzzzzzzzzzzz', '../cart.js']) {
      const answer = await fetch(`${origin}/_profiler/changes?token=${token}`, {
        headers: { accept: 'application/json' },
      })
      assert.deepEqual([answer.status, await answer.text()], [404, '{"error":"There is no such profile."}'])
    }
  })

  it('does not offer it after a request that may change something', async () => {
    const body = await (await fetch(`${origin}/pay`, { method: 'POST', headers: { accept: 'text/html' } })).text()
    assert.match(body, /no cart/)
    assert.doesNotMatch(body, /data-changes="/)
  })
})
