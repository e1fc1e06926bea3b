import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lineItems, RunStyle } from '../../../src/framework/html/text-runs.ts'

const style = new RunStyle((kind) => (kind === 'oper' ? '' : kind))

describe('RunStyle', () => {
  it('opens a kind as its maker says, with the class escaped', () => {
    assert.equal(style.opening('t-str'), '<i class="t-str">')
    assert.equal(style.opening('x" y'), '<i class="x&quot; y">')
    assert.equal(style.opening('mark'), '<mark>')
    for (const kind of ['', 'oper']) assert.equal(style.opening(kind), '')
  })
})

describe('lineItems', () => {
  it('makes an item of each line, one of them marked', () => {
    const lines = [[['kwd', 'a']], [['', '<']], []] as const
    assert.equal(
      String(lineItems(lines, { style, marked: 1 })),
      '<li><i class="kwd">a</i></li><li class="at">&lt;</li><li></li>',
    )
    assert.equal(String(lineItems([], { style, marked: 0 })), '')
  })
  it('escapes text, and leaves runs without a class bare', () => {
    const runs = [
      ['t-str', '"<a>"'],
      ['', ' & '],
      ['mark', 'b'],
    ] as const
    assert.equal(
      String(lineItems([runs], { style, marked: -1 })),
      '<li><i class="t-str">"&lt;a&gt;"</i> &amp; <mark>b</mark></li>',
    )
  })
  it('leaves out what shall be skipped', () => {
    const lines = [[['', '  a'] as const], [['', '  '] as const, ['kwd', 'b'] as const]]
    assert.equal(String(lineItems(lines, { style, marked: -1, skip: 2 })), '<li>a</li><li><i class="kwd">b</i></li>')
  })
})
