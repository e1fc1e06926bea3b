// Takes the pictures of the README and docs/guides/profiler.md from the running shop and an example: `npm run picture` (needs
// Chromium).

import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { frontController } from '../app/front-controller.ts'
import { loadRuntimeContext } from '../src/http/config/runtime-context.ts'
import { launchBrowser } from '../test/support/launch-browser.ts'
import { runFile } from '../test/support/running-process.ts'

const folder = 'docs/images'
const env = { APP_ENV: 'dev', APP_STORE: 'memory:', PORT: '0' }
const app = await frontController(loadRuntimeContext({ cwd: process.cwd(), env }).context)
const { url } = await app.listen()
const browser = await launchBrowser('pictures')
const viewport = { width: 1200, height: 860 }
const page = await browser.newPage({ viewport, colorScheme: 'light', deviceScaleFactor: 2 })
mkdirSync(folder, { recursive: true })

/** Opens an address and takes the first screen, or the part of it from `top` to `bottom`. */
async function take(address: string, name: string, { top = 0, bottom = viewport.height } = {}): Promise<void> {
  if (page.url() !== address) await page.goto(address)
  const target = path.join(folder, `${name}.png`)
  await page.screenshot({ path: target, clip: { x: 0, y: top, width: viewport.width, height: bottom - top } })
  console.log(`Wrote ${target}.`)
}

/** The page of the profile that a request to the shop got. The first request also loads modules; the second is the one to show. */
async function profileOf(address: string): Promise<string> {
  await page.request.get(`${url}${address}`)
  const response = await page.request.get(`${url}${address}`)
  return `${url}${response.headers()['x-debug-token-link'] ?? ''}`
}

await using orders = await runFile('examples/express/app.ts')
await take(`${orders.url}/orders/99`, 'error-page')
for (let round = 0; round < 4; round += 1)
  for (const address of ['/orders', '/orders/10', '/', '/orders/12', '/orders/99', '/orders/11', '/ordres'])
    await page.request.get(`${orders.url}${address}`, { headers: { accept: 'text/html' } })
await page.request.get(`${orders.url}/report`)
await page.goto(`${orders.url}/`)
await page.evaluate(`setTimeout(() => { document.querySelector('#total').textContent = '3 orders' })`)
// A page reports two seconds after it is loaded.
await page.waitForTimeout(3000)
await page.request.get(`${orders.url}/orders`)
await take(`${orders.url}/_profiler/`, 'profiler-list')
await take(`${orders.url}/_profiler/queries`, 'profiler-queries', { bottom: 540 })
await page.request.get(`${orders.url}/orders`)
await take(`${orders.url}/_profiler/latest?panel=database`, 'profiler-database')

const fetched = await profileOf('/demo/fetch')
await take(`${fetched}?panel=time&type=request`, 'profile')
await page.goto(`${url}/demo/error`)
await take(`${url}/_profiler/latest?panel=exception`, 'profiler-exception')

const token = (address: string): string => address.slice(address.lastIndexOf('/') + 1)
const products = await profileOf('/products')
await take(`${url}/_profiler/compare?a=${token(fetched)}&b=${token(products)}`, 'profiler-compare')

// The first of two finds the functions whose lines the second notes.
const asked = { headers: { 'x-fanlight-profile': 'code' } }
await page.request.get(`${url}/demo/price`, asked)
const noted = await page.request.get(`${url}/demo/price`, asked)
await page.goto(`${url}${noted.headers()['x-debug-token-link'] ?? ''}?panel=code&type=request`)
await page.getByText('return 0.1').first().scrollIntoViewIfNeeded()
await take(page.url(), 'profiler-code')

await page.goto(`${url}/products`)
await page.locator('fanlight-toolbar .spot').first().hover()
await take(page.url(), 'toolbar', { top: 480 })

await browser.close()
await app.close()
