// Jobs of BullMQ with a real Redis: those that a request added, and those that ran, each as a separate profile.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { FlowProducer, Queue, Worker, type Telemetry } from 'bullmq'
import { observe } from '../../../../../src/capture.ts'
import { json, RouteCollection } from '../../../../../src/index.ts'
import type { JobData } from '../../../../../src/observe/collectors/runs.ts'
import type { Activities } from '../../../../../src/observe/activities/activity.ts'
import type { JobsFacts } from '../../../../../src/capture/activities/jobs.ts'
import type { Profile, ProfileSummary } from '../../../../../src/observe/profile.ts'
import { startRedis, type DatabaseServer } from '../../../../support/database-servers.ts'
import { pageText, startApp, type RunningApp } from '../../../../support/running-app.ts'
import { until } from '../../../../support/until.ts'

let server: DatabaseServer
let app: RunningApp
let queue: Queue
let flow: FlowProducer
let worker: Worker
/** What the jobs of a name did so far. */
const runs: string[] = []

before(async () => {
  server = await startRedis()
  const connection = { path: server.socket, maxRetriesPerRequest: null }
  queue = observe(new Queue('mail', { connection }))
  flow = observe(new FlowProducer({ connection }))
  const routes = new RouteCollection()
  routes.get('signs-up', '/sign-up', async () => {
    await queue.add('welcome', { to: 'ada', password: 'geheim-1' })
    return json({})
  })
  routes.get('secret_name', '/secret-name', async () => {
    await queue.add('{"password":"geheim-2"}', {})
    return json({})
  })
  routes.get('orders', '/orders', async () => {
    await queue.add('invoice', { order: 7 }, { attempts: 3, backoff: 20, delay: 30 })
    return json({})
  })
  routes.get('sends', '/sends', async () => {
    await queue.addBulk([
      { name: 'news', data: { to: 'a' } },
      { name: 'news', data: { to: 'b' } },
    ])
    await queue.add('news', { to: 'c' })
    return json({})
  })
  routes.get('flows', '/flows', async () => {
    await flow.add({
      name: 'report',
      queueName: 'mail',
      opts: {},
      children: [{ name: 'page', queueName: 'mail', opts: {} }],
    })
    return json({})
  })
  app = await startApp({ routes })
  worker = observe(
    new Worker(
      'mail',
      async (job) => {
        runs.push(job.name)
        if (job.name === 'invoice' && job.attemptsMade < 1) throw new RangeError('the printer is out of paper')
        if (job.name === 'welcome') await (await fetch(`${app.url}/nowhere`)).text()
        return { sent: true }
      },
      { connection },
    ),
  )
})
after(async () => {
  await worker.close()
  await queue.close()
  await flow.close()
  await app[Symbol.asyncDispose]()
  await server.stop()
})

/** The profiles of jobs, newest first. */
async function jobProfiles(name: string): Promise<readonly ProfileSummary[]> {
  const { items } = await app.profiles.find({ type: 'job', url: `mail%2F${name}` })
  return items
}

/** Asks for a page, waits for the runs of its jobs, and gives its profile. */
async function requested(path: string, name: string, count: number): Promise<Profile> {
  const response = await fetch(`${app.url}${path}`)
  await until(async () => (await jobProfiles(name)).length >= count)
  const profile = await app.profiles.read(response.headers.get('x-debug-token') ?? '')
  assert.ok(profile)
  return profile
}

async function pageOf(path: string): Promise<string> {
  return pageText(await (await fetch(`${app.url}${path}`)).text())
}

const jobsOf = ({ data }: Profile): Activities<JobsFacts> => data['jobs'] as Activities<JobsFacts>
const jobOf = async ({ token }: { readonly token: string }): Promise<JobData> =>
  (await app.profiles.read(token))?.data['job'] as JobData

describe('jobs of bullmq', () => {
  it('mask a secret in the name of a job, wherever the run is named', async () => {
    const response = await fetch(`${app.url}/secret-name`)
    const find = async (): Promise<ProfileSummary | undefined> => {
      const { items } = await app.profiles.find({ type: 'job' })
      return items.find(({ handler }) => handler === 'mail/{"password":"******"}')
    }
    await until(async () => (await find()) !== undefined)
    const { token = '' } = (await find()) ?? {}
    const profile = await app.profiles.read(response.headers.get('x-debug-token') ?? '')
    const kept = [profile, await app.profiles.read(token)]
    assert.doesNotMatch(JSON.stringify(kept) + (await pageOf(`/_profiler/${token}?panel=job`)), /geheim-2/)
  })

  it('are separate profiles, with links from and to the request that added them', async () => {
    const profile = await requested('/sign-up', 'welcome', 1)
    const [run] = await jobProfiles('welcome')
    assert.ok(run)
    const [entry] = jobsOf(profile).entries
    assert.deepEqual(
      [entry?.queue, entry?.names, entry?.count, entry?.error, entry?.runs],
      ['mail', ['welcome'], 1, null, [{ token: run.token, status: 200, durationMs: run.durationMs }]],
    )
    assert.match(entry?.callSite ?? '', /bullmq\.test\.ts:\d+$/)
    assert.deepEqual(
      [run.method, run.status, run.parentToken, run.handler, run.traceId, run.url],
      ['JOB', 200, null, 'mail/welcome', profile.traceId, `http://job/mail%2Fwelcome?id=${entry?.ids[0]}`],
    )
    const job = await jobOf(run)
    assert.deepEqual(
      [job.outcome, job.attempt, job.maxAttempts, job.addedBy, job.delayMs, job.data?.value, job.result?.value],
      ['completed', 1, 1, profile.token, 0, { to: 'ada', password: '******' }, { sent: true }],
    )
    assert.ok(job.waitedMs !== null && job.waitedMs >= 0)
    const stored = await app.profiles.read(run.token)
    const client = stored?.data['http-client'] as { calls: unknown[] } | undefined
    assert.equal(client?.calls.length, 1)
  })

  it('show each attempt, with the error and when it runs again', async () => {
    const profile = await requested('/orders', 'invoice', 2)
    const [second, first] = await jobProfiles('invoice')
    assert.ok(first && second)
    assert.deepEqual([first.status, first.errorClass, second.status], [500, 'RangeError', 200])
    const attempts = [await jobOf(first), await jobOf(second)]
    assert.deepEqual(
      attempts.map(({ outcome, attempt, maxAttempts, retryDelayMs, delayMs, addedBy }) => [
        outcome,
        attempt,
        maxAttempts,
        retryDelayMs,
        delayMs,
        addedBy,
      ]),
      [
        ['retried', 1, 3, 20, 30, profile.token],
        ['completed', 2, 3, null, 30, profile.token],
      ],
    )
    const both = [first, second].map(({ token, status, durationMs }) => ({ token, status, durationMs }))
    assert.deepEqual([attempts[0]?.runs, jobsOf(profile).entries[0]?.runs], [both, both])
    assert.equal(jobsOf(profile).entries[0]?.delayMs, 30)
    const page = await pageOf(`/_profiler/${first.token}?panel=exception`)
    assert.match(page, /the printer is out of paper/)
    assert.match(page, /bullmq\.test\.ts/)
    assert.match(await pageOf('/_profiler/errors'), /job mail\/invoice/)
  })

  it('are told apart by their ids when one call adds several, and in a flow', async () => {
    const bulk = await requested('/sends', 'news', 3)
    const [several, one] = jobsOf(bulk).entries
    const added = [several, one].map((entry) => [entry?.names, entry?.count, entry?.ids.length])
    assert.deepEqual(added, [
      [['news'], 2, 2],
      [['news'], 1, 1],
    ])
    const known = await Promise.all((await jobProfiles('news')).map(async (run) => [(await jobOf(run)).id, run.token]))
    for (const entry of [several, one]) {
      const tokens = known.filter(([id]) => entry?.ids.includes(id ?? '')).map(([, token]) => token)
      assert.deepEqual(new Set(entry?.runs?.map(({ token }) => token)), new Set(tokens))
    }
    const report = await requested('/flows', 'report', 1)
    assert.deepEqual(
      jobsOf(report).entries.map(({ names, runs: all = [] }) => [names, all.length]),
      [
        [['report'], 1],
        [['page'], 1],
      ],
    )
  })

  it('are on the pages: lists, panels, and the empty state', async () => {
    const list = await pageOf('/_profiler/?type=job')
    assert.match(list, /mail\/welcome/)
    const profile = await requested('/sign-up', 'welcome', 2)
    const panel = await pageOf(`/_profiler/${profile.token}?panel=jobs`)
    assert.match(panel, /welcome/)
    assert.match(panel.replace(/\s+/g, ' '), /to mail \(bullmq\)/)
    const [run] = await jobProfiles('welcome')
    const shown = await pageOf(`/_profiler/${run?.token}`)
    assert.match(shown, /Job mail\/welcome/)
    assert.match(shown, /completed/)
    assert.match(shown, new RegExp(`Added by\\s+${profile.token}`))
    assert.match(await pageOf(`/_profiler/${run?.token}?panel=jobs`), /No job was added to a queue/)
  })
})

it('observe: leaves a queue alone that has a telemetry of its own', async () => {
  const connection = { path: server.socket, maxRetriesPerRequest: null }
  const telemetry: Telemetry<string> = {
    tracer: {
      startSpan: () => ({
        setSpanOnContext: (context: string) => context,
        setAttribute: () => undefined,
        setAttributes: () => undefined,
        addEvent: () => undefined,
        recordException: () => undefined,
        end: () => undefined,
      }),
    },
    contextManager: {
      with: (_, work) => work(),
      active: () => 'active',
      getMetadata: () => '{"traceparent":"theirs"}',
      fromMetadata: (context) => context,
    },
  }
  const other = observe(new Queue('other', { connection, telemetry }))
  assert.equal(other.opts.telemetry, telemetry)
  const job = await other.add('one', {})
  assert.deepEqual(job.opts.telemetry, { metadata: '{"traceparent":"theirs"}' })
  await other.close()
})
