import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { html } from '../../../src/base/html/html.ts'
import { countOf, PageBudget } from '../../../src/base/html/page-budget.ts'

describe('PageBudget', () => {
  const draw = (budget: PageBudget) => (item: number) => budget.spend(html`${item};`)
  const rest = (missing: number): ReturnType<typeof html> => html`+${missing}`

  it('draws everything while there is room', () => {
    const budget = new PageBudget(100)
    assert.equal(budget.list([1, 2, 3], draw(budget), { rest }).join(''), '1;2;3;')
  })
  it('stops when the bytes are spent, for every list that shares it', () => {
    const budget = new PageBudget(3)
    assert.equal(budget.list([1, 2, 3], draw(budget), { rest }).join(''), '1;2;+1')
    assert.equal(budget.isSpent, true)
    assert.equal(budget.list([1], draw(budget), { rest }).join(''), '+1')
  })
  it('stops after a number of items', () => {
    const budget = new PageBudget(100)
    assert.equal(budget.list([1, 2, 3], draw(budget), { rest, maxItems: 1 }).join(''), '1;+2')
  })
})

it('countOf: minds the number', () => {
  assert.deepEqual(
    [countOf(1, 'call'), countOf(2, 'call'), countOf(0, 'property', 'properties')],
    ['1 call', '2 calls', '0 properties'],
  )
})
