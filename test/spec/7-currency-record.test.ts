// Chapter 7 of the contract: the currency record.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { currency, pageText, startApp } from '../support/running-app.ts'

describe('SPEC 7.1 and 7.2: one record, looked up by its code', () => {
  it('keeps every field, the rate as an exact decimal', async () => {
    await using running = await startApp()
    const record = currency('XTS', { rate: '1.000000000000000000000000000001', sign: '¤', title: 'Testing code' })
    await running.currencies.upsert([record])
    assert.deepEqual({ ...(await running.currencies.findByCode('XTS')) }, record)
  })

  it('finds nothing for an invalid code', async () => {
    await using running = await startApp()
    for (const code of ['eur', 'EURO', '', '__proto__', "EUR' OR '1'='1", 'EU%']) {
      assert.equal(await running.currencies.findByCode(code), undefined)
    }
  })
})

describe('SPEC 7.3: exactly one read while a page is served', () => {
  it('for a routed page, an error page and a profiler page', async () => {
    await using running = await startApp()
    await running.currencies.upsert([currency('EUR'), currency('USD')])
    const token = (await running.send({ target: '/' })).header('x-debug-token')
    for (const target of ['/', '/nope', '/error', `/_profiler/${token}`, '/_profiler/', '/?currency=USD']) {
      const before = running.currencies.reads
      await running.send({ target })
      assert.equal(running.currencies.reads, before + 1, target)
    }
  })

  it('is visible in the profile: store, collection, filter, hit or miss, duration', async () => {
    await using running = await startApp()
    await running.currencies.upsert([currency('USD')])
    for (const [target, code, outcome] of [
      ['/?currency=USD', 'USD', 'hit'],
      ['/?currency=XXX', 'XXX', 'miss'],
      ['/?currency[$ne]=x', 'EUR', 'miss'],
    ] as const) {
      const token = (await running.send({ target })).header('x-debug-token') ?? ''
      const text = pageText((await running.send({ target: `/_profiler/${token}?panel=currency` })).body)
      for (const part of ['memory:', 'currencies', code, outcome]) {
        assert.ok(text.toLowerCase().includes(part.toLowerCase()), `${target}: the panel lacks ${part}`)
      }
      const profile = await running.profiles.read(token)
      const read = profile?.data['currency'] as { durationMs: unknown } | undefined
      assert.equal(typeof read?.durationMs, 'number')
    }
  })
})

describe('SPEC 7.4: a missing record, a slow or a dead store never fails a page', () => {
  it('serves the page when the record is missing', async () => {
    await using running = await startApp({ env: { APP_CURRENCY: 'XTS' } })
    assert.equal((await running.send({ target: '/' })).status, 200)
  })

  it('serves the page when the store is dead, and says so in log and profile', async () => {
    await using running = await startApp({
      currencyStore: {
        name: 'dead:',
        findByCode: async () => Promise.reject(new Error('connection refused')),
        update: async () => Promise.reject(new Error('connection refused')),
        list: async () => Promise.reject(new Error('connection refused')),
      },
    })
    const response = await running.send({ target: '/' })
    assert.equal(response.status, 200)
    assert.ok(running.log.lines.some((line) => line.channel === 'currency' && line.level !== 'info'))
    const panel = await running.send({ target: `/_profiler/${response.header('x-debug-token')}?panel=currency` })
    assert.ok(pageText(panel.body).includes('connection refused'))
  })

  it('serves the page when the store never answers, within its time budget', async () => {
    await using running = await startApp({
      currencyStore: {
        name: 'silent:',
        findByCode: async () => new Promise<undefined>(() => undefined),
        update: async () => [],
        list: async () => [],
      },
    })
    const response = await running.send({ target: '/' })
    assert.equal(response.status, 200)
    const profile = await running.profiles.read(response.header('x-debug-token') ?? '')
    assert.equal((profile?.data['currency'] as { outcome: string } | undefined)?.outcome, 'timeout')
  })
})
