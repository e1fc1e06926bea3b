import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { LockReport } from '../../../src/profiles/lock.ts'
import { LockReporter } from '../../../src/maintenance/lock-reporter.ts'
import { openMemoryEngine } from '../../../src/stores/memory/open-memory-engine.ts'

const minuteMs = 60_000

interface Started {
  readonly reporter: LockReporter
  /** Everything that was reported. */
  readonly reports: LockReport[]
  running: number
  failing: boolean
  pass(ms: number): Promise<void>
}

async function start(test: TestContext): Promise<Started> {
  test.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  test.mock.method(performance, 'now', () => now)
  const { journal } = (await openMemoryEngine()).lock
  assert.ok(journal !== undefined)
  const send = journal.report.bind(journal)
  test.mock.method(journal, 'report', async (report: LockReport) => {
    started.reports.push(report)
    if (started.failing) throw new Error('away')
    await send(report)
  })
  const started: Started = {
    reporter: new LockReporter({ journal, watchRunning: () => () => started.running }),
    reports: [],
    running: 0,
    failing: false,
    async pass(ms) {
      for (const step = Math.min(ms, 250); ms > 0; ms -= step) {
        now += step
        test.mock.timers.tick(step)
        await setImmediate()
      }
    },
  }
  return started
}

describe('LockReporter', () => {
  it('tells that it is there, and then nothing for ten minutes', async (test) => {
    const { reports, pass } = await start(test)
    await pass(1000)
    assert.deepEqual(
      reports.map(({ process: _, ...said }) => said),
      [{ heard: '', isClosed: false, running: 0 }],
    )
    await pass(9 * minuteMs)
    assert.equal(reports.length, 1)
    await pass(minuteMs)
    assert.equal(reports.length, 2)
  })

  it('tells what changes while the application is closed, and nothing else', async (test) => {
    const started = await start(test)
    const { reporter, reports, pass } = started
    started.running = 2
    reporter.hear({ heard: 'now', period: 'one', isClosed: true })
    await pass(250)
    assert.deepEqual([reports.length, reports[0]?.heard, reports[0]?.running], [1, 'now', 2])
    await pass(5000)
    assert.equal(reports.length, 1)
    started.running = 0
    await pass(250)
    assert.deepEqual([reports.length, reports[1]?.running], [2, 0])
    await pass(9 * minuteMs)
    assert.equal(reports.length, 2)
    reporter.turnedAway()
    await pass(2000)
    assert.equal(reports.length, 3)
  })

  it('tells every ten seconds that requests from before still run', async (test) => {
    const started = await start(test)
    started.running = 1
    started.reporter.hear({ heard: 'now', period: 'one', isClosed: true })
    await started.pass(30_500)
    assert.equal(started.reports.length, 4)
  })

  it('tries again soon where the store did not take it', async (test) => {
    const started = await start(test)
    started.failing = true
    await started.pass(1000)
    started.failing = false
    await started.pass(10_000)
    assert.equal(started.reports.length, 2)
    await started.pass(5 * minuteMs)
    assert.equal(started.reports.length, 2)
  })
})
