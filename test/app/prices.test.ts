import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Prices } from '../../app/prices.ts'
import { currency } from '../support/running-app.ts'

const yen = new Prices({ code: 'JPY', currency: currency('JPY', { rate: '185.72', sign: '¥' }) })
const dinar = new Prices({ code: 'KWD', currency: currency('KWD', { rate: '0.35105', sign: 'KWD' }) })
const dollar = new Prices({ code: 'USD', currency: currency('USD', { rate: '1.1435', sign: '$' }) })

describe('Prices', () => {
  it('rounds a piece to the smallest coin of the currency', () => {
    assert.deepEqual(yen.piece('64.50'), { amount: '11979', currency: 'JPY' })
    assert.deepEqual(dinar.piece('64.50'), { amount: '22.643', currency: 'KWD' })
    assert.deepEqual(dollar.piece('24.00'), { amount: '27.44', currency: 'USD' })
  })

  it('charges for several pieces what the customer adds up', () => {
    assert.equal(dollar.line('24.00', 3).amount, '82.32')
    assert.equal(dollar.sum([dollar.line('24.00', 3), dollar.piece('9.80')]).amount, '93.53')
  })

  it('sums nothing to zero', () => {
    assert.deepEqual(dollar.sum([]), { amount: '0.00', currency: 'USD' })
  })

  it('writes an amount with the sign of the record', () => {
    assert.equal(dollar.show({ amount: '1234.5', currency: 'USD' }), '$1,234.50')
    assert.equal(yen.show(yen.piece('64.50')), '¥11,979')
  })

  it('stays in euro, and says so, when the record is not there', () => {
    const prices = new Prices({ code: 'QQQ', currency: undefined })
    assert.equal(prices.code, 'EUR')
    assert.equal(prices.show(prices.piece('64.50')), '€64.50')
    assert.match(prices.notice ?? '', /no rate for QQQ .* prices are in EUR/)
  })

  it('stays in euro when nobody pays with the currency', () => {
    const prices = new Prices({ code: 'XAU', currency: currency('XAU', { is_active: false }) })
    assert.equal(prices.code, 'EUR')
    assert.notEqual(prices.notice, null)
  })

  it('has nothing to say about euro, with a record or without', () => {
    assert.equal(new Prices({ code: 'EUR', currency: undefined }).notice, null)
    assert.equal(new Prices(undefined).notice, null)
    assert.equal(dollar.notice, null)
  })
})
