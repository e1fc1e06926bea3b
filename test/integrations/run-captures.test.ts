// Jobs and scheduled tasks without a line in the application: beside Express, and in programs that have no server.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import express from 'express'
import { captureHooks } from '../../src/integrations/captures/capture-hooks.ts'
import { installLoadHooks } from '../../src/integrations/registration.ts'
import type { Activities } from '../../src/observe/activities/activity.ts'
import type { JobsFacts } from '../../src/capture/activities/jobs.ts'
import type { TaskData } from '../../src/observe/collectors/runs.ts'
import { openEngine } from '../../src/app/open-engine.ts'
import { startRedis } from '../support/database-servers.ts'
import { notingObserver } from '../support/integration-observer.ts'
import { appFolder, register } from '../support/registered-app.ts'
import { ask, listen, profileOf, tokenOf } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/express.ts')
const observer = notingObserver()
installLoadHooks(captureHooks, [], observer)
const { Queue, Worker } = await import('bullmq')

after(() => assert.deepEqual(observer.notes, []))

it('jobs of bullmq beside Express: are in the profile of the request that added them, with their runs', async (test) => {
  const server = await startRedis()
  const connection = { path: server.socket, maxRetriesPerRequest: null }
  const queue = new Queue('mail', { connection })
  const app = fanlight(express())
  app.get('/sign-up', async (_, response) => {
    await queue.add('welcome', { to: 'ada' })
    response.json({})
  })
  const { port } = await listen(test, app)
  const token = tokenOf(await ask(port, { path: '/sign-up' }))
  const worker = new Worker('mail', async () => 'sent', { connection })
  await new Promise((resolve) => worker.once('completed', resolve))
  await worker.close()
  await queue.close()
  await server.stop()
  const jobs = (await profileOf(port, token)).data['jobs'] as Activities<JobsFacts>
  assert.deepEqual(
    jobs.entries.map(({ queue: name, names, runs = [] }) => [name, names, runs.map(({ status }) => status)]),
    [['mail', ['welcome'], [200]]],
  )
})

describe('scheduled tasks of a program without a server', () => {
  it('are recorded, modules of both kinds', async () => {
    await using folder = appFolder({
      'modules.mjs': `
import { Cron } from 'croner'
import cron from 'node-cron'
new Cron('* * * * * *', { name: 'croner-esm', maxRuns: 1 }, () => 1)
await cron.createTask('0 0 1 1 *', () => 2, { name: 'node-cron-esm' }).execute()`,
      'common.cjs': `
const { Cron } = require('croner')
const { createTask } = require('node-cron')
const job = new Cron('0 0 1 1 *', { name: 'croner-cjs', unref: true }, () => 1)
job.trigger().then(() => createTask('0 0 1 1 *', () => 2, { name: 'node-cron-cjs' }).execute())`,
    })
    const store = `sqlite:${join(folder.path, 'runs.db')}`
    for (const file of ['modules.mjs', 'common.cjs']) {
      const { exitCode, stderr } = await folder.run(['--import', register, file], { FANLIGHT_STORE: store })
      assert.deepEqual([exitCode, stderr], [0, ''])
    }
    const engine = await openEngine(store)
    const { items } = await engine.profiles.find({ type: 'task' })
    const tasks = await Promise.all(
      items.map(async ({ token }) => (await engine.profiles.read(token))?.data['task'] as TaskData | undefined),
    )
    await engine.close()
    assert.deepEqual(tasks.map((task) => `${task?.name} ${task?.library} ${task?.reason}`).sort(), [
      'croner-cjs croner invoked',
      'croner-esm croner scheduled',
      'node-cron-cjs node-cron invoked',
      'node-cron-esm node-cron invoked',
    ])
  })
})
