import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { CurrencyListener } from '../../../app/currencies/listener.ts'
import { activeCurrency, currencyReadOf, type CurrencyRead } from '../../../app/currencies/read.ts'
import { CollectedCurrencies } from '../../../app/currencies/store.ts'
import { Redactor } from '../../../src/base/redact/redactor.ts'
import type { Collection, CollectionContent } from '../../../src/stores/collections.ts'
import { openMemoryEngine } from '../../../src/stores/memory/open-memory-engine.ts'
import { openSqliteEngine } from '../../../src/stores/sqlite/open-sqlite-engine.ts'
import { currenciesOf } from '../../support/counting-currency-store.ts'
import { makeCurrency } from '../../support/currencies.ts'
import { recordedExchange } from '../../support/recorded-exchange.ts'
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts'
import { until } from '../../support/until.ts'

const nothing = async (): Promise<void> => undefined

/** The same collection in two processes; the first one follows it. */
async function followed(test: TestContext): Promise<readonly [CollectedCurrencies, CollectedCurrencies]> {
  const path = join(makeTemporaryDirectory(test), 'store.db')
  const engines = [await openSqliteEngine({ path }), await openSqliteEngine({ path })] as const
  const [one, other] = [currenciesOf(engines[0]), currenciesOf(engines[1])]
  await other.update(() => [makeCurrency()])
  await one.follow(nothing)
  test.after(async () => {
    one.stop()
    await Promise.all(engines.map((engine) => engine.close()))
  })
  return [one, other]
}

/** A collection that cannot be read, until it is told what there is. */
class DeadCollection implements Collection {
  readonly name = 'currencies'
  readonly store = 'dead:'
  tell: ((content: CollectionContent) => void) | undefined

  read(): Promise<never> {
    return Promise.reject(new Error('connection refused'))
  }
  readAll(): Promise<never> {
    return this.read()
  }
  write(): Promise<never> {
    return this.read()
  }
  watch(onChange: (content: CollectionContent) => void, onError: (error: unknown) => void): () => void {
    this.tell = onChange
    queueMicrotask(() => onError(new Error('no route to the store')))
    return () => undefined
  }
}

describe('CollectedCurrencies', () => {
  it('knows every record, what is missing, and within a second what another process wrote', async (test) => {
    const [one, other] = await followed(test)
    assert.deepEqual(one.knownByCode('EUR')?.currency, makeCurrency())
    assert.deepEqual(one.knownByCode('USD'), { currency: undefined, problem: undefined })
    await other.update(() => [makeCurrency({ code: 'USD', rate: '1.09' })])
    await until(() => one.knownByCode('USD')?.currency?.rate === '1.09')
    await one.update(() => [makeCurrency({ code: 'USD', rate: '1.1' })])
    assert.equal(one.knownByCode('USD')?.currency?.rate, '1.1')
  })

  it('looks up by equality on the code, and no code that is not three upper-case letters', async (test) => {
    const [one] = await followed(test)
    assert.deepEqual(await one.findByCode('EUR'), makeCurrency())
    for (const code of ['USD', 'eur', 'EU', 'EURO', '', '%', 'E\u0000R', "' OR 1=1 --", '__proto__', '@version']) {
      assert.equal(await one.findByCode(code), undefined)
    }
  })

  it('loses no change of another process that writes between reading and writing', async (test) => {
    const [one, other] = await followed(test)
    let edits = 0
    await other.update(() => [makeCurrency({ code: 'CHF', rate: '1' })])
    await Promise.all(
      [one, other, one, other].map((store) =>
        store.update((kept) => {
          edits += 1
          const rate = String(Number(kept.get('CHF')?.rate) + 1)
          return [makeCurrency({ code: 'CHF', rate })]
        }),
      ),
    )
    assert.ok(edits >= 4)
    assert.equal((await one.findByCode('CHF'))?.rate, '5')
  })

  it('writes all records or none, and names the field that is wrong', async (test) => {
    const [one] = await followed(test)
    for (const [field, wrong] of [
      ['code', makeCurrency({ code: 'usd' })],
      ['rate', makeCurrency({ rate: '1,5' })],
      ['rate', makeCurrency({ rate: 'Infinity' })],
    ] as const) {
      const message = new RegExp(`^Currency 2 of 2 for sqlite:.* cannot be kept: ${field} is not `)
      await assert.rejects(
        one.update(() => [makeCurrency({ code: 'CHF' }), wrong]),
        { name: 'TypeError', message },
      )
    }
    assert.deepEqual(await one.list(), [makeCurrency()])
  })

  it('starts without a store that cannot be read, fails each read at once, and fills it once it is there', async () => {
    const collection = new DeadCollection()
    const store = new CollectedCurrencies(collection)
    let fillings = 0
    await store.follow(async () => {
      fillings += 1
    })
    assert.equal(store.knownByCode('EUR'), undefined)
    await assert.rejects(store.findByCode('EUR'), /no route to the store/)
    await assert.rejects(store.list(), /connection refused/)
    collection.tell?.({ version: null, records: new Map() })
    assert.deepEqual(store.knownByCode('EUR'), { currency: undefined, problem: undefined })
    collection.tell?.({ version: 'a', records: new Map([['EUR', makeCurrency()]]) })
    collection.tell?.({ version: 'b', records: new Map() })
    assert.equal(fillings, 1)
  })
})

describe('CurrencyListener with a store that knows its records', () => {
  const options = { defaultCode: 'EUR', redactor: new Redactor() }

  it('is done at once, and the profile says that nothing was asked', async (test) => {
    const [store] = await followed(test)
    const exchange = recordedExchange()
    assert.equal(new CurrencyListener({ store, ...options }).onRequest(exchange), undefined)
    assert.equal(exchange.get(activeCurrency)?.currency?.title, 'Euro')
    const { cached, outcome, error } = currencyReadOf(exchange.recording) as CurrencyRead
    assert.deepEqual([cached, outcome, error], [true, 'hit', null])
  })

  it('serves the last known record while the store is away, and says why it may be an old one', async () => {
    const store = currenciesOf(await openMemoryEngine())
    const known = { currency: makeCurrency(), problem: new Error('cannot reach redis://shop:hunter2@db:6379') }
    const exchange = recordedExchange()
    await new CurrencyListener({ store: Object.assign(store, { knownByCode: () => known }), ...options }).onRequest(
      exchange,
    )
    const { outcome, error } = currencyReadOf(exchange.recording) as CurrencyRead
    assert.equal(outcome, 'hit')
    assert.match(String(error), /^Error: cannot reach/)
    assert.ok(!String(error).includes('hunter2'))
  })

  it('asks in full where the store cannot say what it knows', async (test) => {
    const [, store] = await followed(test)
    const knownByCode = (): never => {
      throw new Error('no idea')
    }
    const exchange = recordedExchange()
    await new CurrencyListener({ store: Object.assign(store, { knownByCode }), ...options }).onRequest(exchange)
    assert.equal(exchange.get(activeCurrency)?.currency?.title, 'Euro')
  })
})
