import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findProduct, products } from '../../app/catalogue.ts'
import { drawing } from '../../app/views/drawings.ts'

describe('products', () => {
  it('have names for addresses that nobody else has', () => {
    assert.equal(new Set(products.map(({ slug }) => slug)).size, products.length)
    for (const { slug } of products) assert.match(slug, /^[a-z]+(-[a-z]+)*$/)
  })

  it('have exact prices above zero', () => {
    for (const { price } of products) {
      assert.match(price, /^\d+\.\d{2}$/)
      assert.match(price, /[1-9]/)
    }
  })

  it('are all drawn', () => {
    const undrawn = drawing('nothing').toString()
    for (const { slug } of products) assert.notEqual(drawing(slug).toString(), undrawn, slug)
  })
})

it('findProduct: finds by name, and nothing else', () => {
  assert.equal(findProduct('coir-mat')?.name, 'Coir doormat')
  assert.equal(findProduct('__proto__'), undefined)
  assert.equal(findProduct(''), undefined)
})
