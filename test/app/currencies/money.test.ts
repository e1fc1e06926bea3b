import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import { activeCodes, currencySign } from '../../../app/currencies/samples.ts'
import { exchange, MoneyFormatter } from '../../../app/currencies/money.ts'

/** A decimal as whole number and number of places, and as text. */
const decimal = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.integer({ min: 0, max: 20 }))
  .map(([whole, places]) => ({ whole, places, text: toText(whole, places) }))

function toText(whole: bigint, places: number): string {
  const digits = String(whole).padStart(places + 1, '0')
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

function withoutTrailingZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

describe('exchange', () => {
  for (const text of ['', '1e3', '+1', '.5', '1.', '1,5', 'NaN', 'Infinity', '0x1', ' 1', '1'.repeat(41), '１']) {
    it(`refuses ${JSON.stringify(text.slice(0, 12))}, naming it`, () => {
      assert.throws(() => exchange(text, { from: '1', to: '1' }, 2), { name: 'MoneyError', code: 'ERR_MONEY' })
      assert.throws(
        () => exchange('1', { from: '1', to: text }, 2),
        (error: Error) => error.message.includes(JSON.stringify(text)),
      )
    })
  }

  it('rounds the exact quotient half away from zero', () => {
    fc.assert(
      fc.property(decimal, decimal, decimal, fc.integer({ min: 0, max: 6 }), (amount, to, from, digits) => {
        fc.pre(from.whole > 0n)
        const shift = digits + from.places - amount.places - to.places
        const product = amount.whole * to.whole
        const numerator = shift >= 0 ? product * 10n ** BigInt(shift) : product
        const denominator = shift >= 0 ? from.whole : from.whole * 10n ** BigInt(-shift)
        const rounded = (2n * numerator + denominator) / (2n * denominator)
        const rates = { from: from.text, to: to.text }
        assert.equal(exchange(amount.text, rates, digits), withoutTrailingZeros(toText(rounded, digits)))
      }),
      { numRuns: 200 },
    )
  })

  it('refuses a rate of zero and digits out of range', () => {
    assert.throws(() => exchange('1', { from: '0.00', to: '1' }, 2), { name: 'MoneyError' })
    assert.throws(() => exchange('1', { from: '1', to: '1' }, -1), /"-1"/)
    assert.throws(() => exchange('1', { from: '1', to: '1' }, 1.5), /"1.5"/)
  })
})

describe('MoneyFormatter', () => {
  const english = new MoneyFormatter()

  it('writes amounts with the sign of the record and the digits of the currency', () => {
    assert.equal(english.format('1299', { code: 'EUR', sign: '€' }), '€1,299.00')
    assert.equal(english.format('-0.5', { code: 'USD', sign: 'US$' }), '-US$0.50')
    assert.equal(english.format('1234.5', { code: 'JPY', sign: '¥' }), '¥1,235')
    assert.equal(english.format('1.2345', { code: 'KWD', sign: 'KWD' }), 'KWD\u00a01.235')
    assert.equal(new MoneyFormatter('de-DE').format('1234.5', { code: 'EUR', sign: '€' }), '1.234,50\u00a0€')
  })

  it('rounds the decimal itself, however long it is', () => {
    assert.equal(english.format('1.005', { code: 'EUR', sign: '€' }), '€1.01')
    assert.equal(english.format('9007199254740993.115', { code: 'EUR', sign: '€' }), '€9,007,199,254,740,993.12')
  })

  it('formats every active code', () => {
    for (const code of activeCodes) assert.match(english.format('1', { code, sign: currencySign(code) }), /1/)
  })

  it('refuses what is not a decimal, and an invalid locale', () => {
    assert.throws(() => english.format('NaN', { code: 'EUR', sign: '€' }), { name: 'MoneyError' })
    assert.throws(() => new MoneyFormatter('no locale'), { name: 'RangeError' })
  })
})

describe('MoneyFormatter in English', () => {
  const plainCodes = ['EUR', 'USD', 'GBP', 'JPY', 'CNY', 'INR', 'KRW']

  it('writes English as the runtime does, also where its data are not asked', () => {
    const formatter = new MoneyFormatter('en')
    const amount = fc.tuple(fc.boolean(), decimal).map(([isNegative, { text }]) => (isNegative ? `-${text}` : text))
    fc.assert(
      fc.property(fc.constantFrom(...plainCodes), amount, (code, text) => {
        const options = { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' } as const
        const expected = new Intl.NumberFormat('en', options).format(text as Intl.StringNumericLiteral)
        assert.equal(formatter.format(text, { code, sign: currencySign(code) }), expected)
      }),
      { numRuns: 200 },
    )
  })

  it('knows how many digits every currency has', () => {
    const formatter = new MoneyFormatter('en')
    for (const code of activeCodes) {
      const { maximumFractionDigits } = new Intl.NumberFormat('en', {
        style: 'currency',
        currency: code,
      }).resolvedOptions()
      assert.equal(formatter.fractionDigits(code), maximumFractionDigits, code)
    }
  })
})
