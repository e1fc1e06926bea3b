// The page of issues in its three forms, over a real socket.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { json, RouteCollection } from '../../../src/index.ts'
import type { Issues } from '../../../src/profiler/issues/issues.ts'
import { startApp, type RunningApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts'
import { pick } from '../../support/pick.ts'

let running: RunningApp
const directory = makeTemporaryDirectory({ after })

before(async () => {
  const routes = (isMended: boolean): RouteCollection => {
    const table = new RouteCollection()
    table.get('total', '/total', () => {
      if (!isMended) throw new RangeError('the total of "a<b" is below 0')
      return json({ total: 1 })
    })
    table.get('stock', '/stock', () => {
      throw new TypeError('no stock')
    })
    return table
  }
  for (const [version, isMended] of [
    ['1.0.0', false],
    ['1.1.0', true],
  ] as const) {
    await running?.[Symbol.asyncDispose]()
    running = await startApp({
      routes: routes(isMended),
      env: { APP_STORE: `sqlite:${join(directory, 'issues.db')}`, APP_VERSION: version },
    })
    for (const target of ['/total', '/stock', '/nowhere']) await running.send({ target })
  }
  await until(async () => (await read()).count === 6)
})
after(async () => running[Symbol.asyncDispose]())

const page = async (path: string): Promise<string> => (await running.send({ target: `/_profiler/${path}` })).body
const read = async (query = ''): Promise<Issues> => JSON.parse(await page(`issues.json?${query}`)) as Issues

describe('issuesPage', () => {
  it('lists what is open and what is fixed, by version', async () => {
    const { issues, count } = await read()
    assert.equal(count, 6)
    assert.deepEqual(
      issues.map(({ state, count: times, firstVersion, lastVersion, without }) => [
        state,
        times,
        firstVersion,
        lastVersion,
        without,
      ]),
      [
        ['open', 2, '1.0.0', '1.1.0', null],
        ['fixed', 1, '1.0.0', '1.0.0', { version: '1.1.0', requests: 1 }],
      ],
    )
  })

  it('shows state, reason, route, versions and links to the profiles', async () => {
    const { issues } = await read()
    const body = await page('issues')
    assert.match(
      body,
      /<span class="badge tone-warning">open<\/span>[\s\S]*<span class="badge tone-success">fixed<\/span>/,
    )
    assert.match(body, /Not seen since 1\.1\.0, in 1 request that went well\./)
    assert.match(body, /<div class="detail" dir="auto">the total of "a&lt;b" is below 0<\/div>/)
    assert.match(body, /route total/)
    for (const { families, lastToken, service } of issues) {
      const parts = { family: families[0] ?? '', ...(service !== null && { service }) }
      const href = `/_profiler/?${new URLSearchParams(parts)}`
      assert.ok(body.includes(`href="${href.replaceAll('&', '&amp;')}"`), href)
      assert.ok(body.includes(`href="/_profiler/${lastToken}"`))
      assert.match(await page(href.slice('/_profiler/'.length)), new RegExp(`id="${lastToken}"`))
    }
  })

  it('narrows by state and by the filters of the list', async () => {
    assert.deepEqual(pick((await read('state=fixed')).issues, 'places'), [
      [{ route: 'total', command: null, isBrowser: false }],
    ])
    assert.deepEqual(pick((await read('route=stock')).issues, 'state'), ['open'])
    assert.match(await page('issues?state=regressed'), /No issue matches\./)
    assert.match(
      await page('issues?state=fixed'),
      /<a class="button" href="[^"]*state=fixed" aria-current="page">Fixed/,
    )
  })

  it('is there as Markdown', async () => {
    const body = await page('issues.md')
    assert.match(body, /^# Issues\n\n2 issues in all 6 profiles\.\n\nEverything in code spans/)
    assert.match(body, /\n- `TypeError in test\/.*: no stock`: state `open`, count 2, first seen \(UTC\) 2/)
  })

  it('is linked from the profile of an error', async () => {
    const { issues } = await read('state=open')
    const { lastToken = '' } = issues[0] ?? {}
    const [, href = ''] = /href="\/_profiler\/(issues\?family=[^"]+)">Issue</.exec(await page(lastToken)) ?? []
    assert.match(await page(href), new RegExp(`href="/_profiler/${lastToken}"`))
    const missing = (await running.send({ target: '/nowhere' })).header('x-debug-token') ?? ''
    assert.doesNotMatch(await page(missing), />Issue</)
  })

  it('leads to the durations of errors, and those lead here', async () => {
    assert.match(await page('issues'), /href="\/_profiler\/groups\?by=error"/)
    assert.match(await page('groups?by=error'), /href="\/_profiler\/issues\?"/)
    assert.doesNotMatch(await page('groups'), /href="\/_profiler\/issues\?"/)
  })

  it('says where there are no errors, and how versions are named', async () => {
    const routes = new RouteCollection().get('fails', '/fails', () => {
      throw new Error('no')
    })
    await using app = await startApp({ routes })
    assert.match((await app.send({ target: '/_profiler/issues' })).body, /No errors recorded\./)
    await app.send({ target: '/fails' })
    assert.match((await app.send({ target: '/_profiler/issues' })).body, /Set <code>APP_VERSION<\/code>/)
  })
})
