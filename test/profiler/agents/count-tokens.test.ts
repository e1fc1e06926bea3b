import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { commonWords } from '../../../src/profiler/agents/count-tokens.ts'
import { countTokens } from '../../../src/profiler/agents/count-tokens.ts'
import { addressPath, anyCharacter, fc } from '../../support/fast-check.ts'
import { tokensOf } from '../../support/tokens.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz'
const signs = ' `"(/.:=-_[{<|&?@*#,>+!%$;)]}~^\\\n\t'

function assertNeverLess(text: string): void {
  const count = countTokens(text)
  const real = tokensOf(text)
  assert.ok(count >= real, `${count} for ${real} tokens: ${JSON.stringify(text)}`)
}

describe('countTokens', () => {
  it('counts each common word as one token, behind a space and behind each sign', () => {
    for (const word of commonWords) {
      assert.equal(countTokens(word), 1, word)
      for (const sign of signs) assertNeverLess(`${sign}${word}`)
      assertNeverLess(`a ${word}.`)
    }
  })

  it('knows every pair of letters that is not one token', () => {
    for (const one of letters) for (const other of letters) assertNeverLess(one + other)
  })

  it('never counts less for runs of spaces, digits and signs', () => {
    for (let length = 1; length <= 200; length += 1) {
      for (const after of ['', '\n', 'a', 'A', '(', '9', 'error', '\u00e9'])
        assertNeverLess(`${' '.repeat(length)}${after}`)
    }
    for (let number = 0; number < 10_000; number += 1) assertNeverLess(String(number))
    for (const sign of signs) for (let length = 1; length <= 80; length += 1) assertNeverLess(sign.repeat(length))
  })

  it('never counts less for words of random letters, whatever their case', () => {
    const word = fc.string({ unit: fc.constantFrom(...letters, ...letters.toUpperCase()), minLength: 1, maxLength: 60 })
    const lower = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 60 })
    const rare = fc.string({ unit: fc.constantFrom(...'qjzxvwfkg'), minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(fc.array(fc.oneof(word, lower, rare)), (words) => assertNeverLess(words.join(' '))),
      {
        numRuns: 500,
      },
    )
  })

  it('never counts less for any text', () => {
    const part = fc.oneof(
      fc.constantFrom(...commonWords),
      fc.string({ unit: anyCharacter, maxLength: 40 }),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({ maxLength: 40 }),
      fc.constantFrom(...signs, "'", "'s", "'re", '\r\n', '\u200d', '\u{e0041}', '\ud800', '<|endoftext|>', '    '),
      addressPath.map((path) => `https://shop.example${path}`),
      fc.uuid(),
      fc.json({ maxDepth: 2 }),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => assertNeverLess(parts.join(''))),
      { numRuns: 1500 },
    )
  })

  it('is not far off for what a profile says', () => {
    const text =
      'SELECT id, name FROM products WHERE id = ? LIMIT 1\nTypeError: Cannot read properties of undefined (reading price)'
    assert.ok(countTokens(text) < tokensOf(text) * 2, `${countTokens(text)} for ${tokensOf(text)}`)
  })
})
