// Scheduled tasks of node-cron and croner: each run is a separate profile.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Cron } from 'croner'
import cron from 'node-cron'
import { observe } from '../../../src/capture.ts'
import type { TaskData } from '../../../src/observe/collectors/runs.ts'
import { TaskRuns } from '../../../src/libraries/observed/cron.ts'
import type { KnownTasks } from '../../../src/analysis/questions/tasks.ts'
import type { Profile } from '../../../src/observe/profile.ts'
import { pageText, startApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'
import { forAll } from '../../support/for-all.ts'

const app = await forAll(startApp())

/** The runs of a task, oldest first. */
async function runsOf(name: string): Promise<readonly Profile[]> {
  const { items } = await app.profiles.find({ type: 'task', url: `//task/${encodeURIComponent(name)}` })
  const profiles = await Promise.all(items.toReversed().map(({ token }) => app.profiles.read(token)))
  return profiles.filter((profile) => profile !== undefined)
}

const taskOf = (profile: Profile | undefined): TaskData => profile?.data['task'] as TaskData

async function pageOf(path: string): Promise<string> {
  return pageText(await (await fetch(`${app.url}${path}`)).text())
}

async function jsonOf(path: string): Promise<unknown> {
  return (await fetch(`${app.url}${path}`)).json()
}

describe('a task of node-cron', () => {
  it('has a profile for each run, with its requests and when it is due next', async () => {
    const task = observe(
      cron.schedule('* * * * * *', async () => (await fetch(`${app.url}/api`)).text(), {
        name: 'fetch-prices',
        // On a busy machine a run may take longer than a second.
        noOverlap: true,
        logger: quiet,
      }),
    )
    assert.equal(observe(task), task)
    // A later run may begin, and end, before the one before it has ended.
    const firstRun = async (): Promise<Profile | undefined> =>
      (await runsOf('fetch-prices')).find((one) => taskOf(one).stillRunning === 0)
    await until(async () => (await firstRun()) !== undefined)
    await task.stop()
    const run = await firstRun()
    const data = taskOf(run)
    assert.deepEqual(
      [run?.method, run?.status, run?.handler, data.library, data.name, data.pattern, data.reason],
      ['TASK', 200, 'fetch-prices', 'node-cron', 'fetch-prices', '* * * * * *', 'scheduled'],
    )
    assert.ok(data.dueAt !== null && data.lateMs !== null && data.nextAt !== null && data.nextAt > data.dueAt)
    const client = run?.data['http-client'] as { calls: unknown[] } | undefined
    assert.equal(client?.calls.length, 1)
    const page = await pageOf(`/_profiler/${run?.token}`)
    assert.match(page, /Task fetch-prices/)
    assert.match(page, /after it was due/)
    assert.match(page, /Next run/)
    assert.match(await pageOf('/_profiler/?type=task'), /fetch-prices/)
  })

  it('shows why a run failed, and passes results and errors on', async () => {
    const task = observe(
      cron.createTask(
        '0 0 1 1 *',
        (context) => {
          if (context.execution?.id === 'second') throw new TypeError('the rates are gone')
          return 7
        },
        { logger: quiet },
      ),
    )
    assert.equal(await task.execute(), 7)
    const [first] = await runsOf('0 0 1 1 *')
    assert.deepEqual([taskOf(first).reason, taskOf(first).nextAt], ['invoked', null])
    const run = task as unknown as { execute(id: string): Promise<unknown> }
    await assert.rejects(run.execute('second'), /the rates are gone/)
    await until(async () => (await runsOf('0 0 1 1 *')).length === 2)
    const [, second] = await runsOf('0 0 1 1 *')
    assert.deepEqual([second?.status, second?.errorClass], [500, 'TypeError'])
    assert.match(await pageOf(`/_profiler/${second?.token}`), /the rates are gone/)
    await task.destroy()
  })

  it('tells of times that an earlier run has blocked', async () => {
    const ends = Promise.withResolvers<void>()
    let count = 0
    const task = observe(
      cron.schedule(
        '* * * * * *',
        async () => {
          count += 1
          if (count === 1) await ends.promise
        },
        { name: 'slow', noOverlap: true, logger: quiet },
      ),
    )
    let overlaps = 0
    task.on('execution:overlap', () => {
      overlaps += 1
      if (overlaps === 2) ends.resolve()
    })
    await until(async () => (await runsOf('slow')).length > 1)
    await task.destroy()
    const [first, second] = await runsOf('slow')
    assert.deepEqual(taskOf(first).skipped, [])
    // On a busy machine the times that follow may be skipped, too.
    const reasons = taskOf(second).skipped.map(({ reason }) => reason)
    assert.deepEqual(reasons.slice(0, 2), ['overlap', 'overlap'])
    assert.match(await pageOf(`/_profiler/${second?.token}`), /the run before it had not ended/)
  })
})

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined }

describe('a Cron of croner', () => {
  it('has a profile for each run, by its schedule and by hand', async () => {
    const job = observe(
      new Cron('* * * * * *', { name: 'clean-up' }, async () => {
        await delay(1)
      }),
    )
    await until(async () => (await runsOf('clean-up')).length > 0)
    await job.trigger()
    job.stop()
    const runs = await runsOf('clean-up')
    const [first] = runs
    assert.deepEqual([taskOf(first).reason, taskOf(first).library, first?.status], ['scheduled', 'croner', 200])
    const { dueAt, lateMs, nextAt } = taskOf(first)
    assert.ok(first && dueAt !== null && lateMs !== null && nextAt !== null)
    assert.ok(dueAt <= first.time + 1 && lateMs >= 0 && nextAt > first.time)
    assert.equal(runs.filter((run) => taskOf(run).reason === 'invoked').length, 1)
  })

  it('is observed before it gets its function, shows why it failed, and still throws', async () => {
    const job = observe(new Cron('0 0 1 1 *', { paused: true }))
    job.schedule(() => {
      throw new RangeError('no disk')
    })
    await assert.rejects(job.trigger(), /no disk/)
    await until(async () => (await runsOf('0 0 1 1 *')).some(({ errorClass }) => errorClass === 'RangeError'))
    job.stop()
  })
})

describe('/_profiler/tasks', () => {
  it('says so where no task has run', async () => {
    await using other = await startApp()
    const { body } = await other.send({ target: '/_profiler/tasks' })
    assert.match(pageText(body), /No scheduled task has run yet/)
    assert.match((await other.send({ target: '/_profiler/tasks.md' })).body, /No scheduled task has run yet/)
  })

  it('shows the last run of each task, the next one, and failures', async () => {
    let count = 0
    const job = observe(
      new Cron('0 0 1 1 *', { name: 'yearly <b>' }, () => {
        count += 1
        if (count === 2) throw new RangeError('no paper')
      }),
    )
    await job.trigger()
    await assert.rejects(job.trigger(), /no paper/)
    await until(async () => (await runsOf('yearly <b>')).length === 2)
    job.stop()
    const { tasks, isCut } = (await jsonOf('/_profiler/tasks.json')) as KnownTasks
    const task = tasks.find(({ name }) => name === 'yearly <b>')
    const [, failed] = await runsOf('yearly <b>')
    assert.deepEqual(
      [isCut, task?.library, task?.pattern, task?.runs, task?.failed, task?.last.token, task?.last.error],
      [false, 'croner', '0 0 1 1 *', 2, 1, failed?.token, 'RangeError: no paper'],
    )
    assert.deepEqual(task?.lastFailed, task?.last)
    assert.equal(task?.nextAt, taskOf(failed).nextAt)
    const page = await pageOf('/_profiler/tasks')
    assert.match(page, /yearly <b>\s+0 0 1 1 \* \(croner\)/)
    assert.match(page, /failed[^]*RangeError: no paper/)
    const markdown = await (await fetch(`${app.url}/_profiler/tasks.md`)).text()
    assert.match(markdown, /`yearly <b>`: .*`failed`.*runs 2, failed 1, schedule `0 0 1 1 .*RangeError: no paper`/)
  })
})

it('TaskRuns: tells missed times from those that a run has blocked, and forgets them when the task was stopped', async (test) => {
  test.mock.timers.enable({ apis: ['Date'], now: 0 })
  const runs = new TaskRuns({
    library: 'test',
    name: () => 'every-minute',
    pattern: () => '* * * * *',
    nextRuns: (count) => Array.from({ length: count }, (_, index) => new Date(nextMinute() + index * 60_000)),
  })
  const nextMinute = (): number => (Math.floor(Date.now() / 60_000) + 1) * 60_000
  const at = (minutes: number): void => test.mock.timers.setTime(minutes * 60_000)
  at(1)
  runs.run({ reason: 'scheduled', dueAt: 60_000 }, () => at(3.5))
  at(5)
  runs.run({ reason: 'scheduled', dueAt: 300_000 }, () => undefined)
  at(8)
  runs.stopped()
  runs.run({ reason: 'scheduled', dueAt: 480_000 }, () => undefined)
  const all = (await runsOf('every-minute')).map(taskOf)
  const skipped = all.toSorted((one, other) => Number(one.dueAt) - Number(other.dueAt)).map((data) => data.skipped)
  test.mock.timers.reset()
  assert.deepEqual(skipped, [
    [],
    [
      { dueAt: 120_000, reason: 'overlap' },
      { dueAt: 180_000, reason: 'overlap' },
      { dueAt: 240_000, reason: 'missed' },
    ],
    [],
  ])
})
