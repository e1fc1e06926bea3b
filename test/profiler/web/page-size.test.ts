// How large the pages of the profiler are before compression: of the shop, with a full list and an error of four causes.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { pageRoutes } from '../../../src/app/profiler-routes.ts'
import { builtInPanels } from '../../../src/analysis/pages/panels.ts'
import { startApp } from '../../support/running-app.ts'

const maxBytes = 58_000
/** The page of logs has a hundred lines. */
const maxLogBytes = 100_000

it('pages of the profiler have at most 58 KB', async () => {
  await using shop = await startApp({ isShop: true })
  const targets = ['/products', '/products/lion-knocker', '/currencies', '/demo/price', '/nowhere', '/demo/error']
  for (let turn = 0; turn < 5; turn += 1) for (const target of targets) await shop.send({ target })
  const token = (await shop.send({ target: '/demo/error' })).header('x-debug-token') ?? assert.fail()
  const pages = [
    ...pageRoutes.map(({ path }) => path).filter((path) => path !== 'reload'),
    ...builtInPanels.map(({ name }) => `${token}?panel=${name}`),
  ]
  assert.ok(pages.length > 40)
  for (const page of pages) {
    const { body } = await shop.send({ target: `/_profiler/${page}`, headers: ['Accept: text/html'] })
    const bytes = Buffer.byteLength(body)
    assert.ok(bytes <= (page === 'logs' ? maxLogBytes : maxBytes), `${page}: ${bytes} bytes`)
  }
})
