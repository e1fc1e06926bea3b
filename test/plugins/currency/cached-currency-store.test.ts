import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CachedCurrencyStore } from '../../../src/plugins/currency/cached-currency-store.ts'
import { CurrencyListener } from '../../../src/plugins/currency/currency-listener.ts'
import { activeCurrency, currencyReadOf, type CurrencyRead } from '../../../src/plugins/currency/currency-read.ts'
import { openMemoryEngine } from '../../../src/stores/memory/open-memory-engine.ts'
import { CountingCurrencyStore } from '../../support/counting-currency-store.ts'
import { makeCurrency } from '../../support/currencies.ts'
import { recordedExchange } from '../../support/recorded-exchange.ts'
import { until } from '../../support/until.ts'

/** A cache over a counted store, and a clock to turn. */
async function cache(maxCodes = 200) {
  const { currencies } = await openMemoryEngine()
  await currencies.upsert([makeCurrency({ code: 'EUR', title: 'Euro' })])
  const counted = new CountingCurrencyStore(currencies)
  const clock = { ms: 0 }
  const store = new CachedCurrencyStore(counted, { now: () => clock.ms, maxCodes })
  return { store, counted, clock, elsewhere: currencies }
}

describe('CachedCurrencyStore', () => {
  it('knows what it has read, and what is missing', async () => {
    const { store, counted } = await cache()
    assert.equal(store.knownByCode('EUR'), undefined)
    const currency = await store.findByCode('EUR')
    await store.findByCode('XXX')
    assert.equal(store.knownByCode('EUR')?.currency, currency)
    assert.deepEqual(store.knownByCode('XXX')?.currency, undefined)
    assert.notEqual(store.knownByCode('XXX'), undefined)
    assert.equal(counted.reads, 2)
  })

  it('forgets a record a second after it was asked for', async () => {
    const { store, clock, counted } = await cache()
    await store.findByCode('EUR')
    clock.ms = 999
    assert.equal(store.knownByCode('EUR')?.currency?.title, 'Euro')
    await until(() => counted.reads === 2)
    clock.ms = 1999
    assert.equal(store.knownByCode('EUR'), undefined)
  })

  it('reads a record in use again in the background, once, so that a change elsewhere shows', async () => {
    const { store, counted, clock, elsewhere } = await cache()
    await store.findByCode('EUR')
    await elsewhere.upsert([makeCurrency({ code: 'EUR', title: 'Changed' })])
    clock.ms = 500
    assert.equal(store.knownByCode('EUR')?.currency?.title, 'Euro')
    store.knownByCode('EUR')
    await until(() => store.knownByCode('EUR')?.currency?.title === 'Changed')
    assert.equal(counted.reads, 2)
  })

  it('shows its own writes at once, and keeps nothing that was read before them', async () => {
    const { store } = await cache()
    await store.findByCode('EUR')
    const early = store.findByCode('EUR')
    await store.upsert([makeCurrency({ code: 'EUR', title: 'Written' })])
    await early
    assert.notEqual(store.knownByCode('EUR')?.currency?.title, 'Euro')
    assert.equal((await store.findByCode('EUR'))?.title, 'Written')
  })

  it('remembers a bounded number of codes', async () => {
    const { store } = await cache(2)
    for (const code of ['EUR', 'AAA', 'BBB']) await store.findByCode(code)
    assert.equal(store.knownByCode('EUR'), undefined)
    assert.notEqual(store.knownByCode('BBB'), undefined)
  })

  it('passes failures on and remembers none', async () => {
    const store = new CachedCurrencyStore({
      name: 'dead:',
      findByCode: () => Promise.reject(new Error('connection refused')),
      upsert: () => Promise.reject(new Error('connection refused')),
      list: () => Promise.reject(new Error('connection refused')),
    })
    await assert.rejects(store.findByCode('EUR'), /connection refused/)
    await assert.rejects(store.upsert([]), /connection refused/)
    assert.equal(store.knownByCode('EUR'), undefined)
  })
})

describe('CurrencyListener with a store that remembers', () => {
  it('is done at once for a known record, and the profile says that it came from the cache', async () => {
    const { store, counted } = await cache()
    const listener = new CurrencyListener({ store, defaultCode: 'EUR' })
    const first = recordedExchange()
    await listener.onRequest(first)
    const second = recordedExchange()
    assert.equal(listener.onRequest(second), undefined)
    assert.equal(second.get(activeCurrency)?.currency?.title, 'Euro')
    const reads = [first, second].map((exchange) => currencyReadOf(exchange.recording) as CurrencyRead)
    assert.deepEqual(
      reads.map(({ cached, outcome, filter }) => [cached, outcome, filter.code]),
      [
        [false, 'hit', 'EUR'],
        [true, 'hit', 'EUR'],
      ],
    )
    assert.equal(counted.reads, 1)
  })

  it('asks in full where the store cannot say what it knows', async () => {
    const { counted } = await cache()
    const store = Object.assign(counted, {
      knownByCode: () => {
        throw new Error('no idea')
      },
    })
    const exchange = recordedExchange()
    await new CurrencyListener({ store, defaultCode: 'EUR' }).onRequest(exchange)
    assert.equal(exchange.get(activeCurrency)?.currency?.title, 'Euro')
  })
})
