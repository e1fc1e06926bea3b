import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { currencyProblem } from '../../../app/currencies/currency.ts'
import {
  activeCodes,
  currencySign,
  currencyTitle,
  fillWithSamples,
  hasSampleRate,
  sampleCurrencies,
  sampleRates,
  specialCodes,
} from '../../../app/currencies/samples.ts'
import { openMemoryEngine } from '../../../src/stores/memory/open-memory-engine.ts'
import { openEngine } from '../../../src/app/open-engine.ts'
import { currenciesOf } from '../../support/counting-currency-store.ts'
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts'
import { pick } from '../../support/pick.ts'

describe('activeCodes', () => {
  it('has the 178 codes of the list, each once, in order, and none that was withdrawn', () => {
    assert.equal(activeCodes.length, 178)
    assert.deepEqual([...new Set(activeCodes)].sort(), activeCodes)
    for (const withdrawn of ['DEM', 'HRK', 'ANG', 'BGN', 'CUC', 'SLL', 'ZWL', 'VEF']) {
      assert.ok(!activeCodes.includes(withdrawn))
    }
    for (const code of specialCodes) assert.ok(activeCodes.includes(code))
  })

  it('has a title for every code, and a sign', () => {
    for (const code of activeCodes) {
      assert.notEqual(currencyTitle(code), code)
      assert.notEqual(currencySign(code), '')
    }
    assert.equal(currencyTitle('EUR'), 'Euro')
    assert.equal(currencySign('GBP'), '£')
  })
})

describe('sampleCurrencies', () => {
  it('gives every active code a usable record with a sample rate', () => {
    const samples = sampleCurrencies()
    assert.deepEqual(pick(samples, 'code'), activeCodes)
    assert.deepEqual([...sampleRates.keys()].sort(), [...activeCodes].sort())
    for (const sample of samples) {
      assert.equal(currencyProblem(sample), undefined)
      assert.ok(hasSampleRate(sample))
    }
  })

  it('has one default: the base, at 1', () => {
    const [base, ...others] = sampleCurrencies().filter(({ is_default }) => is_default)
    assert.deepEqual([base?.code, base?.rate, others.length], ['EUR', '1', 0])
  })

  it('is the same on every call', () => {
    assert.deepEqual(sampleCurrencies(), sampleCurrencies())
  })
})

describe('fillWithSamples', () => {
  it('fills an empty collection', async () => {
    const currencies = currenciesOf(await openMemoryEngine())
    assert.equal(await fillWithSamples(currencies), 178)
    assert.equal((await currencies.list()).length, 178)
  })

  it('leaves a collection alone that has a record', async () => {
    const currencies = currenciesOf(await openMemoryEngine())
    const own = { ...sampleCurrencies()[0]!, rate: '7' }
    await currencies.update(() => [own])
    assert.equal(await fillWithSamples(currencies), 0)
    assert.deepEqual(pick(await currencies.list(), 'rate'), ['7'])
  })

  it('comes to the same when two start at once', async () => {
    const currencies = currenciesOf(await openMemoryEngine())
    await Promise.all([fillWithSamples(currencies), fillWithSamples(currencies)])
    assert.deepEqual(await currencies.list(), sampleCurrencies())
  })

  it('comes to the same when two processes share a file and start at once', async (test) => {
    const store = `sqlite:${join(makeTemporaryDirectory(test), 'fanlight.db')}`
    const engines = await Promise.all([openEngine(store), openEngine(store)])
    try {
      await Promise.all(engines.map((engine) => fillWithSamples(currenciesOf(engine))))
      for (const engine of engines) assert.deepEqual(await currenciesOf(engine).list(), sampleCurrencies())
      assert.equal(await fillWithSamples(currenciesOf(engines[0])), 0)
    } finally {
      await Promise.all(engines.map((engine) => engine.close()))
    }
  })
})
