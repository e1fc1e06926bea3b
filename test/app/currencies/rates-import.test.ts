import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { anyCharacter, fc } from '../../support/fast-check.ts'
import { maxRatesLength } from '../../../app/currencies/ecb-rates.ts'
import { importRates } from '../../../app/currencies/import.ts'
import { fillWithSamples } from '../../../app/currencies/samples.ts'
import { openMemoryEngine } from '../../../src/stores/memory/open-memory-engine.ts'
import type { CurrencyStore } from '../../../app/currencies/store.ts'
import { currenciesOf } from '../../support/counting-currency-store.ts'
import { dailyFile } from '../../support/rates-file.ts'

async function filledStore(): Promise<CurrencyStore> {
  const currencies = currenciesOf(await openMemoryEngine())
  await fillWithSamples(currencies)
  return currencies
}

const now = (): number => Date.parse('2026-11-21T10:00:00.000Z')

describe('importRates', () => {
  it('sets every rate of the file, with its day, and nothing else', async () => {
    const currencies = await filledStore()
    const before = await currencies.list()
    const xml = dailyFile(
      ["<Cube currency='USD' rate='1.0842'/>", "<Cube currency='JPY' rate='185.72'/>"],
      '2026-11-20',
    )
    const result = await importRates({ store: currencies, xml, now })
    assert.equal(result.date, '2026-11-20')
    assert.deepEqual(result.codes, ['USD', 'JPY'])
    assert.ok(result.untouchedCodes.includes('CHF'))
    assert.ok(!result.untouchedCodes.includes('XAU'))
    const times = { rate_at: '2026-11-20T00:00:00.000Z', updated_at: '2026-11-21T10:00:00.000Z' }
    const rates: Readonly<Record<string, string>> = { USD: '1.0842', JPY: '185.72' }
    const expected = before.map((currency) =>
      currency.code in rates ? Object.assign({}, currency, times, { rate: rates[currency.code] }) : currency,
    )
    assert.deepEqual(await currencies.list(), expected)
  })

  it('reads the file whatever its line ends, quotes, comments and byte order mark', async () => {
    const currencies = await filledStore()
    const cubes = ['<!-- reference -->', '<Cube  rate="1.5"\n currency="USD" ></Cube>']
    const xml = `\uFEFF${dailyFile(cubes)}`.replaceAll('\n', '\r\n')
    assert.deepEqual((await importRates({ store: currencies, xml })).codes, ['USD'])
  })

  const good = "<Cube currency='USD' rate='1.1'/>"
  const table: readonly (readonly [what: string, xml: string, line: number, value: string])[] = [
    ['a negative rate', dailyFile([good, "<Cube currency='JPY' rate='-1'/>"]), 10, '"-1"'],
    ['a rate of zero', dailyFile([good, "<Cube currency='JPY' rate='0.000'/>"]), 10, '"0.000"'],
    ['a rate with an exponent', dailyFile(["<Cube currency='JPY' rate='1e2'/>"]), 9, '"1e2"'],
    ['a rate with a comma', dailyFile(["<Cube currency='JPY' rate='1,5'/>"]), 9, '"1,5"'],
    ['a rate that is a word', dailyFile([good, good.replace('1.1', 'much')]), 10, '"much"'],
    ['an empty rate', dailyFile(["<Cube currency='JPY' rate=''/>"]), 9, '""'],
    ['a rate with spaces', dailyFile(["<Cube currency='JPY' rate=' 1'/>"]), 9, '" 1"'],
    ['a rate of 41 digits', dailyFile([`<Cube currency='JPY' rate='${'9'.repeat(41)}'/>`]), 9, '"999'],
    ['a rate hidden in an entity', dailyFile(["<Cube currency='JPY' rate='&#49;'/>"]), 9, '"&#49;"'],
    ['no rate', dailyFile(["<Cube currency='JPY'/>"]), 9, 'JPY'],
    ['no currency', dailyFile([good, "<Cube rate='1'/>"]), 10, 'no currency'],
    ['an empty cube', dailyFile([good, '<Cube/>']), 10, 'no currency'],
    ['a code in lower case', dailyFile(["<Cube currency='jpy' rate='1'/>"]), 9, '"jpy"'],
    ['a code of four letters', dailyFile(["<Cube currency='JPYE' rate='1'/>"]), 9, '"JPYE"'],
    ['an unknown code', dailyFile([good, "<Cube currency='DEM' rate='1'/>"]), 10, '"DEM"'],
    [
      'a code twice',
      dailyFile([good, "<Cube currency='JPY' rate='1'/>", good]),
      11,
      '"USD" has a rate already, on line 9',
    ],
    ['the base', dailyFile(["<Cube currency='EUR' rate='1'/>"]), 9, 'EUR'],
    ['an invalid day', dailyFile([good], '2026-02-31'), 8, '"2026-02-31"'],
    ['a time that is not a day', dailyFile([good], 'today'), 8, '"today"'],
    ['no rates at all', dailyFile([]), 8, 'no rates'],
    ['an element that is not closed', dailyFile(["<Cube currency='USD' rate='1.1'>"]), 12, 'malformed'],
    ['an attribute twice', dailyFile(["<Cube currency='USD' currency='JPY' rate='1'/>"]), 9, 'malformed'],
    ['a document type', `<!DOCTYPE a [<!ENTITY b "1">]>\n${dailyFile([good])}`, 1, 'document type'],
    ['another root', '<rates/>', 1, 'Envelope'],
    ['a second root', `${dailyFile([good])}<more/>`, 13, 'malformed'],
    ['nesting that exhausts the stack', '<a>'.repeat(300_000), 1, 'nested'],
    ['no cube', '<Envelope/>', 1, 'no outer <Cube>'],
    ['no day', '<Envelope>\n<Cube/></Envelope>', 2, 'no <Cube> with the time'],
    ['a misspelled element', dailyFile([good, "<cube currency='JPY' rate='1'/>"]), 10, '<cube>'],
    ['a cube in a cube', dailyFile([good, '<Cube><Cube/></Cube>']), 10, '<Cube>'],
    ['deep nesting', `${'<Cube>'.repeat(5000)}${'</Cube>'.repeat(5000)}`, 1, 'nested'],
    ['nothing', '', 1, 'malformed'],
    ['something else', 'code;rate\nUSD;1.1\n', 1, 'malformed'],
    ['more than a million characters', `${dailyFile([good])}${' '.repeat(maxRatesLength)}`, 1, 'characters'],
    ['two days', dailyFile([good, "</Cube><Cube time='2026-11-19'>", good]), 10, 'more than one'],
  ]

  for (const [what, xml, line, value] of table) {
    it(`refuses a file with ${what}, names line ${line} and the value, and changes nothing`, async () => {
      const currencies = await filledStore()
      const before = await currencies.list()
      await assert.rejects(importRates({ store: currencies, xml }), (error: Error) => {
        assert.equal(error.name, 'RatesFileError')
        assert.ok(error.message.startsWith(`Line ${line}: `), error.message)
        assert.ok(error.message.includes(value), error.message)
        assert.ok(!error.message.includes('\n'))
        return true
      })
      assert.deepEqual(await currencies.list(), before)
    })
  }

  it('changes all or nothing, whatever the file', async () => {
    let time = 0
    const currencies = await filledStore()
    const valid = dailyFile(["<Cube currency='USD' rate='1.5'/>", "<Cube currency='CHF' rate='0.9'/>"])
    const damaged = fc
      .tuple(fc.nat(valid.length), fc.nat(40), fc.string({ unit: anyCharacter, maxLength: 12 }))
      .map(([at, length, text]) => valid.slice(0, at) + text + valid.slice(at + length))
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, fc.string({ maxLength: 200 })), async (xml) => {
        const before = await currencies.list()
        const result = await importRates({ store: currencies, xml, now: () => (time += 1) }).catch((error: Error) => {
          assert.equal(error.name, 'RatesFileError')
          return undefined
        })
        const after = await currencies.list()
        const changed = after
          .filter((currency, index) => !isDeepStrictEqual(currency, before[index]))
          .map(({ code }) => code)
        assert.deepEqual(changed, [...(result?.codes ?? [])].sort())
      }),
      { numRuns: 200 },
    )
  })

  it('passes on what the store says', async () => {
    const currencies = await filledStore()
    const store: CurrencyStore = {
      name: 'full:',
      findByCode: (code) => currencies.findByCode(code),
      list: () => currencies.list(),
      update: () => Promise.reject(new Error('disk full')),
    }
    await assert.rejects(importRates({ store, xml: dailyFile([good]) }), /disk full/)
  })
})
