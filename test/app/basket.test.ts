import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../support/fast-check.ts'
import { Basket, maxQuantity, readBasket } from '../../app/basket.ts'
import { exchangeOf } from '../support/exchange.ts'
import { findProduct, products, type Product } from '../../app/catalogue.ts'

const knocker = product('lion-knocker')
const mat = product('coir-mat')

describe('Basket', () => {
  it('reads what it wrote', () => {
    const basket = Basket.parse('').with(knocker, 2).with(mat, 1).with(knocker, 1)
    assert.equal(basket.toString(), 'lion-knocker.3~coir-mat.1')
    assert.deepEqual(Basket.parse(basket.toString()).lines, [
      { product: knocker, quantity: 3 },
      { product: mat, quantity: 1 },
    ])
    assert.equal(basket.count, 4)
  })

  it('leaves out what the shop does not sell, or not that often', () => {
    const written = `nope.1~lion-knocker.${maxQuantity + 1}~coir-mat.0~boot-scraper.1e1~key-cabinet.2~__proto__.1`
    assert.equal(Basket.parse(written).toString(), 'boot-scraper.10~key-cabinet.2')
  })

  it('knows how much more it takes', () => {
    const basket = Basket.parse('').with(knocker, 15)
    assert.equal(basket.roomFor(knocker), maxQuantity - 15)
    assert.equal(basket.roomFor(mat), maxQuantity)
  })

  it('reads any text without throwing, and only what it could have written', () => {
    const part = fc.oneof(fc.string(), fc.constantFrom(...products.map(({ slug }) => `${slug}.3`)))
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const written = Basket.parse(parts.join('~')).toString()
        assert.equal(Basket.parse(written).toString(), written)
        assert.match(written, /^[a-z0-9.~-]*$/)
      }),
      { numRuns: 200 },
    )
  })
})

describe('readBasket', () => {
  it('finds its cookie among others', () => {
    assert.equal(basketOf('currency=USD; basket=coir-mat.2; x=basket=1').toString(), 'coir-mat.2')
  })

  it('is empty without one', () => {
    assert.equal(readBasket(exchangeOf()).count, 0)
    assert.equal(basketOf('mybasket=coir-mat.2').count, 0)
  })
})

function basketOf(cookieHeader: string): Basket {
  return readBasket(exchangeOf({ rawHeaders: ['Cookie', cookieHeader] }))
}

function product(slug: string): Product {
  const found = findProduct(slug)
  assert.ok(found)
  return found
}
