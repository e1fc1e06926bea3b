// Where JSON from outside is wrong.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import { findJsonError, parseJson } from '../../../src/base/http/json.ts'

describe('findJsonError', () => {
  const broken: readonly [string, number][] = [
    ['', 0],
    ['{', 1],
    ['{"a" 1}', 5],
    ['{"a": 1,}', 8],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['{a: 1}', 1],
    ['"a\nb"', 2],
    ['"a\\x"', 3],
    ['01', 1],
    ['-', 1],
    ['1 1', 2],
    ['tru', 3],
    ['[}', 1],
    ['{"a":{}}}', 8],
  ]
  for (const [text, offset] of broken) {
    it(`finds ${JSON.stringify(text)} wrong at ${offset}`, () => {
      assert.throws(() => JSON.parse(text))
      assert.equal(findJsonError(text), offset)
    })
  }

  it('reads valid JSON to its end and stops before the end in what a change broke', () => {
    fc.assert(
      fc.property(
        fc.json({ depthSize: 'small' }),
        fc.nat(),
        fc.constantFrom(...'{}[],:"\\x1 '.split('')),
        (text, position, character) => {
          assert.equal(findJsonError(text), text.length)
          const at = position % (text.length + 1)
          const changed = text.slice(0, at) + character + text.slice(at)
          let isValid = true
          try {
            JSON.parse(changed)
          } catch {
            isValid = false
          }
          if (isValid) assert.equal(findJsonError(changed), changed.length)
          else assert.ok(findJsonError(changed) <= changed.length)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('survives nesting and strings of a million characters', () => {
    assert.equal(findJsonError('['.repeat(1_000_000)), 1_000_000)
    assert.equal(findJsonError(`"${'a'.repeat(1_000_000)}`), 1_000_001)
  })
})

it('parseJson: names the place of an error, and searches a long document only in part', () => {
  const far = `[${'1,'.repeat(50_000)}`
  for (const [body, said] of [
    ['{"a":\n 1,}', /unexpected character at position 9 \(line 2, column 4\)$/],
    ['{"a":', /it ends too early$/],
    [`{"a" 1${far}`, /unexpected character at position 5 /],
    [`${far}x]`, /an unexpected character or end after position 32768$/],
    [far, /an unexpected character or end after position 32768$/],
    // The end of what is searched is inside an escape, and inside a word.
    [`"${'a'.repeat(32_764)}\\u00e9",`, /an unexpected character or end after position 32768$/],
    [`[${' '.repeat(32_765)}true,]`, /an unexpected character or end after position 32768$/],
  ] as const)
    assert.throws(() => parseJson(body), { message: said })
})
