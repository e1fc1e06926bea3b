// Records of this library's own making come out as any others would, only sooner.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import { Redactor } from '../../../src/framework/redact/redactor.ts'

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('maskOwnRecord', () => {
  const redactor = new Redactor({ keys: ['pin'] })

  it('masks and shows what the careful reader does', () => {
    const text = fc.oneof(fc.string(), fc.constant('Bearer abcdef0123456789abcdef'), fc.webUrl())
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom('route', 'password', 'pin', 'session', 'id', 'a_rather_long_name'),
    )
    const leaf = fc.oneof(text, fc.integer(), fc.constant(null), fc.array(text, { maxLength: 3 }))
    const record = fc.dictionary(name, fc.oneof(leaf, fc.dictionary(name, leaf, { maxKeys: 4 })), { maxKeys: 6 })
    fc.assert(
      fc.property(record, (value) => {
        assert.deepEqual(plain(redactor.ownRecord(value)), plain(redactor.record(value)))
      }),
    )
  })

  it('reads what stands deeper with care: no getter runs', () => {
    const hostile = Object.defineProperty({}, 'bomb', { enumerable: true, get: () => assert.fail('ran') })
    assert.deepEqual(plain(redactor.ownRecord({ parameters: { hostile } })), {
      parameters: { hostile: { bomb: '[Getter]' } },
    })
  })
})
