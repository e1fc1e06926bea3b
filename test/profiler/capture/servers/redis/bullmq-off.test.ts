// Queues that were handed to observe() where nothing is recorded.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Queue, Worker } from 'bullmq'
import { Cron } from 'croner'
import { observe } from '../../../../../src/capture.ts'
import { startRedis } from '../../../../support/database-servers.ts'
import { startApp } from '../../../../support/running-app.ts'

it('observe, outside debug: leaves queues, jobs and tasks as they are', async (test) => {
  const server = await startRedis()
  test.after(() => server.stop())
  await using app = await startApp({ env: { APP_ENV: 'prod' } })
  assert.equal(app.app.profiles, null)
  const connection = { path: server.socket, maxRetriesPerRequest: null }
  const queue = observe(new Queue('mail', { connection }))
  const worker = observe(new Worker('mail', async ({ data }: { data: unknown }) => data, { connection }))
  const done = new Promise((resolve) =>
    worker.once('completed', (job, result) => resolve([job.opts.telemetry, result])),
  )
  await queue.add('welcome', { to: 'ada' })
  assert.deepEqual(await done, [undefined, { to: 'ada' }])
  assert.equal(queue.opts.telemetry, undefined)
  let calls = 0
  const job = observe(new Cron('0 0 1 1 *', { unref: true }, () => void (calls += 1)))
  await job.trigger()
  assert.equal(calls, 1)
  job.stop()
  await worker.close()
  await queue.close()
})
