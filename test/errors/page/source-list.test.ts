import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SourceToken } from '../../../src/errors/flattened-error.ts'
import { sourceList } from '../../../src/errors/page/source-list.ts'
import { makeExcerpt } from '../../support/error-view.ts'
import { pageText } from '../../support/page-text.ts'

const lineOf = (tokens: readonly SourceToken[], column: number): string => {
  const markup = String(sourceList({ startLine: 1, lines: [tokens] }, { line: 1, column }))
  return /<li class="at">([\s\S]*)<\/li>/.exec(markup)?.[1] ?? ''
}

describe('sourceList', () => {
  it('counts lines from the first one shown and marks the one in question', () => {
    const markup = String(sourceList(makeExcerpt(5, 15), { line: 12, column: 1, radius: 2 }))
    assert.match(markup, /<ol class="source" start="10">/)
    assert.equal(markup.match(/<li/g)?.length, 5)
    assert.equal(pageText(/<li class="at">[\s\S]*?<\/li>/.exec(markup)?.[0] ?? ''), 'const value12 = 12')
  })
  it('stays inside the excerpt', () => {
    const markup = String(sourceList(makeExcerpt(1, 3), { line: 2, column: 1, radius: 50 }))
    assert.match(markup, /start="1"/)
    assert.equal(markup.match(/<li/g)?.length, 3)
    assert.doesNotMatch(String(sourceList(makeExcerpt(1, 3), { line: 90, column: 1, radius: 2 })), /<li/)
  })
  it('marks the word at the column, wherever it is in a token', () => {
    assert.equal(lineOf([['', 'a.total.b']], 3), 'a.<mark>total</mark>.b')
    assert.equal(
      lineOf(
        [
          ['kwd', 'throw'],
          ['', ' x'],
        ],
        1,
      ),
      '<mark>throw</mark> x',
    )
    assert.equal(lineOf([['str', "'<a>'"]], 2), `<i class="t-str">'</i><mark>&lt;</mark><i class="t-str">a&gt;'</i>`)
  })
  it('marks nothing where there is no word', () => {
    assert.equal(lineOf([['', 'a  b']], 3), 'a  b')
    assert.equal(lineOf([['', 'a']], 99), 'a')
    assert.equal(lineOf([], 1), '')
  })
  it('leaves out the indentation that all lines share', () => {
    const lines: SourceToken[][] = [
      [['', '    if (a) {']],
      [],
      [
        ['', '      '],
        ['kwd', 'return'],
      ],
      [['', '    }']],
    ]
    const markup = String(sourceList({ startLine: 1, lines }, { line: 99, column: 1 }))
    assert.deepEqual(markup.match(/<li>.*?<\/li>/g), [
      '<li>if (a) {</li>',
      '<li></li>',
      '<li>  <i class="t-kwd">return</i></li>',
      '<li>}</li>',
    ])
  })
  it('cuts lines that are too long, with a mark', () => {
    const text = pageText(sourceList({ startLine: 1, lines: [[['', 'x'.repeat(5000)]]] }, { line: 1, column: 1 }))
    assert.match(text, /^x{400}… \[4600 more characters\]$/)
  })
  it('can do without colours', () => {
    assert.doesNotMatch(String(sourceList(makeExcerpt(1, 3), { line: 1, column: 99, isHighlighted: false })), /<i/)
  })
})
