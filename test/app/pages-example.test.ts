// The example of pages, started as its comment says.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { pageText } from '../support/page-text.ts'
import { runFile, type RunningProcess } from '../support/running-process.ts'
import { until } from '../support/until.ts'

it('examples/pages.ts: shows its cache, its templates, its translations and what was wrong with a request, and finds tagged profiles', async () => {
  await using example = await runFile('examples/pages.ts')
  const home = await fetch(`${example.url}/?lng=fr`)
  assert.match(await home.text(), /<title>Éventails<\/title><ul><li>ceiling: 70\.00 EUR with tax<\/li>/)
  assert.match(await panelOf(example, home, 'cache'), /1 of 3 reads hit, 5 accesses/)
  assert.match(await panelOf(example, home, 'templates'), /@home eta examples\/pages\.ts:\d+ .*3 × @price eta/)
  assert.match(
    await panelOf(example, home, 'translations'),
    /tax in fr only in en price\.note in fr missing title in fr found/,
  )
  const order = await fetch(`${example.url}/orders`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"name":"ceiling","count":0}',
  })
  assert.equal(order.status, 422)
  await order.text()
  assert.match(await panelOf(example, order, 'validation'), /1 error body .*valibot.*count Invalid value/)
  const taken = await fetch(`${example.url}/orders`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"name":"ceiling","count":1}',
  })
  const token = taken.headers.get('x-debug-token') ?? ''
  await until(async () => (await (await fetch(`${example.url}/_profiler/?tag=order`)).text()).includes(token))
})

async function panelOf(example: RunningProcess, { headers }: Response, name: string): Promise<string> {
  const address = `${example.url}/_profiler/${headers.get('x-debug-token')}?panel=${name}`
  let page: Response | undefined
  await until(async () => (page = await fetch(address)).status === 200)
  return pageText((await page?.text()) ?? '')
}
