// fast-check with the seed of the whole check, so that a change lands or not by what it changed and not by chance. With
// `FANLIGHT_TEST_SEED=random npm test`, or with the seed of a finding, properties see other values; `npm run fuzz` has its own seeds.

import * as fc from 'fast-check'

const { FANLIGHT_TEST_SEED: seed = '20261121' } = process.env
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) })

/**
 * Any character but half of a surrogate pair. The unit `binary` of fast-check gives the same characters, but first makes a
 * table of all million of them, which costs each process a second.
 */
const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800), codeOf)

/** What fast-check asks for to shrink a text that it has not made, and to try names of members of Object. */
function codeOf(text: unknown): number {
  if (typeof text !== 'string' || [...text].length !== 1 || !text.isWellFormed()) throw new TypeError('no character')
  const code = text.codePointAt(0) ?? 0
  return code < 0xd800 ? code : code - 0x800
}

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?"

/** Text of paths and queries. `webPath` and `webQueryParameters` of fast-check make the same table. */
const addressText: fc.Arbitrary<string> = fc.string({
  unit: fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...plain) },
    { weight: 1, arbitrary: anyCharacter.map(encodeURIComponent) },
  ),
})

/** `/a/b%20c`, or nothing. */
const addressPath: fc.Arbitrary<string> = fc.array(addressText).map((parts) => parts.map((part) => `/${part}`).join(''))

export { addressPath, addressText, anyCharacter, fc }
