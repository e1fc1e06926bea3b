// Vite's development server in front of an application, as `examples/vite` has it: page, toolbar and profiler on Vite's port.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createServer } from 'vite'
import { openPage } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { runNode, type RunningProcess } from '../support/running-process.ts'
import { until } from '../support/until.ts'

let example: RunningProcess
let origin: string
before(async () => {
  const [port, vitePort] = [await freePort(), await freePort()]
  const env = { PORT: String(port), VITE_PORT: String(vitePort), NO_COLOR: '1' }
  example = await runNode(['examples/vite/start.ts'], env)
  origin = `http://127.0.0.1:${vitePort}`
  await until(async () =>
    fetch(origin).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
})
after(async () => example.end())

describe('behind Vite', () => {
  it('shows the toolbar, what the page fetched, and the profile of it', async (test) => {
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, origin)
    await page.goto(origin)
    await page.locator('li', { hasText: '12: Edsger' }).waitFor()
    assert.ok(await page.locator('fanlight-toolbar').isVisible())
    const opener = page.locator('fanlight-toolbar #open-requests')
    await opener.click()
    await page.locator('fanlight-toolbar li', { hasText: '/orders' }).locator('a').click()
    await page.waitForURL(`${origin}/_profiler/*`)
    await page.goto(`${page.url().split('?')[0]}?panel=database`)
    await page.getByText('SELECT name FROM customers WHERE id = ?').first().waitFor()
  })

  it('has the list of profiles live', async (test) => {
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, origin)
    await page.goto(`${origin}/_profiler/`)
    await page.evaluate(`fetch('/orders?from=the-list').then((answer) => answer.text())`)
    await page.getByText('from=the-list').first().waitFor()
  })

  it('draws the error page', async (test) => {
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, origin)
    const response = await page.goto(`${origin}/orders/99`)
    assert.equal(response?.status(), 500)
    await page.getByText('TypeError').first().waitFor()
  })

  it('lets this machine in, and nobody whom a proxy speaks for', async () => {
    assert.deepEqual(
      await Promise.all(['127.0.0.1', '203.0.113.7'].map(async (from) => statusFor(origin, from))),
      [403, 403],
    )
    assert.equal(await statusFor(origin), 200)
  })

  it('tells who asks with xfwd, so that other machines are refused', async () => {
    const port = await freePort()
    const env = { PORT: String(await freePort()), FANLIGHT_TRUSTED_PROXIES: '127.0.0.1' }
    await using application = await runNode(['examples/express/app.ts'], env)
    const vite = await createServer({
      configFile: false,
      logLevel: 'silent',
      root: 'examples/vite',
      server: { host: '127.0.0.1', port, proxy: { '^/': { target: application.url, xfwd: true } } },
    })
    await vite.listen()
    try {
      const front = `http://127.0.0.1:${port}`
      assert.equal(await statusFor(front), 200)
      assert.equal(await statusFor(front, '203.0.113.7'), 403)
    } finally {
      await vite.close()
    }
  })
})

/** Status of the list of profiles. `from`: whom the request says that it comes from. */
async function statusFor(front: string, from?: string): Promise<number> {
  const response = await fetch(`${front}/_profiler/`, {
    headers: from === undefined ? {} : { 'x-forwarded-for': from },
  })
  await response.body?.cancel()
  return response.status
}
