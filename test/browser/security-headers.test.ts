// Pages under the policy of `securityHeaders()`, as a browser runs them: the toolbar and the error page work, and only scripts with the nonce run.

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { cspNonce, html, RouteCollection, securityHeaders } from '../../src/index.ts'
import { closePages, openBrowser, openPage, watchedPage } from '../support/browser.ts'
import { startApp } from '../support/running-app.ts'
import { forAll } from '../support/for-all.ts'

const routes = new RouteCollection()
  .get('page', '/page', (exchange) => {
    const nonce = cspNonce(exchange)
    return html`<!doctype html>
      <style nonce="${nonce}">
        h1 {
          color: rgb(1, 2, 3);
        }
      </style>
      <h1>Page</h1>
      <script nonce="${nonce}">
        document.title = 'with the nonce'
      </script>`
  })
  .get('injected', '/injected', () => {
    return html`<!doctype html><title>before</title>
      <h1>Page</h1>
      <script>
        document.title = 'injected'
      </script>`
  })
  .get('fail', '/fail', () => {
    throw new Error('no luck')
  })

after(closePages)
const browser = await openBrowser()
const running = await forAll(startApp({ routes, plugins: [securityHeaders()] }))

describe('under securityHeaders()', () => {
  it('a page has its toolbar, and what carries its nonce', async (test) => {
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, running.url)
    await page.goto(`${running.url}/page`)
    assert.equal(await page.title(), 'with the nonce')
    assert.equal(await page.evaluate(`getComputedStyle(document.querySelector('h1')).color`), 'rgb(1, 2, 3)')
    assert.ok(await page.locator('fanlight-toolbar').isVisible())
    assert.equal(await page.evaluate(`fetch('/page').then(({ status }) => status)`), 200)
    await page.locator('fanlight-toolbar a').first().click()
    await page.waitForURL(`${running.url}/_profiler/*`)
  })

  it('a script without it does not run', async () => {
    const { page, faults, close } = await watchedPage(browser, { width: 1400, colorScheme: 'light' }, running.url)
    await page.goto(`${running.url}/injected`)
    assert.equal(await page.title(), 'before')
    assert.ok(await page.locator('fanlight-toolbar').isVisible())
    assert.equal(faults.length, 1)
    assert.match(faults[0] ?? '', /inline script violates/)
    await close()
  })

  it('the error page works as without', async (test) => {
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, running.url)
    await page.goto(`${running.url}/fail`)
    await page.getByRole('heading', { name: 'no luck' }).first().waitFor()
    const copies = page.getByRole('button', { name: /copy/i }).first()
    assert.ok(await copies.isVisible())
  })
})
