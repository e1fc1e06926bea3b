// No message of a validator carries what was sent.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as v from 'valibot'
import { z } from 'zod'
import { withoutValues } from '../../../src/http/kernel/validate.ts'

describe('withoutValues', () => {
  for (const [message, value, safe] of [
    ['Expected "a" but received "hunter2"', 'hunter2', 'Expected "a" but received "…"'],
    ["must be an email (was 'hunter2')", 'hunter2', "must be an email (was '…')"],
    ['received "say \\"hi\\""', 'say "hi"', 'received "…"'],
    ['must be at most 18 (was 8)', 8, 'must be at most 18 (was …)'],
    ['received 8.5', 8.5, 'received …'],
    ['expected u8 or 8.25', 8, 'expected u8 or 8.25'],
    ['was {"password":"hunter2","age":41}', { password: 'hunter2', age: 41 }, 'was {"password":"…","age":…}'],
    ['was ["hunter2",["deep"]]', ['hunter2', ['deep']], 'was ["…",["…"]]'],
    ['A title is needed', '', 'A title is needed'],
    ['received undefined', undefined, 'received undefined'],
  ] as const) {
    it(`leaves of ${message}: ${safe}`, () => {
      assert.equal(withoutValues(message, value), safe)
    })
  }

  it('cuts what is long', () => {
    assert.equal(withoutValues('x'.repeat(1000), null).length, 301)
  })

  it('holds for the messages of Valibot and Zod', async () => {
    const secret = 'hunter2-4711'
    const schemas = [
      v.pipe(v.string(), v.email()),
      v.pipe(v.string(), v.regex(/^x/)),
      v.picklist(['a', 'b']),
      v.literal('a'),
      v.number(),
      z.email(),
      z.string().regex(/^x/),
      z.enum(['a', 'b']),
      z.literal('a'),
      z.number(),
      z.strictObject({}),
    ]
    for (const schema of schemas) {
      for (const value of [secret, { [secret.slice(0, 3)]: secret }]) {
        const result = await schema['~standard'].validate(value)
        for (const { message } of result.issues ?? []) {
          assert.doesNotMatch(withoutValues(message, value), /hunter2|4711/)
        }
      }
    }
  })
})
