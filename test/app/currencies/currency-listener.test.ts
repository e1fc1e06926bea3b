import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Currency } from '../../../app/currencies/currency.ts'
import { CurrencyListener } from '../../../app/currencies/listener.ts'
import { activeCurrency, currencyReadOf, type CurrencyRead } from '../../../app/currencies/read.ts'
import { fillWithSamples, sampleCurrencies } from '../../../app/currencies/samples.ts'
import type { CurrencyStore } from '../../../app/currencies/store.ts'
import { Redactor } from '../../../src/base/redact/redactor.ts'
import { openMemoryEngine } from '../../../src/stores/memory/open-memory-engine.ts'
import type { Exchange } from '../../../src/http/kernel/exchange.ts'
import { CountingCurrencyStore, currenciesOf } from '../../support/counting-currency-store.ts'
import { exchangeOf, LineList } from '../../support/exchange.ts'
import { recordedExchange } from '../../support/recorded-exchange.ts'

async function filledStore(): Promise<CountingCurrencyStore> {
  const currencies = currenciesOf(await openMemoryEngine())
  await fillWithSamples(currencies)
  return new CountingCurrencyStore(currencies)
}

/** A store whose lookup does what a fault does. */
function faultyStore(findByCode: CurrencyStore['findByCode']): CurrencyStore {
  return { name: 'faulty:', findByCode, update: async () => [], list: async () => [] }
}

function readOf(exchange: Exchange): CurrencyRead {
  return currencyReadOf(exchange.recording) as CurrencyRead
}

const options = { defaultCode: 'EUR', redactor: new Redactor() }
const usd = sampleCurrencies().find(({ code }) => code === 'USD')!

describe('CurrencyListener', () => {
  for (const [query, cookie, code, source] of [
    ['', undefined, 'EUR', 'default'],
    ['currency=USD', undefined, 'USD', 'query'],
    ['', 'currency=CHF', 'CHF', 'cookie'],
    ['currency=USD', 'currency=CHF', 'USD', 'query'],
    ['a=1&currency=USD&currency=CHF', undefined, 'USD', 'query'],
    ['%63urrency=US%44', undefined, 'USD', 'query'],
    ['currency=usd', 'a=b; currency=CHF', 'CHF', 'cookie'],
    ['currency=usd', 'currency=chf', 'EUR', 'default'],
    ['mycurrency=USD', 'mycurrency=CHF', 'EUR', 'default'],
  ] as const) {
    it(`reads ${code} for "?${query}" and the cookie "${cookie ?? ''}"`, async () => {
      const store = await filledStore()
      const headers = cookie === undefined ? [] : ['Cookie', cookie]
      const exchange = recordedExchange({ query, rawHeaders: headers })
      await new CurrencyListener({ store, ...options }).onRequest(exchange)
      assert.deepEqual(store.codes, [code])
      assert.equal(exchange.get(activeCurrency)?.code, code)
      assert.equal(exchange.get(activeCurrency)?.currency?.code, code)
      assert.equal(readOf(exchange).source, source)
    })
  }

  for (const query of [
    'currency[$ne]=x',
    'currency=__proto__',
    `currency=${'A'.repeat(10_240)}`,
    'currency=%00',
    'currency=EUR%00',
    "currency=EUR'--",
    'currency=EUR%0A',
    'currency=',
    'currency=%',
    'currency=ÄÖÜ',
    'currency={"$gt":""}',
  ]) {
    it(`reads the default for the hostile "?${query.slice(0, 30)}" (T92)`, async () => {
      const store = await filledStore()
      const exchange = recordedExchange({ query })
      await new CurrencyListener({ store, ...options }).onRequest(exchange)
      assert.deepEqual(store.codes, ['EUR'])
      const notes = exchange.recording.notes.map(({ message }) => message).join()
      assert.equal(notes.includes('ignored'), !query.includes('['))
      assert.ok(notes.length < 200)
    })
  }

  it('notes store, collection, filter, outcome and duration of the one read', async () => {
    const store = await filledStore()
    const exchange = recordedExchange({ query: 'currency=USD' })
    await new CurrencyListener({ store, ...options }).onRequest(exchange)
    const { durationMs, ...rest } = readOf(exchange)
    assert.ok(durationMs >= 0)
    assert.deepEqual(rest, {
      store: 'memory:',
      collection: 'currencies',
      filter: { code: 'USD' },
      source: 'query',
      outcome: 'hit',
      cached: false,
      error: null,
      currency: usd,
    })
  })

  it('shows the read as a span of the request', async () => {
    const exchange = recordedExchange()
    await new CurrencyListener({ store: await filledStore(), ...options }).onRequest(exchange)
    const [span] = exchange.recording.stopwatch.spans()
    assert.equal(span?.name, 'currencies findByCode')
    assert.equal(span?.category, 'store')
    assert.equal(span?.status, 'ok')
    assert.equal(span?.attributes['db.system.name'], 'memory')
    assert.equal(span?.attributes['db.collection.name'], 'currencies')
    assert.equal(span?.attributes['db.operation.name'], 'findByCode')
    assert.equal(typeof span?.durationMs, 'number')
  })

  it('reads once and notes nothing while nothing is recorded', async () => {
    const store = await filledStore()
    const exchange = exchangeOf()
    await new CurrencyListener({ store, ...options }).onRequest(exchange)
    assert.deepEqual(store.codes, ['EUR'])
    assert.equal(exchange.get(activeCurrency)?.currency?.code, 'EUR')
  })
})

describe('CurrencyListener with a store that is not well (F40)', () => {
  const faults: Readonly<Record<string, [CurrencyStore['findByCode'], CurrencyRead['outcome'], RegExp]>> = {
    'has no such record': [async () => undefined, 'miss', /^null$/],
    'is down': [() => Promise.reject(new Error('connection refused')), 'error', /connection refused/],
    'throws at once': [
      () => {
        throw new TypeError('not a function')
      },
      'error',
      /not a function/,
    ],
    'rejects with null': [() => Promise.reject(null), 'error', /^object: null$/],
    'never answers': [() => new Promise(() => undefined), 'timeout', /did not respond within 20 ms/],
    'gives two records': [async () => [usd, usd] as unknown as Currency, 'error', /not an object/],
    'gives a number': [async () => 7 as unknown as Currency, 'error', /not an object/],
    'gives null': [async () => null as unknown as Currency, 'error', /not an object/],
    'gives a rate as a number': [async () => ({ ...usd, rate: 1.08 }) as unknown as Currency, 'error', /rate/],
    'gives a negative rate': [async () => ({ ...usd, rate: '-1' }), 'error', /rate/],
    'gives a flag as a number': [async () => ({ ...usd, is_active: 1 }) as unknown as Currency, 'error', /is_active/],
    'gives no title': [async () => ({ ...usd, title: undefined }) as unknown as Currency, 'error', /title/],
    'gives the record of another code': [async () => ({ ...usd, code: 'CHF' }), 'error', /another code/],
  }

  for (const [what, [findByCode, outcome, error]] of Object.entries(faults)) {
    it(`serves the page and says "${outcome}" when the store ${what}`, async () => {
      let reads = 0
      const store = faultyStore((code) => {
        reads += 1
        return findByCode(code)
      })
      const exchange = recordedExchange({ query: 'currency=USD' })
      await new CurrencyListener({ store, ...options, budgetMs: 20 }).onRequest(exchange)
      assert.equal(reads, 1)
      assert.deepEqual(exchange.get(activeCurrency), { code: 'USD', currency: undefined })
      assert.equal(readOf(exchange).outcome, outcome)
      assert.match(String(readOf(exchange).error), error)
      assert.ok(exchange.recording.stopwatch.spans().every((span) => span.durationMs !== null))
    })
  }

  it('takes the record of a store that gives no promise', async () => {
    const store = faultyStore(() => usd as unknown as Promise<Currency>)
    const exchange = recordedExchange({ query: 'currency=USD' })
    await new CurrencyListener({ store, ...options }).onRequest(exchange)
    assert.deepEqual(exchange.get(activeCurrency), { code: 'USD', currency: usd })
  })

  it('marks the span of a read that fails', async () => {
    const store = faultyStore(() => Promise.reject(new TypeError('broken')))
    const exchange = recordedExchange()
    await new CurrencyListener({ store, ...options }).onRequest(exchange)
    const [span] = exchange.recording.stopwatch.spans()
    assert.equal(span?.status, 'error')
    assert.equal(span?.attributes['error.type'], 'TypeError')
  })

  it('keeps no secret that a failing store tells', async () => {
    const store = faultyStore(() => Promise.reject(new Error('cannot reach redis://shop:hunter2@db:6379')))
    const exchange = recordedExchange()
    await new CurrencyListener({ store, ...options }).onRequest(exchange)
    assert.match(String(readOf(exchange).error), /cannot reach/)
    assert.ok(!JSON.stringify(readOf(exchange)).includes('hunter2'))
  })

  it('logs each failure of a recorded request', async () => {
    const log = new LineList()
    const listener = new CurrencyListener({
      store: faultyStore(() => Promise.reject(new Error('down'))),
      ...options,
    })
    const exchange = Object.assign(exchangeOf({}, log), { recording: recordedExchange().recording })
    await listener.onRequest(exchange)
    await listener.onRequest(exchange)
    assert.deepEqual(
      log.lines.map(({ level, context }) => [level, context['code'], context['problem']]),
      [
        ['warn', 'EUR', 'Error: down'],
        ['warn', 'EUR', 'Error: down'],
      ],
    )
  })

  it('logs one line a minute, with a count, while nothing is recorded', async () => {
    const log = new LineList()
    let nowMs = 0
    const store = faultyStore(() => Promise.reject(new Error('down')))
    const listener = new CurrencyListener({ store, ...options, now: () => nowMs })
    for (let request = 0; request < 61; request += 1) {
      nowMs = request * 1000
      await listener.onRequest(exchangeOf({}, log))
    }
    assert.deepEqual(
      log.lines.map(({ context }) => context['unreported']),
      [0, 59],
    )
  })

  it('drops an answer that comes after the budget', async () => {
    const late = Promise.withResolvers<Currency>()
    const exchange = recordedExchange({ query: 'currency=USD' })
    const listener = new CurrencyListener({ store: faultyStore(() => late.promise), ...options, budgetMs: 5 })
    await listener.onRequest(exchange)
    late.resolve(usd)
    await late.promise
    assert.equal(exchange.get(activeCurrency)?.currency, undefined)
    assert.equal(readOf(exchange).outcome, 'timeout')
  })
})
