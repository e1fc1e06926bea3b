// Which of many hints are asked about an error.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HintIndex } from '../../src/errors/hint-index.ts'
import type { HintMarks, HintRule } from '../../src/errors/hints/hint.ts'
import { makeError } from '../support/error-view.ts'

const rule = (name: string, asked?: HintMarks): HintRule => ({
  name,
  ...(asked === undefined ? {} : { asked }),
  matches: () => true,
  explain: () => ({ title: name, text: name }),
})

const index = new HintIndex([
  rule('text', { texts: ['(reading', 'no such table'] }),
  rule('own'),
  rule('code', { codes: ['ECONNREFUSED'] }),
  rule('class', { classes: ['SyntaxError'] }),
  rule('either', { codes: ['ECONNREFUSED'], texts: ['refused'] }),
])

const asked = (facts: Parameters<typeof makeError>[0]): string[] =>
  index.rulesFor(makeError(facts)).map(({ name }) => name)

describe('HintIndex', () => {
  it('always asks a rule without marks', () => assert.deepEqual(asked({ message: 'Nothing known' }), ['own']))

  it('asks by code, class and message, in the order of the list', () => {
    assert.deepEqual(asked({ code: 'ECONNREFUSED' }), ['own', 'code', 'either'])
    assert.deepEqual(asked({ className: 'SyntaxError' }), ['own', 'class'])
    assert.deepEqual(asked({ message: 'no such table: a (reading b)' }), ['text', 'own'])
  })

  it('asks a rule once, whatever it knows the error by', () => {
    assert.deepEqual(asked({ code: 'ECONNREFUSED', message: 'connect refused' }), ['own', 'code', 'either'])
  })
})
