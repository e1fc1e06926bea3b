import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyCharacter, fc } from '../support/fast-check.ts'
import { cutToColumns, textWidth, visibleText } from '../../src/cli/terminal.ts'

describe('visibleText', () => {
  it('spells out what a terminal would obey', () => {
    assert.equal(visibleText('a\u001b[31mb'), 'a\\u{1b}[31mb')
    assert.equal(visibleText('\r\n\t\u0000\u007f\u009b'), '\\u{d}\\u{a}\\u{9}\\u{0}\\u{7f}\\u{9b}')
    assert.equal(visibleText('\u202ecod.exe\u2066\u200f\u2028'), '\\u{202e}cod.exe\\u{2066}\\u{200f}\\u{2028}')
    assert.equal(visibleText('\ud800'), '\\u{d800}')
    assert.equal(visibleText('€ ₫ د.إ 円 é 👩‍👧'), '€ ₫ د.إ 円 é 👩‍👧')
  })

  it('leaves no control character of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        assert.doesNotMatch(visibleText(text), /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Cs}]/u)
      }),
      { numRuns: 200 },
    )
  })
})

describe('cutToColumns', () => {
  it('counts columns, not letters', () => {
    assert.equal(textWidth('abc'), 3)
    assert.equal(textWidth('円'), 2)
    assert.equal(textWidth('e\u0301'), 1)
    assert.equal(textWidth('👩‍👧'), 2)
    assert.equal(cutToColumns('abcdef', 4), 'abc…')
    assert.equal(cutToColumns('円円円', 4), '円…')
    assert.equal(cutToColumns('abc', 3), 'abc')
  })

  it('never gets wider than asked for', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, columns) => {
        assert.ok(textWidth(cutToColumns(visibleText(text), columns)) <= columns)
      }),
      { numRuns: 200 },
    )
  })
})
