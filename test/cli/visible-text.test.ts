import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyCharacter, fc } from '../support/fast-check.ts'
import { visibleLine } from '../../src/base/markdown-text.ts'
import { cutToColumns, textWidth } from '../../src/cli/terminal.ts'

describe('visibleLine', () => {
  it('spells out what a terminal would obey', () => {
    assert.equal(visibleLine('a\u001b[31mb'), 'a\\x1b[31mb')
    assert.equal(visibleLine('\r\n\t\u0000\u007f\u009b'), '\\x0d\\n\\t\\x00\\x7f\\x9b')
    assert.equal(visibleLine('\u202ecod.exe\u2066\u200f\u2028'), '\\u202ecod.exe\\u2066\\u200f\\u2028')
    assert.equal(visibleLine('\ud800'), '\\ud800')
    assert.equal(visibleLine('€ ₫ د.إ 円 é 👩‍👧'), '€ ₫ د.إ 円 é 👩‍👧')
  })

  it('leaves no control character of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        assert.doesNotMatch(visibleLine(text), /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Cs}]/u)
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
        assert.ok(textWidth(cutToColumns(visibleLine(text), columns)) <= columns)
      }),
      { numRuns: 200 },
    )
  })
})
