import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { html } from '../../src/html/html.ts'
import { lineItems, textRuns } from '../../src/html/text-runs.ts'

describe('textRuns', () => {
  it('escapes text and class, and leaves runs without a class bare', () => {
    const runs = [
      ['t-str', '"<a>"'],
      ['', ' & '],
      ['mark', 'b'],
      ['x" y', 'c'],
    ] as const
    assert.equal(
      String(textRuns(runs)),
      '<i class="t-str">"&lt;a&gt;"</i> &amp; <mark>b</mark><i class="x&quot; y">c</i>',
    )
  })
  it('draws a kind as the caller says', () => {
    const markup = textRuns(
      [
        ['kwd', '<'],
        ['oper', '='],
      ],
      (kind) => (kind === 'oper' ? '' : `t-${kind}`),
    )
    assert.equal(String(markup), '<i class="t-kwd">&lt;</i>=')
  })
})

describe('lineItems', () => {
  it('makes an item of each line, one of them marked', () => {
    const lines = [html`<i>a</i>`, html`${'<'}`]
    assert.equal(String(lineItems(lines, 1)), '<li><i>a</i></li><li class="at">&lt;</li>')
    assert.equal(String(lineItems([], 0)), '')
  })
})
