// Values that servers repeat in their messages.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withoutValues } from '../../../src/observe/outgoing/queries.ts'

describe('withoutValues', () => {
  it('takes out the values that a server quotes', () => {
    const messages = [
      `invalid input syntax for type integer: "s3cret"`,
      `value "s3cret" is out of range for type integer`,
      `invalid input syntax for type date: "it ""is"" s3cret"`,
      `Duplicate entry 's3cret' for key 'PRIMARY'`,
      `Duplicate entry 'it's s3cret' for key 'PRIMARY'`,
      `Incorrect integer value: 's3cret' for column 'id' at row 1`,
      `Truncated incorrect DOUBLE value: 's3cret'`,
      `You have an error in your SQL syntax; check the manual for the right syntax to use near 's3cret', 2) LIMI`,
      `syntax error at or near "'s3cret'"`,
      `invalid input syntax for type integer: "s3cret that is cut of`,
    ]
    for (const message of messages) assert.doesNotMatch(withoutValues(message, 'SELECT ?'), /s3cret/, message)
    assert.equal(withoutValues(messages[3] ?? '', ''), `Duplicate entry ? for key 'PRIMARY'`)
    assert.equal(withoutValues(messages[4] ?? '', ''), `Duplicate entry ? for key 'PRIMARY'`)
  })

  it('leaves names, and what the statement shows of itself', () => {
    const messages = [
      'relation "users" does not exist',
      'duplicate key value violates unique constraint "users_pkey"',
      `Unknown column 'nam' in 'field list'`,
      `Table 'shop.users' doesn't exist`,
      'syntax error at or near "FORM"',
    ]
    for (const message of messages) assert.equal(withoutValues(message, 'SELECT * FORM users'), message)
  })
})
