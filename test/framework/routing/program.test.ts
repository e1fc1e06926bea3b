import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compileExpression, compilePattern, isWholeMatch, maxSteps, runProgram } from '../../../src/routing/program.ts'
import { fc } from '../../support/fast-check.ts'
import { noModifiers } from '../../support/node-features.ts'

const atom = fc.constantFrom(
  'a', 'b', '-', '\\d', '\\w', '\\W', '\\s', '.', '[ab]', '[^a]', '[a-z-]', '[^/]', '\\.', '\\x61', '\\u0061', '\\u{1F600}', '\\ud83d\\ude00',
  'é', '😀', '[é-ü]', '\\p{L}', '\\P{Lu}', '^', '$', '\\b', '\\B', '/',
) // prettier-ignore

const { expression } = fc.letrec<{ expression: string; quantified: string }>((tie) => ({
  quantified: fc
    .tuple(
      fc.oneof(
        { withCrossShrink: true },
        atom,
        tie('expression').map((inner) => `(?:${inner})`),
      ),
      fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,2}?', '{2,}'),
    )
    .map(([part, sign]) => (/^(?:\^|\$|\\[bB])$/.test(part) ? part : part + sign)),
  expression: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    tie('quantified'),
    fc.array(tie('quantified'), { maxLength: 3 }).map((parts) => parts.join('')),
    fc.tuple(tie('expression'), tie('expression')).map(([one, other]) => `(?:${one}|${other})`),
    fc
      .tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!'), tie('expression'), tie('expression'))
      .map(([look, inner, rest]) => `${look}${inner})${rest}`),
    fc.tuple(fc.constantFrom('m', '-s', 'm-s'), tie('expression')).map(([flags, inner]) => `(?${flags}:${inner})`),
  ),
}))

const text = fc
  .array(fc.constantFrom('a', 'b', 'A', '-', '/', '1', ' ', '\n', 'é', '😀'), { maxLength: 7 })
  .map((parts) => parts.join(''))

// Not `(?i:…)`: V8 forgets it now and then in a process that has compiled many.
const flags = fc.constantFrom('s', 'is')

describe('a compiled expression', () => {
  it('takes the values that V8 takes', { skip: noModifiers }, () => {
    let taken = 0
    fc.assert(
      fc.property(expression, fc.array(text, { minLength: 10, maxLength: 10 }), flags, (source, values, flag) => {
        const program = compileExpression(source, flag)
        const native = new RegExp(`^(?:${source})$`, `u${flag}`)
        for (const value of values) {
          const isTaken = native.test(value)
          taken += isTaken ? 1 : 0
          assert.equal(isWholeMatch(program, value), isTaken, `${source} on ${JSON.stringify(value)}`)
        }
      }),
      { numRuns: 3000 },
    )
    assert.ok(taken > 100)
  })

  it('knows set notation', () => {
    const program = compileExpression('[\\p{L}--[a-z]]+')
    assert.deepEqual(
      ['AÉ', 'Aa', ''].map((value) => isWholeMatch(program, value)),
      [true, false, false],
    )
  })

  it('keeps the modes of a group to it', () => {
    const program = compileExpression('a(?i:b(?-i:c))d')
    assert.deepEqual(
      ['abcd', 'aBcd', 'abCd', 'abcD'].map((value) => isWholeMatch(program, value)),
      [true, true, false, false],
    )
  })
})

it('a compiled pattern: cuts a text like V8, whatever is side by side', () => {
  // Repeats of what may be empty are left out: engines differ in what they prefer there.
  const source = fc.constantFrom(
    '.+', '.*', '.+?', '.*?', '\\w+', '[ab]*', 'a|ab|abc', 'ab|a', 'a|aa|', 'a{1,2}', 'a{1,2}?', '(?:ab?)+', '(?:a|b)*?', '(?!b).+', '.+(?<=a)', '\\b.+',
  ) // prettier-ignore
  fc.assert(
    fc.property(
      fc.array(source, { minLength: 1, maxLength: 4 }),
      fc.array(text, { minLength: 8, maxLength: 8 }),
      (sources, texts) => {
        const tokens = sources.map((one) => ({ kind: 'param', separator: '', source: one }) as const)
        const program = compilePattern(tokens)
        const native = new RegExp(`^${sources.map((one) => `(${one})`).join('')}$`, 'su')
        for (const value of texts) {
          const slots = runProgram(program, value, 0, value.length, { steps: maxSteps })
          const parts = slots && sources.map((_, index) => value.slice(slots[2 * index], slots[2 * index + 1]))
          assert.deepEqual(
            parts,
            native.exec(value)?.slice(1) ?? null,
            `${sources.join(' ')} on ${JSON.stringify(value)}`,
          )
        }
      },
    ),
    { numRuns: 3000 },
  )
})
