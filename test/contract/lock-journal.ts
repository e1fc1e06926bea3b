// Declares the tests of the journal of a lock. Engines run them from `test/stores/`.

import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { maxPeriods, type LockJournal, type LockPeriod, type LockStore } from '../../src/profiles/lock.ts'
import { pick } from '../support/pick.ts'

function makePeriod(parts: Partial<LockPeriod> = {}): LockPeriod {
  return {
    id: '2026-11-21T10:00:00.000Z',
    from: '2026-11-21T10:00:00.000Z',
    to: null,
    reason: 'moving "house" \u0000 ü',
    closedBy: 'anna@web-1',
    openedBy: '',
    isPlanned: false,
    ...parts,
  }
}

/** Declares the suite for one kind of engine. */
export function describeLockJournal(
  name: string,
  open: (test: TestContext) => Promise<{ readonly lock: LockStore }>,
): void {
  describe(`${name} keeps the journal of the lock`, () => {
    const journalOf = async (test: TestContext): Promise<LockJournal> => {
      const { journal } = (await open(test)).lock
      assert.ok(journal !== undefined)
      return journal
    }

    it('is empty at first, and has a clock', async (test) => {
      const journal = await journalOf(test)
      const { now, ...content } = await journal.read()
      assert.deepEqual(content, { periods: [], turnedAway: {}, reports: [] })
      for (const time of [now, await journal.now()]) assert.ok(Math.abs(time - Date.now()) < 60_000, String(time))
    })

    it('gives back periods as they were kept, one for each id', async (test) => {
      const journal = await journalOf(test)
      const closed = makePeriod({ only: ['/checkout/*', 'route:basket'], readOnly: true, isPlanned: true })
      await journal.keep(closed)
      assert.deepEqual((await journal.read()).periods, [closed])
      const opened = makePeriod({ to: '2026-11-21T11:00:00.000Z', openedBy: 'ben@web-2' })
      await journal.keep(opened)
      assert.deepEqual((await journal.read()).periods, [opened])
    })

    it('keeps the newest, and what was turned away in them', async (test) => {
      const journal = await journalOf(test)
      for (let number = 0; number <= maxPeriods; number += 1) {
        const from = new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString()
        await journal.keep(makePeriod({ id: `w${number}`, from }))
        if (number < 2) await journal.count({ [`w${number}`]: number + 1 })
      }
      const { periods, turnedAway } = await journal.read()
      assert.equal(periods.length, maxPeriods)
      assert.ok(!periods.some(({ id }) => id === 'w0'))
      assert.deepEqual(turnedAway, { w1: 2 })
    })

    it('adds up what processes have turned away, and has the last report of each', async (test) => {
      const journal = await journalOf(test)
      await journal.count({ one: 2 })
      await journal.count({ one: 5, two: 1 })
      await journal.report(report('web-1 1', 3))
      await journal.report(report('web-1 1', 1))
      await journal.report({ ...report('web-2 1', 0), isClosed: false })
      const { turnedAway, reports, now } = await journal.read()
      assert.deepEqual(turnedAway, { one: 7, two: 1 })
      assert.deepEqual(
        reports.map(({ time: _, ...said }) => said).sort((one, other) => (one.process < other.process ? -1 : 1)),
        [report('web-1 1', 1), { ...report('web-2 1', 0), isClosed: false }],
      )
      for (const { time } of reports) assert.ok(now - time >= 0 && now - time < 30_000)
      await journal.leave('web-1 1')
      assert.deepEqual(pick((await journal.read()).reports, 'process'), ['web-2 1'])
    })

    for (const [what, passedMs, isThere] of [
      ['for twenty minutes', 20 * 60_000, true],
      ['for forty minutes', 40 * 60_000, false],
      ['since the clock was set back', -40 * 60_000, false],
    ] as const) {
      it(`${isThere ? 'knows' : 'forgets'} a process that has not reported ${what}`, async (test) => {
        const journal = await journalOf(test)
        await journal.report(report('web-1 1'))
        const now = await journal.now()
        test.mock.method(journal, 'now', async () => now + passedMs)
        assert.deepEqual(pick((await journal.read()).reports, 'process'), isThere ? ['web-1 1'] : [])
      })
    }
  })
}

function report(process: string, running = 0): Parameters<LockJournal['report']>[0] {
  return { process, heard: '2026-11-21T10:00:00.000Z', isClosed: true, running }
}
