// The pages of errors in its three forms, over a real socket.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { json, RouteCollection } from '../../../src/index.ts'
import type { KnownErrors } from '../../../src/profiles/known-errors/known-errors.ts'
import type { FoundErrors } from '../../../src/analysis/questions/errors.ts'
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
      env: { APP_STORE: `sqlite:${join(directory, 'errors.db')}`, APP_VERSION: version },
    })
    for (const target of ['/total', '/stock', '/nowhere']) await running.send({ target })
  }
  await until(async () => (await read()).count === 6)
})
after(async () => running[Symbol.asyncDispose]())

// Pages of the profiler send no referrer, so a browser sends no origin for their forms.
const fromHere = ['Origin: null', 'Sec-Fetch-Site: same-origin']

const page = async (path: string): Promise<string> => (await running.send({ target: `/_profiler/${path}` })).body
const read = async (query = ''): Promise<KnownErrors> => JSON.parse(await page(`errors.json?${query}`)) as KnownErrors

describe('errorsPage', () => {
  it('lists what is open and what is resolved, by version', async () => {
    const { errors, count } = await read()
    assert.equal(count, 6)
    assert.deepEqual(
      errors.map(({ state, count: times, firstVersion, lastVersion, without }) => [
        state,
        times,
        firstVersion,
        lastVersion,
        without,
      ]),
      [
        ['open', 2, '1.0.0', '1.1.0', null],
        ['resolved', 1, '1.0.0', '1.0.0', { version: '1.1.0', requests: 1 }],
      ],
    )
  })

  it('shows state, reason, route, versions and links to the profiles', async () => {
    const { errors } = await read()
    const body = await page('errors')
    assert.match(body, /aria-sort="descending">\s*<a [^>]*>Last seen/)
    assert.match(body, /<details class="fold all-filters">/)
    assert.match(await page('errors?route=stock'), /<details class="fold all-filters" open/)
    assert.match(
      body,
      /<span class="badge tone-warning">open<\/span>[\s\S]*<span class="badge tone-success">resolved<\/span>/,
    )
    assert.match(body, /Not seen since 1\.1\.0, in 1 request that went well\./)
    assert.match(
      body,
      />the total of "a&lt;b" is below 0<\/a>\s*<div class="detail" dir="auto">RangeError in test\/[^:<]*<\/div>/,
    )
    assert.match(body, /route total/)
    for (const { id, families, lastToken, service } of errors) {
      const parts = { family: families[0] ?? '', ...(service !== null && { service }) }
      const href = `/_profiler/?${new URLSearchParams(parts)}`
      const link = `href="${href.replaceAll('&', '&amp;')}"`
      assert.ok((await page(`errors?id=${id}`)).includes(link), href)
      assert.ok(body.includes(`href="/_profiler/${lastToken}"`))
      assert.match(await page(href.slice('/_profiler/'.length)), new RegExp(`id="${lastToken}"`))
    }
  })

  it('narrows by state and by the filters of the list', async () => {
    assert.deepEqual(pick((await read('state=resolved')).errors, 'places'), [
      [{ route: 'total', command: null, isBrowser: false }],
    ])
    assert.deepEqual(pick((await read('route=stock')).errors, 'state'), ['open'])
    assert.match(await page('errors?state=ignored'), /No error matches\./)
    assert.match(
      await page('errors?state=resolved'),
      /<a class="button" href="[^"]*state=resolved" aria-current="page">Resolved/,
    )
  })

  it('is there as Markdown', async () => {
    const body = await page('errors.md')
    assert.match(body, /^# Errors\n\n2 errors in 6 profiles\.\n\nEverything in code spans/)
    assert.match(
      body,
      /\n- `no stock`: count 2, first seen \(UTC\) 2[^\n]*, origin `TypeError in test\/[^:]*`, in `route stock`/,
    )
  })

  it('is linked from the profile of an error', async () => {
    const { errors } = await read('state=open')
    const { lastToken = '' } = errors[0] ?? {}
    const [, href = ''] = /href="\/_profiler\/(errors\?id=[^"]+)">Same error</.exec(await page(lastToken)) ?? []
    assert.match(await page(href), new RegExp(`href="/_profiler/${lastToken}"`))
    const missing = (await running.send({ target: '/nowhere' })).header('x-debug-token') ?? ''
    assert.doesNotMatch(await page(missing), />Same error</)
  })

  it('shows one error with its requests, and 404 for an unknown one', async () => {
    const { errors } = await read('state=open')
    const { id, lastToken } = errors[0] ?? assert.fail()
    const body = await page(`errors?id=${id}`)
    assert.match(
      body,
      /<h1 [^>]*>no stock<\/h1>[^]*<b>TypeError<\/b>[^]*errors-page\.test\.ts:\d+:\d+[^]*<li class="at">\s*<i class="t-kwd">throw<\/i>/,
    )
    assert.match(
      await page(`errors.md?id=${id}`),
      /^# Error\n[^]*throw new TypeError[^\n]*failed here[^]*Error: `no stock`/,
    )
    for (const part of ['route stock', `href="/_profiler/${lastToken}"`, 'Requests</h2>'])
      assert.ok(body.includes(part))
    assert.equal(((JSON.parse(await page(`errors.json?id=${id}`)) as FoundErrors).requests ?? []).length, 2)
    const unknown = await running.send({ target: '/_profiler/errors?id=000000000000' })
    assert.deepEqual([unknown.status, /There is no such error/.test(unknown.body)], [404, true])
  })

  it('counts client errors where their status is asked for', async () => {
    const { errors } = await read('status=4xx')
    assert.deepEqual(pick(errors, 'state'), ['open'])
    assert.ok((errors[0]?.count ?? 0) >= 2)
    assert.match(await page('errors'), /href="\/_profiler\/errors\?status=4xx"/)
  })

  it('is set by hand, by this machine and by a page of ours only', async () => {
    const { errors } = await read('state=open')
    const { id } = errors[0] ?? assert.fail()
    const set = async (parts: Readonly<Record<string, string>>, headers = fromHere) =>
      running.send({
        method: 'POST',
        target: '/_profiler/errors',
        headers: [`Host: ${new URL(running.url).host}`, 'Content-Type: application/x-www-form-urlencoded', ...headers],
        body: String(new URLSearchParams(parts)),
      })
    assert.equal((await set({ id, state: 'ignored' }, ['Sec-Fetch-Site: same-origin'])).status, 403)
    assert.equal((await set({ id, state: 'ignored' }, ['Origin: null', 'Sec-Fetch-Site: cross-site'])).status, 403)
    for (const wrong of [{ id }, { id, state: 'closed' }, { id: '<script>', state: 'open' }]) {
      const { status, body } = await set(wrong)
      assert.deepEqual([status, body.includes('Send the fields `id`')], [400, true])
    }
    assert.equal((await read('state=ignored')).errors.length, 0)
    const taken = await set({ id, state: 'resolved', comment: 'new <stock> token=zq0815zq0815' })
    assert.deepEqual([taken.status, taken.header('location')], [302, `/_profiler/errors?id=${id}`])
    const body = await page(`errors?id=${id}`)
    assert.match(body, /set to resolved[\s\S]*new &lt;stock&gt; token=\*{6}</)
    assert.deepEqual(
      [...body.matchAll(/name="state" value="(\w+)"/g)].map(([, state]) => state),
      ['open', 'ignored'],
    )
    await running.send({ target: '/stock' })
    await until(async () => (await read(`id=${id}`)).errors[0]?.isBack === true)
    assert.match(await page('errors'), /open again<\/span>/)
    assert.match(await page(`errors.md?id=${id}`), /Seen again: it was resolved by/)
  })

  it('says where there are no errors', async () => {
    const routes = new RouteCollection().get('fails', '/fails', () => {
      throw new Error('no')
    })
    await using app = await startApp({ routes })
    assert.match((await app.send({ target: '/_profiler/errors' })).body, /No errors recorded\./)
    // Before the first request there is nothing to filter on any page.
    for (const page of ['errors', 'queries', 'logs', 'runs']) {
      const { body } = await app.send({ target: `/_profiler/${page}` })
      assert.match(body, /<div class="list-head is-new"><form/, page)
      assert.equal(body.match(/<p class="empty">/g)?.length, 1, page)
      assert.doesNotMatch(body, /<nav class="row choices|<p class="note/, page)
    }
  })
})
