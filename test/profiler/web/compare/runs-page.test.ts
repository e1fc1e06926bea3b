// Runs compared over a real socket: profiles of real requests, and of a process that ran before this one.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { openSqliteEngine } from '../../../../src/stores/sqlite/open-sqlite-engine.ts'
import type { ReadRuns } from '../../../../src/analysis/compare/read-runs.ts'
import { makeProfile } from '../../../support/profiles.ts'
import { pageText, startApp, type RunningApp } from '../../../support/running-app.ts'
import { makeTemporaryDirectory } from '../../../support/temporary-directory.ts'
import { until } from '../../../support/until.ts'
import { pick } from '../../../support/pick.ts'

interface RunsAnswer extends ReadRuns {
  readonly problems: readonly string[]
}

const hour = 3_600_000

/** An application whose store has profiles of a process that began an hour ago: one route slower, one faster, one gone. */
async function secondStart(test: TestContext): Promise<{ app: RunningApp; before: number }> {
  const directory = makeTemporaryDirectory(test)
  const path = join(directory, 'store.db')
  const before = Date.now() - hour
  const engine = await openSqliteEngine({ path })
  const profile = (route: string, durationMs: number, index: number) =>
    makeProfile({ route, durationMs, time: before + index, data: { config: { startedAt: before } } })
  const routes = [
    ['products', 0.0001],
    ['api', 5000],
    ['gone', 7],
  ] as const
  await engine.profiles.write(
    routes.flatMap(([route, ms]) => Array.from({ length: 6 }, (_, index) => profile(route, ms, index))),
  )
  await engine.close()
  const app = await startApp({ env: { APP_STORE: `sqlite:${path}` } })
  test.after(() => app[Symbol.asyncDispose]())
  for (let turn = 0; turn < 6; turn += 1) {
    await app.send({ target: '/products' })
    await app.send({ target: '/api' })
  }
  await app.send({ target: '/error' })
  return { app, before }
}

async function asJson(app: RunningApp, query = ''): Promise<RunsAnswer> {
  const { body } = await app.send({ target: `/_profiler/runs.json?${query}` })
  return JSON.parse(body) as RunsAnswer
}

describe('runsPage', () => {
  it('compares this start of the application with the one before it', async (test) => {
    const { app, before } = await secondStart(test)
    await until(async () => (await asJson(app)).run?.count === 13)
    const { run, base, groups } = await asJson(app)
    assert.deepEqual([run.until, base?.since, base?.until, base?.count], [undefined, before, run.since, 18])
    const found = new Map(groups.map(({ key, change }) => [key, change]))
    assert.deepEqual([found.get('api'), found.get('gone'), found.get('error')], ['better', 'only-base', 'only-run'])
    const { body, status } = await app.send({ target: '/_profiler/runs' })
    assert.equal(status, 200)
    const text = pageText(body).replace(/\s+/g, ' ')
    assert.match(text, /Before .+ \(18 profiles\)/)
    assert.match(text, /\d of 4 routes got worse, 1 better\..+api\s+faster.+−\d+ % .+gone\s+only before/)
  })

  it('leads to the profiles of both sides, and to a comparison of the newest of both', async (test) => {
    const { app } = await secondStart(test)
    const { body } = await app.send({ target: '/_profiler/runs?route=api' })
    const addresses = [...body.matchAll(/href="(\/_profiler\/(?:\?|compare\?)[^"]*)"/g)].map(([, found = '']) =>
      found.replaceAll('&amp;', '&'),
    )
    const lists = addresses.filter((address) => address.includes('route=api'))
    const counts = await Promise.all(
      lists.map(async (target) => {
        const list = await app.send({ target, headers: ['Accept: application/json'] })
        return (JSON.parse(list.body) as { items: unknown[] }).items.length
      }),
    )
    assert.deepEqual(counts, [6, 6])
    const pair = addresses.find((address) => address.includes('compare?a=')) ?? assert.fail()
    assert.equal((await app.send({ target: pair })).status, 200)
  })

  it('is Markdown, with names of routes in code spans', async (test) => {
    const { app, before } = await secondStart(test)
    const split = new Date(before + hour / 2).toISOString()
    const { body, status } = await app.send({ target: `/_profiler/runs.md?since=${split}` })
    assert.equal(status, 200)
    assert.match(
      body,
      /^# Runs\n\n\d of 4 routes got worse, 1 better\. [^\n]+\n\n[^\n]+\n\n- After: from .+ UTC on \(13 profiles\)\n- Before: before .+ UTC \(18 profiles\)/,
    )
    assert.match(body, /^- `api` `faster`.*: count `6`, .*p50 `−\d+ %` .+ p50 before 5\.00 s/m)
  })

  it('says so where there is one start only, and where a side is empty', async (test) => {
    const app = await startApp()
    test.after(() => app[Symbol.asyncDispose]())
    await app.send({ target: '/products' })
    const { body } = await app.send({ target: '/_profiler/runs' })
    assert.match(body, /Nothing to compare yet: no earlier start of the application is known\./)
    assert.doesNotMatch(body, /<td class="number"[^>]*>\s*(?:<[^>]*>\s*)*0\s*</)
    const { groups, base } = await asJson(app, 'since=2020-01-01')
    assert.deepEqual([pick(groups, 'change'), base?.count], [['only-run'], 0])
    const neither = await app.send({ target: '/_profiler/runs?since=2100-01-01&base-until=2020-01-01' })
    assert.match(neither.body, /Neither run has profiles\./)
  })

  it('compares versions of the application: those that are named, and one with the one before it', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const store = `sqlite:${join(directory, 'store.db')}`
    for (const version of ['2.0.0', '2.1.0']) {
      await using app = await startApp({ env: { APP_STORE: store, APP_VERSION: version } })
      for (let turn = 0; turn < 6; turn += 1) await app.send({ target: '/products' })
      await app.send({ target: '/nowhere' })
    }
    await using app = await startApp({ env: { APP_STORE: store } })
    await app.send({ target: '/products' })
    for (const query of ['version=2.1.0&base-version=2.0.0', 'version=2.1.0', 'base-version=2.0.0']) {
      const { run, base, groups } = await asJson(app, query)
      assert.deepEqual([run.version, run.count, base?.version, base?.count], ['2.1.0', 7, '2.0.0', 7], query)
      assert.deepEqual(
        new Map(groups.map((one) => [one.key, [one.run?.count, one.base?.count]])),
        new Map([
          ['products', [6, 6]],
          [null, [1, 1]],
        ]),
      )
    }
    const { body } = await app.send({ target: '/_profiler/runs?version=2.1.0' })
    assert.match(
      pageText(body).replace(/\s+/g, ' '),
      /After version 2\.1\.0 \(7 profiles\) Before version 2\.0\.0 \(7 profiles\)/,
    )
    assert.doesNotMatch(body, /The times overlap/)
    const unmatched = /href="(\/_profiler\/\?[^"]*matched=no[^"]*)"/.exec(body)?.[1] ?? assert.fail()
    const list = await app.send({ target: unmatched.replaceAll('&amp;', '&'), headers: ['Accept: application/json'] })
    const { items } = JSON.parse(list.body) as { items: { status: number; version: string }[] }
    assert.deepEqual(pick(items, 'status', 'version'), [[404, '2.1.0']])
    const first = await app.send({ target: '/_profiler/runs.md?version=2.0.0' })
    assert.equal(first.status, 200)
    assert.match(first.body, /- After: version `2\.0\.0`.+\n- Before: version `2\.1\.0`/)
  })

  it('does not mark a difference that may be chance', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const path = join(directory, 'store.db')
    const engine = await openSqliteEngine({ path })
    const of = (version: string, slowestMs: number) =>
      Array.from({ length: 8 }, (_, index) =>
        makeProfile({ route: 'api', durationMs: index === 7 ? slowestMs : 10, version }),
      )
    await engine.profiles.write([...of('1', 20), ...of('2', 90)])
    await engine.close()
    await using app = await startApp({ env: { APP_STORE: `sqlite:${path}` } })
    const { body } = await app.send({ target: '/_profiler/runs?version=2&base-version=1' })
    assert.match(pageText(body).replace(/\s+/g, ' '), /p95 before 20\.0 ms|90\.0 ms 20\.0 ms/)
    assert.doesNotMatch(body.slice(body.indexOf('<main')), /class="badge|×/)
  })

  it('says that the times of both overlap', async (test) => {
    const app = await startApp()
    test.after(() => app[Symbol.asyncDispose]())
    const { body } = await app.send({ target: '/_profiler/runs?since=2020-01-01&base-since=2021-01-01' })
    assert.match(body, /The times overlap/)
  })

  it('counts what cannot be compared, and says why', async (test) => {
    const app = await startApp()
    test.after(() => app[Symbol.asyncDispose]())
    await app.send({ target: '/products' })
    const { base, nothing, groups } = await asJson(app, 'until=2100-01-01')
    assert.deepEqual([base, pick(groups, 'key', 'change')], [null, [['products', null]]])
    assert.equal(nothing, 'Before: unknown. Give a start time for After, or times or a version for Before.')
  })

  it('says what cannot be used', async (test) => {
    const app = await startApp()
    test.after(() => app[Symbol.asyncDispose]())
    const times = 'is not a time. Use a time such as 2026-11-21T08:00, or 10m for ten minutes ago.'
    for (const [query, problem] of [
      ['base-since=yesterday', `Before: from (UTC): "yesterday" ${times}`],
      ['since=x', `"x" ${times}`],
      ['since=2026-01-01&status=9', '"9" is not a status. Use 404, 4xx, or 0 (no response).'],
      ['base-version=1&base-version=2', 'Before: version: "1" and "2" cannot be combined. Use one value.'],
    ] as const) {
      const target = `/_profiler/runs.json?${query}`
      const { status, body } = await app.send({ target })
      assert.equal(status, 400, query)
      assert.deepEqual((JSON.parse(body) as { problems: unknown }).problems, [problem])
      const page = await app.send({ target: target.replace('.json', '') })
      assert.ok(page.body.includes(problem), query)
    }
  })
})
