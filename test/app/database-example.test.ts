// The example of a database, started as its comment says.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runFile } from '../support/running-process.ts'
import { until } from '../support/until.ts'

it('examples/database.ts: shows its N+1 in the profile', async () => {
  await using example = await runFile('examples/database.ts')
  const answer = await fetch(`${example.url}/orders`)
  assert.deepEqual(await answer.json(), {
    orders: [
      { id: 10, name: 'Ada' },
      { id: 11, name: 'Grace' },
      { id: 12, name: 'Edsger' },
    ],
  })
  const token = answer.headers.get('x-debug-token') ?? ''
  let page = ''
  await until(async () => {
    page = await (await fetch(`${example.url}/_profiler/${token}?panel=database`)).text()
    return page.includes('SELECT name FROM customers')
  })
  assert.match(
    page,
    /N\+1:[^]*SELECT name FROM customers WHERE id = \?[^]*ran 3 times[^]*examples\/database\.ts:\d+[^]*with different values/,
  )
})
