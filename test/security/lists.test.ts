// What lists, groups, searches and the way between profiles do with hostile text.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { RouteCollection } from '../../src/index.ts'
import type { ProfilePage } from '../../src/profiles/profile-store.ts'
import { startTags } from '../support/page-text.ts'
import { processorMs } from '../support/processor-time.ts'
import { startApp, type RunningApp } from '../support/running-app.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

const markup = '"><img src=x onerror=alert(1)><script>alert(2)</script>'
const secret = 'sk_live_51H8abcdefghijklmnopqrst'

function routes(): RouteCollection {
  const table = new RouteCollection()
  table.get('throws', '/throws', () => {
    throw new TypeError(`no price ${markup}`)
  })
  table.get('leaks', '/leaks', ({ log }) => {
    log.error('Charged with Bearer {token}.', { token: secret })
    throw new Error(`refused: Authorization: Bearer ${secret}`)
  })
  return table
}

async function search(running: RunningApp, text: string): Promise<ProfilePage> {
  const { body } = await running.send({ target: `/_profiler/index.json?search=${encodeURIComponent(text)}` })
  return JSON.parse(body) as ProfilePage
}

describe('lists of profiles under attack', () => {
  it('T160: the message of an error is text in list, errors and live rows', async () => {
    await using running = await startApp({ routes: routes() })
    await running.send({ target: '/throws' })
    for (const path of ['', '?search=price', 'errors']) {
      const { body } = await running.send({ target: `/_profiler/${path}` })
      assert.match(body.replaceAll(/<\/?mark>/g, ''), /no price/, path)
      assert.doesNotMatch(body, /<img|<script>alert/, path)
    }
  })

  it('T161: the list in the address of a profile leads nowhere else', async () => {
    await using running = await startApp({ routes: routes() })
    const tokens: string[] = []
    for (const target of ['/throws', '/throws'])
      tokens.push((await running.send({ target })).header('x-debug-token') ?? '')
    for (const list of [
      markup,
      'https://evil.example/',
      '//evil.example',
      'search=%22%3E%3Cimg%3E',
      'javascript:alert(1)',
    ]) {
      const { status, body } = await running.send({
        target: `/_profiler/${tokens[0]}?list=${encodeURIComponent(list)}`,
      })
      assert.equal(status, 200)
      const links = startTags(body).flatMap((tag) => /^<a [^>]*href="([^"]*)"/.exec(tag)?.[1] ?? [])
      const outside = links.filter((href) => !/^(?:\/_profiler\/|#)/.test(href) && /evil|javascript/.test(href))
      assert.deepEqual(outside, [], list)
      assert.doesNotMatch(body, /<img|<script>alert/, list)
    }
  })

  it('T162: a secret is masked in what a search looks at, also in the file', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const path = join(directory, 'store.db')
    await using running = await startApp({ routes: routes(), env: { APP_STORE: `sqlite:${path}` } })
    await running.send({ target: '/leaks' })
    assert.equal((await search(running, 'Charged with')).items.length, 1)
    for (const part of [secret, secret.slice(8)]) assert.deepEqual((await search(running, part)).items, [])
    await running[Symbol.asyncDispose]()
    assert.ok(!readFileSync(path).includes(secret))
  })

  it('T163: a search is not a pattern and no SQL', async (test) => {
    const path = join(makeTemporaryDirectory(test), 'store.db')
    await using running = await startApp({ routes: routes(), env: { APP_STORE: `sqlite:${path}` } })
    await running.send({ target: '/throws' })
    for (const text of ['%', '_', "' OR '1'='1", "%'; DROP TABLE profile; --", '\\', '%'.repeat(400)]) {
      assert.deepEqual((await search(running, text)).items, [], text)
    }
    assert.equal((await search(running, 'no price')).items.length, 1)
  })

  it('T164: a long text in an address is refused, and a wild one costs a moment', async () => {
    await using running = await startApp({ routes: routes() })
    for (let count = 0; count < 20; count++) await running.send({ target: '/throws' })
    const long = await running.send({ target: `/_profiler/?search=${'a'.repeat(600)}` })
    assert.equal(long.status, 400)
    const ms = await processorMs(async () => {
      assert.deepEqual((await search(running, 'a%_'.repeat(160))).items, [])
    })
    assert.ok(ms < 2000, `${ms} ms of the processor`)
  })
})
