import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sampleCurrencies } from '../../../src/plugins/currency/seed-currencies.ts'
import { TracedCurrencyStore } from '../../../src/plugins/currency/traced-currency-store.ts'
import { openMemoryEngine } from '../../../src/stores/memory/open-memory-engine.ts'
import { runInExchange } from '../../../src/framework/kernel/current-exchange.ts'
import { recordedExchange } from '../../support/recorded-exchange.ts'

describe('TracedCurrencyStore', () => {
  it('passes every call on outside a request', async () => {
    const traced = new TracedCurrencyStore((await openMemoryEngine()).currencies)
    await traced.upsert(sampleCurrencies().slice(0, 2))
    assert.equal((await traced.list()).length, 2)
    assert.equal((await traced.findByCode('AED'))?.code, 'AED')
    assert.equal(traced.name, 'memory:')
  })

  it('shows each call of a recorded request as a span', async () => {
    const traced = new TracedCurrencyStore((await openMemoryEngine()).currencies)
    const exchange = recordedExchange()
    await runInExchange(exchange, async () => {
      await traced.upsert(sampleCurrencies().slice(0, 3))
      await traced.list()
      await traced.findByCode('AED')
    })
    const spans = exchange.recording.stopwatch.spans()
    assert.deepEqual(
      spans.map(({ name, kind, status }) => [name, kind, status]),
      [
        ['currencies upsert', 'client', 'ok'],
        ['currencies list', 'client', 'ok'],
        ['currencies findByCode', 'client', 'ok'],
      ],
    )
    assert.equal(spans[0]?.attributes['db.operation.batch.size'], 3)
  })

  it('marks the span of a call that fails, and passes the failure on', async () => {
    const traced = new TracedCurrencyStore((await openMemoryEngine()).currencies)
    const exchange = recordedExchange()
    const broken = { ...sampleCurrencies()[0]!, rate: 'much' }
    await assert.rejects(
      runInExchange(exchange, () => traced.upsert([broken])),
      { name: 'EngineError' },
    )
    const [span] = exchange.recording.stopwatch.spans()
    assert.equal(span?.status, 'error')
    assert.equal(span?.attributes['error.type'], 'EngineError')
  })
})
