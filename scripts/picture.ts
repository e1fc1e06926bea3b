// Takes the pictures of the README and docs/guides/profiler.md from the running shop: `npm run picture` (needs Chromium).

import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { frontController } from '../app/front-controller.ts'
import { loadRuntimeContext } from '../src/framework/config/runtime-context.ts'
import { launchBrowser } from '../test/support/browser.ts'

const folder = 'docs/images'
const env = { APP_ENV: 'dev', APP_STORE: 'memory:', PORT: '0' }
const app = await frontController(loadRuntimeContext({ cwd: process.cwd(), env }).context)
const { url } = await app.listen()
const browser = await launchBrowser()
const page = await browser.newPage({ viewport: { width: 1200, height: 860 }, colorScheme: 'light' })
mkdirSync(folder, { recursive: true })

async function take(address: string, name: string): Promise<void> {
  await page.goto(`${url}${address}`)
  const target = path.join(folder, `${name}.png`)
  await page.screenshot({ path: target })
  console.log(`Wrote ${target}.`)
}

await take('/demo/error', 'error-page')
// The first request also loads modules; the second is the one to show.
await page.request.get(`${url}/demo/fetch`)
const response = await page.request.get(`${url}/demo/fetch`)
await take(`${response.headers()['x-debug-token-link'] ?? ''}?panel=time&type=request`, 'profile')
await page.goto(`${url}/demo/error`)
await take('/_profiler/latest?panel=exception', 'profiler-exception')
await take('/_profiler/', 'profiler-list')
await browser.close()
await app.close()
