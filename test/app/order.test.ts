import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../support/fast-check.ts'
import { pick } from '../support/pick.ts'
import { Basket } from '../../app/basket.ts'
import { findProduct } from '../../app/catalogue.ts'
import { readOrder, roomProblem } from '../../app/order.ts'

describe('readOrder', () => {
  it('takes a number as JSON sends it, digits as a form sends them, and one piece when nothing is said', () => {
    assert.equal(quantityOf({ product: 'coir-mat', quantity: 3 }), 3)
    assert.equal(quantityOf({ product: 'coir-mat', quantity: ' 12' }), 12)
    assert.equal(quantityOf({ product: 'coir-mat' }), 1)
  })

  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [{ product: 'coir-mat', quantity: 'many' }, /^Field "quantity" is "many"; allowed: a whole number from 1 to 20$/],
    [{ product: 'coir-mat', quantity: 0 }, /^Field "quantity" is 0; allowed: a whole number/],
    [{ product: 'coir-mat', quantity: 21 }, /^Field "quantity" is 21; allowed/],
    [{ product: 'coir-mat', quantity: 1.5 }, /^Field "quantity" is 1.5; allowed/],
    [{ product: 'coir-mat', quantity: null }, /^Field "quantity" is null; allowed/],
    [{ product: 'coir-mat', quantity: [1] }, /^Field "quantity" is a list; allowed/],
    [{ product: 'nope' }, /^Field "product" is "nope"; allowed: the slug of a product/],
    [{ product: 'x'.repeat(500) }, /^Field "product" is "x{60}…"; allowed/],
    [{ product: 'constructor' }, /^Field "product" is "constructor"; allowed/],
    [{}, /^Field "product" is missing; allowed/],
    [null, /^The body is null; allowed: an object with the fields "product" and "quantity"$/],
    [[], /^The body is a list; allowed/],
    ['coir-mat', /^The body is "coir-mat"; allowed/],
  ]
  for (const [sent, message] of wrong) {
    it(`names the field and what is allowed: ${JSON.stringify(sent).slice(0, 60)}`, () => {
      const reading = readOrder(sent)
      assert.ok(!reading.isUsable)
      assert.match(reading.problems[0]?.message ?? '', message)
    })
  }

  it('names every wrong field', () => {
    const reading = readOrder({ product: 'nope', quantity: -1 })
    assert.ok(!reading.isUsable)
    assert.deepEqual(pick(reading.problems, 'field'), ['product', 'quantity'])
  })

  it('never throws, and never is unusable without a reason', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (sent) => {
        const reading = readOrder(sent)
        assert.ok(reading.isUsable || reading.problems.length > 0)
      }),
      { numRuns: 200 },
    )
  })
})

it('roomProblem: says how many more the basket takes', () => {
  const product = findProduct('coir-mat')
  assert.ok(product)
  const basket = Basket.parse('coir-mat.15')
  assert.equal(roomProblem({ product, quantity: 5 }, basket), undefined)
  assert.match(roomProblem({ product, quantity: 6 }, basket)?.message ?? '', /is 6; allowed: at most 5 more, because/)
})

function quantityOf(sent: unknown): number | undefined {
  const reading = readOrder(sent)
  return reading.isUsable ? reading.order.quantity : undefined
}
