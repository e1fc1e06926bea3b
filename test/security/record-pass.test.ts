// The signed header that asks for a recording (SECURITY section 2, R3, R4, R7): whom it lets do what, and whom not.

import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { hostname } from 'node:os'
import { describe, it } from 'node:test'
import { signToken } from '../../src/profiles/sampling/sampler.ts'
import { attackedApp, profilePages, tokenOf } from '../support/attacked-app.ts'
import type { RawResponse } from '../support/raw-client.ts'
import { startApp } from '../support/running-app.ts'
import { runFile } from '../support/running-process.ts'

const secret = 'zqcanary-q3JmV0tT1nJ9n2kWc8rB5sXz'
const key = createSecretKey(secret, 'utf8')
const minute = 60_000

const running = await attackedApp({ env: { APP_RECORD: 'on-demand', APP_RECORD_SECRET: secret } })

const get = async (target: string, ...headers: string[]): Promise<RawResponse> => running.send({ target, headers })
const signed = (path = '/', forMs = minute, by = key): string => {
  return `X-Debug-Record: ${signToken({ expiresAt: Date.now() + forMs, path }, by)}`
}
const isRecorded = ({ headers }: RawResponse): boolean => headers.some(([name]) => name.startsWith('x-debug-token'))
const storedCount = async (): Promise<number> => (await running.profiles.find({}, { limit: 200 })).items.length

describe('recording on demand', () => {
  it('records a request with a signed header, and shows it to this machine', async () => {
    const answer = await get('/products', signed())
    assert.ok(isRecorded(answer))
    assert.equal((await get(`/_profiler/${tokenOf(answer)}`)).status, 200)
  })

  it('records nothing else: no header, an empty one, words, a name in another place', async () => {
    const before = await storedCount()
    for (const headers of [
      [],
      ['X-Debug-Record:'],
      ['X-Debug-Record: 1'],
      ['X-Debug-Record: on'],
      ['X-Debug-Token: 1'],
      [`Cookie: X-Debug-Record=${signed().slice(16)}`],
      ['Cookie: XDEBUG_SESSION=1'],
    ]) {
      assert.ok(!isRecorded(await get('/products', ...headers)), headers.join())
    }
    assert.ok(!isRecorded(await get(`/products?X-Debug-Record=${signed().slice(16)}`)))
    assert.equal(await storedCount(), before)
  })

  it('does not record for a forged, expired, far too long or foreign header, or two of them', async () => {
    const good = signed()
    const other = createSecretKey('another secret of thirty-two characters', 'utf8')
    const payload = good.slice(0, good.lastIndexOf('.'))
    const longer = good.replace(/v1\.(\d+)/, (_, seconds: string) => `v1.${Number(seconds) + 600}`)
    for (const headers of [
      [`${payload}.${'A'.repeat(43)}`],
      [`${payload}.`],
      [payload],
      [longer],
      [good.replace('v1.', 'v2.')],
      [signed('/', -1000)],
      [signed('/', 25 * 60 * minute)],
      [signed('/', minute, other)],
      [good, good],
      [good, 'X-Debug-Record: 1'],
      [`X-Debug-Record: ${'v1.'.repeat(4000)}`],
    ]) {
      assert.ok(!isRecorded(await get('/products', ...headers)), headers.join().slice(0, 200))
    }
    const status = JSON.parse((await get('/_profiler/status.json')).body) as {
      decided: { refusedTokens: Readonly<Record<string, number>> }
    }
    assert.ok((status.decided.refusedTokens['forged'] ?? 0) >= 3)
    assert.equal(status.decided.refusedTokens['expired'], 1)
    assert.equal(status.decided.refusedTokens['valid for too long'], 1)
  })

  it('takes a header again while it counts, for every method, and only for its path and below', async () => {
    const header = signed('/products')
    for (const target of ['/products', '/products/tea', '/products?page=2', '/products']) {
      assert.ok(isRecorded(await get(target, header)), target)
    }
    for (const target of ['/', '/api', '/products-old', '/PRODUCTS', '//products', '/api/products', '/%70roducts']) {
      assert.ok(!isRecorded(await get(target, header)), target)
    }
    const posted = await running.send({ method: 'POST', target: '/products', headers: [header] })
    assert.ok(isRecorded(posted))
  })

  it('opens no page of the profiler: those who may not read a profile may not read it with a header either', async () => {
    const token = tokenOf(await get('/products', signed()))
    for (const target of [`/_profiler/${token}`, '/_profiler/', '/_profiler/status', '/_profiler/status.json']) {
      for (const headers of [
        ['Host: evil.example'],
        ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty'],
        ['Origin: http://evil.example'],
      ]) {
        const answer = await get(target, signed(), ...headers)
        assert.equal(answer.status, 403, `${target} ${headers.join()}`)
        assert.doesNotMatch(answer.body, /decided|recorded|sqlite|memory:/i)
      }
    }
  })

  it('is recorded masked: neither header nor secret is in a profile, on a page or in the log', async () => {
    // Another time than above, where a signature stood in an address on purpose.
    const header = signed('/', 5 * minute)
    const value = header.slice('X-Debug-Record: '.length)
    const token = tokenOf(await get('/error', header))
    const pages = await profilePages(running, token)
    const status = [
      await get('/_profiler/status'),
      await get('/_profiler/status.json'),
      await get('/_profiler/status.md'),
    ]
    const log = JSON.stringify(running.log.lines)
    for (const { body } of [...pages, ...status]) {
      assert.ok(!body.includes(value) && !body.includes(value.slice(-43)) && !body.includes('zqcanary'))
    }
    assert.ok(!log.includes(value) && !log.includes('zqcanary'))
  })
})

describe('recording on demand, at the start', () => {
  it('does not start without a secret, and never prints one that is too short', async () => {
    await assert.rejects(runFile('app/main.ts', { APP_RECORD: 'on-demand' }), /needs APP_RECORD_SECRET/)
    await assert.rejects(runFile('app/main.ts', { APP_RECORD: 'on-demand', APP_RECORD_SECRET: 'zqshort' }), (error) => {
      assert.match(String(error), /APP_RECORD_SECRET="\*{6}" cannot be used/)
      assert.ok(!String(error).includes('zqshort'))
      return true
    })
  })

  it('switches nothing on outside debug: a signed header is a header like any other', async () => {
    await using app = await startApp({
      env: { APP_ENV: 'prod', APP_RECORD: 'on-demand', APP_RECORD_SECRET: secret },
    })
    assert.ok(!isRecorded(await app.send({ target: '/products', headers: [signed()] })))
    assert.equal((await app.send({ target: '/_profiler/status', headers: [signed()] })).status, 404)
  })

  it('records on demand in production where debug was switched on by both settings', async () => {
    await using app = await startApp({
      env: {
        APP_ENV: 'prod',
        APP_DEBUG: '1',
        APP_ALLOW_DEBUG_IN_PRODUCTION: hostname(),
        APP_ALLOWED_HOSTS: '127.0.0.1',
        APP_RECORD: 'on-demand',
        APP_RECORD_SECRET: secret,
      },
    })
    assert.ok(!isRecorded(await app.send({ target: '/products' })))
    assert.ok(isRecorded(await app.send({ target: '/products', headers: [signed()] })))
  })
})

it('an error page of a request that is not recorded: is whole, and links to no profile', async () => {
  const { status, body } = await get('/error', 'Accept: text/html')
  assert.equal(status, 500)
  assert.match(body, /outer trouble/)
  assert.doesNotMatch(
    body.replaceAll(/<script[^]*?<\/script>/g, ''),
    /href="\/_profiler\/[0-9a-z]{10,16}|undefined|\(null\)/,
  )
})
