// Makes the picture of the README from the running page: `npm run picture` (needs Chromium).

import { mkdirSync } from 'node:fs'
import { frontController } from '../app/front-controller.ts'
import { loadRuntimeContext } from '../src/framework/config/runtime-context.ts'
import { launchBrowser } from '../test/support/browser.ts'

const target = 'docs/images/error-page.png'
const env = { APP_ENV: 'dev', APP_STORE: 'memory:', PORT: '0' }
const app = await frontController(loadRuntimeContext({ cwd: process.cwd(), env }).context)
const { url } = await app.listen()
const browser = await launchBrowser()
const page = await browser.newPage({ viewport: { width: 1200, height: 860 }, colorScheme: 'light' })
await page.goto(`${url}/prodcuts?sort=price`)
mkdirSync('docs/images', { recursive: true })
await page.screenshot({ path: target })
await browser.close()
await app.close()
console.log(`Wrote ${target}.`)
