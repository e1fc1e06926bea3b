// Tokens: form, freshness, and that no letter is likelier than another.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lateToken, tokenPattern } from '../../src/observe/profile.ts'
import { createToken, Recorder } from '../../src/profiles/recorder.ts'
import { Redactor } from '../../src/base/redact/redactor.ts'
import { LineList } from '../support/exchange.ts'

describe('createToken', () => {
  const tokens = Array.from({ length: 20_000 }, () => createToken())

  it('makes tokens of the form that routes and stores accept', () => {
    for (const token of tokens) assert.match(token, tokenPattern)
  })

  it('uses every letter about equally often, in every place', () => {
    // 36 letters, 20,000 draws: 555 of each; 200 is more than eight standard deviations.
    for (let place = 0; place < 12; place += 1) {
      const counts = new Map<string, number>()
      for (const token of tokens) counts.set(token[place]!, (counts.get(token[place]!) ?? 0) + 1)
      assert.equal(counts.size, 36)
      for (const [letter, count] of counts) {
        assert.ok(Math.abs(count - tokens.length / 36) < 200, `${letter} came ${count} times in place ${place}`)
      }
    }
  })
})

it('createToken with an ending: keeps all twelve letters, and ends as it is told', () => {
  const tokens = Array.from({ length: 1000 }, () => createToken('q'))
  for (const token of tokens) assert.match(token, /^[0-9a-z]{12}q$/)
  assert.equal(new Set(tokens).size, tokens.length)
})

it('lateToken: ends as the token of its request, which may name a part of the store, and is another one', () => {
  for (const token of ['0123456789', '0123456789ab', '0123456789abq', '0123456789abcdef']) {
    const late = [1, 2, 9].map((count) => lateToken(token, count))
    for (const one of late) {
      assert.match(one, tokenPattern)
      assert.equal(one.slice(-1), token.slice(-1))
    }
    assert.equal(new Set([token, ...late]).size, 4)
  }
})

it('Recorder: asks for the ending of every token, of sub-requests too', () => {
  const endings = ['x', '7']
  const newTokenEnding = (): string => endings.shift() ?? assert.fail()
  const parent = new Recorder({ redactor: new Redactor(), sink: new LineList(), newTokenEnding }).begin()
  assert.match(parent.token, /^[0-9a-z]{12}x$/)
  assert.match(parent.createChild().token, /^[0-9a-z]{12}7$/)
})
