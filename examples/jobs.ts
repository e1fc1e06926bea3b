// Jobs and scheduled tasks in the profiler: `POST /orders` adds a job, a task adds one each hour, and a worker runs them. Start it with
// `APP_ENV=dev` and a Redis at `REDIS_URL`. In your project, import from 'fanlight' and 'fanlight/capture'.

import { Queue, Worker } from 'bullmq'
import { Cron } from 'croner'
import { observe } from '../src/capture.ts'
import { createApp, json, RouteCollection, run } from '../src/index.ts'

const connection = { url: process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', maxRetriesPerRequest: null }
const orders = observe(new Queue('orders', { connection }))

const worker = observe(
  new Worker<{ readonly number: number }>(
    'orders',
    async ({ name, data, attemptsMade }) => {
      if (name === 'invoice' && attemptsMade === 0) throw new Error('The printer is busy')
      return { printed: data.number }
    },
    { connection },
  ),
)

const report = observe(
  new Cron('0 * * * *', { name: 'report', unref: true }, async () => {
    await orders.add('report', { number: 0 })
  }),
)

const routes = new RouteCollection().post('order', '/orders', async () => {
  const { id } = await orders.add('invoice', { number: 12 }, { attempts: 3, backoff: 50 })
  return json({ job: id }, { status: 202 })
})

const jobs = {
  name: 'jobs',
  stop: async (): Promise<void> => {
    report.stop()
    await worker.close()
    await orders.close()
  },
}

await run(async (context) => {
  const app = await createApp({ context, routes, plugins: [jobs] })
  await report.trigger()
  return app
})
