import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cliFolder, type CliFolder } from '../support/cli-run.ts'
import { startApp, type RunningApp } from '../support/running-app.ts'
import { html, RouteCollection, text, type Reply } from '../../src/index.ts'
import { until } from '../support/until.ts'

interface PlanJson {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly overlaps: readonly string[]
}

async function planned(folder: CliFolder, ...args: readonly string[]): Promise<PlanJson> {
  const { stdout, stderr } = await folder.run(['lock', 'plan', ...args, '--json'])
  assert.equal(stderr, '')
  return JSON.parse(stdout) as PlanJson
}

describe('fanlight lock plan', () => {
  it('plans, lists and cancels, and tells what overlaps', async () => {
    await using folder = await cliFolder()
    assert.match((await folder.run(['lock', 'status'])).stdout, /^Nothing is planned/m)
    const plan = [
      'lock',
      'plan',
      '--from',
      '2099-12-01T02:00Z',
      '--to',
      '2099-12-01T04:00Z',
      '--reason',
      'the new disk',
    ]
    const said = await folder.run([...plan, '--notice', '15m'])
    assert.equal(said.exitCode, 0)
    assert.match(
      said.stdout,
      /^(\w{5}) is planned\.\n\nPlanned\n.*\n\1 planned +2099-12-01 02:00:00 +2099-12-01 04:00:00 +2 h +everything +the new disk +\S+@/,
    )
    const night = await planned(folder, '--from', '2099-12-01T03:59+00:00', '--to', '+1d', '--only', '/a', 'route:b')
    assert.deepEqual([night.from, night.to], ['2099-12-01T03:59:00.000Z', '2099-12-02T03:59:00.000Z'])
    assert.equal(night.overlaps.length, 1)
    const { stdout } = await folder.run(['lock', 'status'], { columns: 200 })
    assert.match(stdout, /planned\S* +2099-12-01 03:59:00 +2099-12-02 03:59:00 +1 d +\/a route:b +overlaps with \w{5}/)
    assert.match(stdout, /^\S*The application is open: .* The next plan begins at 2099-12-01 02:00:00 UTC, in /)
    assert.match((await folder.run(['lock', 'cancel', night.id])).stdout, /^Dropped: /)
    assert.equal(JSON.parse((await folder.run(['lock', 'status', '--json'])).stdout).windows.length, 1)
    assert.match((await folder.run(['lock', 'status'])).stdout, /^The application was never closed/m)
    const unknown = await folder.run(['lock', 'cancel', night.id])
    assert.deepEqual([unknown.exitCode, unknown.stdout], [3, ''])
    assert.match(unknown.stderr, /^fanlight: there is no plan "\w{5}"; there is \w{5}\n$/)
  })

  it('says what is wrong with a time, and changes nothing', async () => {
    await using folder = await cliFolder()
    for (const [from, to, message] of [
      ['2099-12-01T02:00', '+1h', /--from: "2099-12-01T02:00" has no time zone\. Add one: 2099-12-01T02:00Z or /],
      ['+1h', '2099-12-01 04:00', /--to: "2099-12-01 04:00" has no time zone/],
      ['+1h', '04:00Z', /--to: "04:00Z" is not valid\. Use a time with its zone/],
      ['2001-01-01T00:00Z', '+1h', /--from: .* is not valid\. Use a time after .*, or now/],
      ['2099-12-01T02:00Z', '2099-12-01T01:00Z', /--to: .* is not valid\. Use a time after 2099-12-01 02:00:00Z/],
      ['2099-02-30T02:00Z', '+1h', /--from: "2099-02-30T02:00Z" is not valid/],
      ['2099-12-01T25:00Z', '+1h', /--from: .* is not valid/],
      ['tonight', '+1h', /--from: "tonight" is not valid\. Use a time with its zone, such as 2026-12-01T02:00Z/],
      ['+1h', '+0s', /--to: .* Use a time after/],
    ] as const) {
      const { exitCode, stdout, stderr } = await folder.run(['lock', 'plan', '--from', from, '--to', to])
      assert.deepEqual([exitCode, stdout], [2, ''], from)
      assert.match(stderr, message)
    }
    for (const more of [
      ['--notice', 'soon'],
      ['--notice', '8d'],
      ['--only', 'checkout'],
      ['--reason', 'x'.repeat(501)],
    ]) {
      const { exitCode, stderr } = await folder.run(['lock', 'plan', '--from', '+1h', '--to', '+1h', ...more])
      assert.deepEqual([exitCode, stderr.split('\n').length], [2, 2], more.join(' '))
    }
    assert.equal((await folder.run(['lock', 'plan', '--from', '+1h'])).exitCode, 2)
    assert.match((await folder.run(['lock', 'status'])).stdout, /^Nothing is planned/m)
  })

  it('takes no more than 20', async () => {
    await using folder = await cliFolder()
    for (let number = 0; number < 20; number += 1) await planned(folder, '--from', '+1h', '--to', '+1h')
    const { exitCode, stderr } = await folder.run(['lock', 'plan', '--from', '+1h', '--to', '+1h'])
    assert.deepEqual(
      [exitCode, stderr],
      [1, 'fanlight: there are 20 plans already; drop one with fanlight lock cancel <id>\n'],
    )
  })
})

interface FolderApp extends AsyncDisposable {
  readonly running: RunningApp
  readonly held: readonly (() => void)[]
}

/** An application with the store of a folder; `held` lets the requests of `/held` end. */
async function appOf(folder: CliFolder): Promise<FolderApp> {
  const held: (() => void)[] = []
  const routes = new RouteCollection().get('home', '/', () => html`<h1>Open</h1>`)
  routes.get('held', '/held', () => new Promise<Reply>((resolve) => held.push(() => resolve(text('held')))))
  routes.post('pay', '/pay', () => text('paid'))
  const running = await startApp({ env: folder.env, routes })
  return { running, held, [Symbol.asyncDispose]: async () => running.app.close() }
}

interface HistoryJson {
  readonly history: readonly {
    readonly to: string | null
    readonly reason: string
    readonly closedBy: string
    readonly openedBy: string
    readonly isPlanned: boolean
    readonly turnedAway: number
  }[]
}

async function historyOf(folder: CliFolder): Promise<HistoryJson['history']> {
  const { history } = JSON.parse((await folder.run(['lock', 'status', '--json'])).stdout) as HistoryJson
  return history
}

describe('fanlight lock on --drain', () => {
  it('waits for the requests that began before, in every process', async () => {
    await using folder = await cliFolder()
    await using app = await appOf(folder)
    const { running, held } = app
    const before = running.send({ target: '/held' })
    await until(() => held.length === 1)
    const late = await folder.run(['lock', 'on', '--drain', '--deadline', '3s'])
    assert.equal(late.exitCode, 1)
    assert.match(
      late.stderr,
      /^fanlight: not drained within 3 s: 1 request still running in \S+ \d+ \(1\); the application stays closed\n$/,
    )
    assert.match(late.stdout, /^The application is closed: /)

    const draining = folder.run(['lock', 'on', '--drain', '--reason', 'again', '--json'])
    assert.equal((await running.send({ target: '/' })).status, 503)
    held[0]?.()
    assert.equal((await before).body, 'held')
    const drained = await draining
    assert.equal(drained.stderr, '')
    assert.deepEqual(
      [drained.exitCode, JSON.parse(drained.stdout).drained],
      [0, { running: 0, processes: 1, silent: [] }],
    )
    assert.match(
      (await folder.run(['lock', 'on', '--drain'])).stdout,
      /All requests have ended in the one process\.\n$/,
    )
  })

  it('does not wait for processes that were killed', async (test) => {
    await using folder = await cliFolder()
    const { lock } = await folder.engine()
    const { journal } = lock
    assert.ok(journal !== undefined)
    // What closes it next is set a millisecond later.
    const ahead = Date.now() + 3_600_000
    await lock.write({ value: 0, reason: '', retryAfterSeconds: null, changedAt: new Date(ahead).toISOString() })
    const report = async (changedAt: number): Promise<void> => {
      const heard = new Date(changedAt).toISOString()
      for (const [process, knows, running] of [
        ['killed 1', 'before', 0],
        ['killed 2', heard, 3],
        ['idle 3', heard, 0],
      ] as const) {
        await journal.report({ process, heard: knows, isClosed: true, running })
      }
    }
    await report(ahead + 1)
    const early = await folder.run(['lock', 'on', '--drain', '--deadline', '1s'])
    assert.match(
      early.stderr,
      /not drained within 1 s: 3 requests still running in killed 2 \(3\), no word yet of the lock from killed 1;/,
    )
    await report(ahead + 2)
    const read = journal.read.bind(journal)
    test.mock.method(journal, 'read', async () => {
      const content = await read()
      return { ...content, now: content.now + 30_000 }
    })
    const { exitCode, stdout } = await folder.run(['lock', 'on', '--drain'])
    assert.equal(exitCode, 0)
    assert.match(
      stdout,
      /All requests have ended in the one process\.\nNot waited for, silent for 30 s: killed 1, killed 2\.\n$/,
    )
  })

  it('ends at once if no process runs, and refuses deadlines that cannot be used', async () => {
    await using folder = await cliFolder()
    const { exitCode, stdout } = await folder.run(['lock', 'on', '--drain'])
    assert.equal(exitCode, 0)
    assert.match(stdout, /No process with this store is running\.\n$/)
    for (const more of [
      ['--deadline', '5s'],
      ['--drain', '--deadline', '0s'],
      ['--drain', '--deadline', 'never'],
    ]) {
      assert.equal((await folder.run(['lock', 'on', ...more])).exitCode, 2)
    }
  })
})

describe('fanlight lock status', () => {
  it('says when it was closed, by whom, why, and how many requests were turned away', async () => {
    await using folder = await cliFolder()
    await using app = await appOf(folder)
    const { running } = app
    await folder.run(['lock', 'on', '--reason', 'first'])
    await until(async () => (await running.send({ target: '/' })).status === 503)
    for (let number = 0; number < 4; number += 1) await running.send({ target: '/nowhere' })
    await folder.run(['lock', 'on', '--reason', 'second'])
    await until(async () => (await historyOf(folder))[0]?.turnedAway === 5)
    const [open] = await historyOf(folder)
    assert.match(open?.closedBy ?? '', /^[^@]+@./)
    assert.deepEqual(
      { ...open, closedBy: '', id: '', from: '', durationMs: 0 },
      {
        id: '',
        from: '',
        to: null,
        durationMs: 0,
        reason: 'second',
        closedBy: '',
        openedBy: '',
        isPlanned: false,
        only: null,
        readOnly: false,
        turnedAway: 5,
      },
    )
    await folder.run(['lock', 'off'])
    const [ended] = await historyOf(folder)
    assert.equal(ended?.openedBy, open?.closedBy)
    assert.match(
      (await folder.run(['lock', 'status'], { columns: 200 })).stdout,
      /^\S+ \S+ +\S+ \S+ .* 5 +everything +second +[^@]+@\S* +[^@]+@/m,
    )
  })

  it('has windows that began, and those that lock off or cancel have ended', async () => {
    await using folder = await cliFolder()
    await planned(folder, '--from', 'now', '--to', '+1h', '--reason', 'by off')
    assert.match(
      (await folder.run(['lock', 'status'])).stdout,
      /^The application is closed until .*: every request gets the maintenance page\.\n(.*\n)*\w{5} active .* by off/,
    )
    const [active] = await historyOf(folder)
    assert.deepEqual([active?.to, active?.isPlanned], [null, true])
    assert.match((await folder.run(['lock', 'off'])).stdout, /^The application is open/)
    const second = await planned(folder, '--from', 'now', '--to', '+1h', '--reason', 'by cancel', '--read-only')
    assert.match((await folder.run(['lock', 'cancel', second.id])).stdout, /^Ended: /)
    const history = await historyOf(folder)
    assert.deepEqual(
      history.map(({ reason, openedBy }) => [reason, openedBy !== '']),
      [
        ['by cancel', true],
        ['by off', true],
      ],
    )
  })
})
