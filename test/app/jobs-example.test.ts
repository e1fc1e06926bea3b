// The example of jobs, started as its comment says, with its own Redis.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startRedis } from '../support/database-servers.ts'
import { runFile } from '../support/running-process.ts'
import { until } from '../support/until.ts'

it('examples/jobs.ts: shows the job of a request, both of its runs, and the task that added another', async (test) => {
  const server = await startRedis()
  test.after(() => server.stop())
  const example = await runFile('examples/jobs.ts', { REDIS_URL: server.socket })
  const read = async (path: string): Promise<string> => (await fetch(`${example.url}/_profiler/${path}`)).text()
  const answer = await fetch(`${example.url}/orders`, { method: 'POST' })
  assert.equal(answer.status, 202)
  let page = ''
  await until(async () => {
    page = await read(`${answer.headers.get('x-debug-token')}?panel=jobs`)
    return page.includes('done')
  })
  assert.match(page, /invoice[^]*examples\/jobs\.ts:\d+[^]*failed[^]*done/)
  const { items } = JSON.parse(await read('index.json?type=task')) as { items: readonly { readonly token: string }[] }
  assert.match(await read(`${items[0]?.token}?panel=jobs`), /report[^]*examples\/jobs\.ts:\d+/)
  assert.equal(await example.end(), 0)
})
