import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, loadRuntimeContext, RouteCollection } from '../../../src/index.ts'
import type { LockFacts } from '../../../src/profiles/lock.ts'
import { openEngine } from '../../../src/app/open-engine.ts'
import { LineList } from '../../support/exchange.ts'
import { pageText, startApp } from '../../support/running-app.ts'
import { pick } from '../../support/pick.ts'

const hour = 3_600_000
const now = Date.now()
const later = (hours: number): string => new Date(now + hours * hour).toISOString()

describe('/_profiler/lock', () => {
  it('says that nothing is closed, planned or was closed', async () => {
    await using running = await startApp()
    const { status, body } = await running.send({ target: '/_profiler/lock' })
    assert.equal(status, 200)
    const text = pageText(body).replace(/\s+/g, ' ')
    for (const part of [
      'The application is open: requests are served.',
      'Nothing is planned.',
      'The application was never closed.',
    ])
      assert.ok(text.includes(part), part)
    assert.equal((await running.send({ target: '/_profiler/lock', method: 'POST' })).status, 405)
    assert.deepEqual((await running.send({ target: '/_profiler/lock', method: 'HEAD' })).body, '')
  })

  it('shows what is planned and what was closed, as page, Markdown and JSON, whatever a reason says', async () => {
    const { lock } = await openEngine('memory:')
    const reason = '<script>alert(1)</script> `# moving`'
    const windows = [
      { id: 'night', from: later(1), to: later(3), reason, noticeSeconds: 7200, plannedBy: 'anna@web-1' },
      { id: 'noon', from: later(2), to: later(5), reason: '', noticeSeconds: 0, only: ['/checkout/*'], readOnly: true },
    ]
    await lock.write({ value: 4, reason: '', retryAfterSeconds: null, changedAt: later(-1), windows })
    const was = { id: 'was', from: later(-9), to: later(-8), reason, closedBy: 'ben@web-2', openedBy: 'anna@web-1' }
    await lock.journal?.keep({ ...was, isPlanned: false })
    await lock.journal?.report({ process: 'web-9 7', heard: '', isClosed: true, running: 2 })
    await lock.journal?.count({ was: 1234 })
    await using running = await startApp({ lockStore: lock })
    const page = (await running.send({ target: '/_profiler/lock' })).body
    assert.ok(!page.includes('<script>alert'))
    const text = pageText(page).replace(/\s+/g, ' ')
    for (const part of [
      'requests are served. The next plan begins at',
      reason,
      'night announced',
      'overlaps with noon',
      '/checkout/* but for GET and HEAD',
      '1,234',
      'anna@web-1',
      'web-9 7 not yet 2',
    ]) {
      assert.ok(text.includes(part), part)
    }
    const markdown = (await running.send({ target: '/_profiler/lock.md' })).body
    assert.match(markdown, /^# Lock\n\nThe application is open: requests are served\./)
    assert.match(markdown, /- `night` `announced`: .* closes `everything`, reason ``/)
    assert.match(markdown, /turned away 1,234, .*by `ben@web-2`/)
    const facts = JSON.parse((await running.send({ target: '/_profiler/lock.json' })).body) as LockFacts
    assert.deepEqual(pick(facts.windows, 'id', 'state', 'overlaps'), [
      ['night', 'announced', ['noon']],
      ['noon', 'planned', ['night']],
    ])
    const [period] = facts.history
    assert.deepEqual([period?.id, period?.durationMs, period?.turnedAway], ['was', hour, 1234])
  })

  it('says how long it is closed by plan', async () => {
    const { lock } = await openEngine('memory:')
    const windows = [{ id: 'now', from: later(-1), to: later(1), reason: '', noticeSeconds: 0, only: ['/a'] }]
    await lock.write({ value: 0, reason: '', retryAfterSeconds: null, changedAt: later(-1), windows })
    await using running = await startApp({ lockStore: lock })
    const text = (await running.send({ target: '/_profiler/lock.md' })).body
    assert.match(
      text,
      /^# Lock\n\nThe application is closed in part until \S+ \S+ UTC, for another \d+ min \d+ s: other requests are served\./,
    )
    assert.match(text, /## History\n\n- [^`]+, planned: to \(UTC\) `still closed`, lasted 1 h/)
  })

  it('is not there, and not linked, without maintenance()', async (test) => {
    const { context } = loadRuntimeContext({ cwd: '/', env: { APP_ENV: 'dev', APP_STORE: 'memory:' } })
    const app = await createApp({ context, routes: new RouteCollection(), log: new LineList() })
    test.after(() => app.close())
    const lock = await app.inject('/_profiler/lock')
    assert.equal(lock.status, 404)
    assert.match(lock.body, /This application has no lock: it is without the plugin maintenance\(\)\./)
    assert.doesNotMatch((await app.inject('/_profiler/')).body, />Lock<\/a>/)
  })
})
