// Call sites that are assumed, through a whole application: always said, and never while requests are few.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import type { HttpClientData } from '../../../src/profiler/capture/outgoing-calls.ts'
import { beginStatement } from '../../../src/profiler/capture/begin-statement.ts'
import { observeNodeSqlite } from '../../../src/profiler/capture/sources/sqlite.ts'
import { sqlText } from '../../../src/profiler/capture/statement-text.ts'
import { databaseOf } from '../../support/captured-statements.ts'
import { profileOf, startWorking } from '../../support/captured.ts'
import { startEchoService } from '../../support/echo-service.ts'
import type { RunningApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'

const here = /^test\/profiler\/capture\/assumed-site\.test\.ts:\d+$/
const assumedHere = /^test\/profiler\/capture\/assumed-site\.test\.ts:\d+ \(assumed\)$/

interface Sites {
  readonly statements: readonly string[]
  readonly calls: readonly string[]
}

/** Sends many requests at a time, then one whose call sites it gives. */
async function sitesUnderLoad(app: RunningApp): Promise<Sites> {
  await Promise.all(Array.from({ length: 60 }, () => app.app.inject({})))
  return sitesOf(app)
}

/** Sends one request, and gives the call sites of its statements and calls. */
async function sitesOf(app: RunningApp): Promise<Sites> {
  const profile = await profileOf(app)
  // Only the collector keeps something under the name.
  const http = profile.data['http-client'] as HttpClientData | undefined
  return {
    statements: databaseOf(profile).statements.map(({ callSite }) => String(callSite)),
    calls: (http?.calls ?? []).map(({ callSite }) => String(callSite)),
  }
}

describe('a call site that is known', () => {
  it('is assumed under load, says so, and is the right one', async () => {
    await using service = await startEchoService()
    const one = observeNodeSqlite(new DatabaseSync(':memory:')).prepare('SELECT ?')
    await using app = await startWorking(async () => {
      one.get(1)
      await (await fetch(`${service.url}/echo`)).text()
    })
    const [first] = (await sitesOf(app)).statements
    assert.match(first ?? '', here)
    await until(async () => {
      const { statements, calls } = await sitesUnderLoad(app)
      for (const site of [...statements, ...calls]) assert.match(site, assumedHere.test(site) ? assumedHere : here)
      const isSame = statements[0]?.startsWith(first ?? '-') === true
      assert.ok(isSame)
      return assumedHere.test(statements[0] ?? '') && assumedHere.test(calls[0] ?? '')
    })
  })

  it('is assumed for what a source tells of by its text, too', async () => {
    await using app = await startWorking(() => {
      const start = { system: 'other_sql', library: 'my-driver', text: sqlText('SELECT 1', 'sql'), key: null } as const
      beginStatement(() => ({ ...start, site: 12 }))?.end()
    })
    const [first] = (await sitesOf(app)).statements
    assert.match(first ?? '', here)
    await until(async () => (await sitesUnderLoad(app)).statements[0] === `${first} (assumed)`)
  })

  it('is caught each time where a statement is run from two places', async () => {
    const one = observeNodeSqlite(new DatabaseSync(':memory:')).prepare('SELECT ?')
    await using app = await startWorking(() => {
      one.get(1)
      one.get(2)
    })
    for (let turn = 0; turn < 8; turn += 1) {
      const { statements } = await sitesUnderLoad(app)
      for (const site of statements) assert.match(site, here)
      assert.equal(new Set(statements).size, 2)
    }
  })

  it('is caught each time while requests are few', async () => {
    const one = observeNodeSqlite(new DatabaseSync(':memory:')).prepare('SELECT ?')
    await using app = await startWorking(() => {
      for (let round = 0; round < 100; round += 1) one.get(round)
    })
    for (let turn = 0; turn < 3; turn += 1) {
      const { statements, findings } = databaseOf(await profileOf(app))
      for (const { callSite } of statements) assert.match(callSite ?? '', here)
      assert.deepEqual(
        findings.map(({ kind, count }) => [kind, count]),
        [['n+1', 100]],
      )
    }
  })
})
