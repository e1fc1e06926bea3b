// Chapter 6 of the contract: maintenance.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { loadRuntimeContext } from '../../src/http/config/runtime-context.ts'
import { openEngine } from '../../src/app/open-engine.ts'
import { cliFolder } from '../support/cli-run.ts'
import { startApp } from '../support/running-app.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

it('SPEC 6.1: bit 1 of the lock: serves the static page instead: no route match, no currency read, no profile', async () => {
  await using closed = await startApp({ env: { APP_LOCK: '1' } })
  for (const target of ['/', '/products', '/nope', '/_profiler/']) {
    const response = await closed.send({ target })
    assert.equal(response.status, 503)
    assert.equal(response.header('x-debug-token'), undefined)
  }
  assert.ok(!closed.log.lines.some((line) => line.message.startsWith('Matched route')))
  assert.equal(closed.currencies.reads, 0)
  assert.equal((await closed.profiles.find({})).items.length, 0)
})

describe('SPEC 6.2: the effective lock is boot value OR shared value', () => {
  it('follows the shared store while running, without a restart', async (test) => {
    const store = `sqlite:${join(makeTemporaryDirectory(test), 'lock.db')}`
    await using running = await startApp({ env: { APP_STORE: store } })
    const other = await openEngine(store)
    const set = async (value: number): Promise<void> =>
      other.lock.write({ value, reason: 'test', retryAfterSeconds: 120, changedAt: new Date().toISOString() })
    assert.equal((await running.send({ target: '/' })).status, 200)
    await set(1)
    await until(async () => (await running.send({ target: '/' })).status === 503)
    assert.equal((await running.send({ target: '/' })).header('retry-after'), '120')
    await set(2)
    await until(async () => (await running.send({ target: '/' })).status === 200)
    await other.close()
  })

  it('asks clients to wait as the lock says, else as the application says', async () => {
    await using folder = await cliFolder()
    await using running = await startApp({ env: { APP_STORE: folder.env['APP_STORE'] ?? '' }, retryAfterSeconds: 600 })
    const retryAfter = async (): Promise<string | undefined> =>
      (await running.send({ target: '/' })).header('retry-after')
    assert.equal((await folder.spawn(['lock', 'on'])).exitCode, 0)
    await until(async () => (await running.send({ target: '/' })).status === 503)
    assert.equal(await retryAfter(), '600')
    assert.equal((await folder.spawn(['lock', 'on', '--retry-after', '90'])).exitCode, 0)
    await until(async () => (await retryAfter()) === '90')
  })

  it('stays closed when only the boot value has the bit', async () => {
    await using running = await startApp({ env: { APP_LOCK: '1' } })
    assert.equal((await running.send({ target: '/' })).status, 503)
  })
})

describe('SPEC 6.3: the maintenance answer', () => {
  it('is 503 with Retry-After and no-store, the same bytes for every path and method', async () => {
    await using closed = await startApp({ env: { APP_LOCK: '1' } })
    const bodies = new Set<string>()
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      for (const target of ['/', '/products', '/nope', '//a/b', '/x.php']) {
        const response = await closed.send({ method, target, headers: ['X-App-Lock: 0', 'Cookie: lock=0'] })
        assert.equal(response.status, 503)
        assert.match(response.header('retry-after') ?? '', /^\d+$/)
        assert.equal(response.header('cache-control'), 'no-store')
        bodies.add(response.body)
      }
    }
    assert.equal(bodies.size, 1)
    const head = await closed.send({ method: 'HEAD', target: '/' })
    assert.equal(head.status, 503)
    assert.equal(head.body, '')
  })

  it('is problem details or text for clients that ask for it, with the same status and headers', async () => {
    await using closed = await startApp({ env: { APP_LOCK: '1' } })
    const answers = new Map<string, string>()
    for (const [accept, type] of [
      ['text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', 'text/html; charset=utf-8'],
      ['*/*', 'text/html; charset=utf-8'],
      ['image/avif', 'text/html; charset=utf-8'],
      ['application/json', 'application/problem+json'],
      ['application/problem+json', 'application/problem+json'],
      ['text/plain', 'text/plain; charset=utf-8'],
      ['text/markdown', 'text/markdown; charset=utf-8'],
    ] as const) {
      for (const [method, target] of [
        ['GET', '/'],
        ['POST', '/nope'],
      ] as const) {
        const response = await closed.send({ method, target, headers: [`Accept: ${accept}`] })
        assert.equal(response.status, 503)
        assert.equal(response.header('content-type'), type)
        assert.equal(response.header('retry-after'), '120')
        const reloads = method === 'GET' && type.startsWith('text/html')
        assert.equal(response.header('refresh'), reloads ? '120' : undefined)
        assert.equal(response.header('cache-control'), 'no-store')
        assert.equal(response.body, answers.get(type) ?? response.body)
        answers.set(type, response.body)
      }
    }
    assert.deepEqual(JSON.parse(answers.get('application/problem+json') ?? ''), {
      type: 'about:blank',
      title: 'Service Unavailable',
      status: 503,
    })
    assert.match(answers.get('text/plain; charset=utf-8') ?? '', /^This service is being maintained/)
    const head = await closed.send({ method: 'HEAD', target: '/', headers: ['Accept: application/json'] })
    assert.deepEqual([head.status, head.body], [503, ''])
  })

  for (const [value, status] of [
    ['1', 503],
    ['3', 503],
    ['5', 503],
    ['-1', 503],
    ['0', 200],
    ['2', 200],
    ['4', 200],
  ] as const) {
    it(`APP_LOCK=${value} gives ${status}`, async () => {
      await using running = await startApp({ env: { APP_LOCK: value } })
      assert.equal((await running.send({ target: '/' })).status, status)
    })
  }

  for (const value of ['1.5', 'on', '', '9007199254740993', '0x1', 'NaN', '1e3']) {
    it(`APP_LOCK=${JSON.stringify(value)} is not a safe integer and stops the start with one line`, () => {
      assert.throws(
        () => loadRuntimeContext({ cwd: import.meta.dirname, env: { APP_ENV: 'dev', APP_LOCK: value } }),
        (error: Error) =>
          error.message.includes('APP_LOCK') && error.message.includes(value) && !error.message.includes('\n'),
      )
    })
  }
})
