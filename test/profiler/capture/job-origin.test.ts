// What a job carries through its queue, read as anybody may have written it.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { originMetadata, readOrigin } from '../../../src/libraries/observed/bullmq-telemetry.ts'

const origin = { token: 'j7pmnkfoqt6z', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }

it('originMetadata: writes nothing where there is nothing to tell', () => {
  assert.deepEqual(JSON.parse(originMetadata(origin)), { traceparent: origin.traceparent, fanlight: origin })
  assert.equal(originMetadata(null), '')
})

describe('readOrigin', () => {
  it('reads what originMetadata wrote', () => {
    assert.deepEqual(readOrigin(originMetadata(origin)), origin)
  })

  for (const [what, metadata] of Object.entries({
    nothing: undefined,
    'no JSON': '{',
    'a list': '[1]',
    'no member of ours': '{"traceparent":"00"}',
    'a token that is none': JSON.stringify({ fanlight: { ...origin, token: '../../etc/passwd' } }),
    'a token that is no text': JSON.stringify({ fanlight: { ...origin, token: { length: 12 } } }),
    'a trace that is none': JSON.stringify({ fanlight: { ...origin, traceparent: '00-0-0-0' } }),
    'a text without end': JSON.stringify({ fanlight: origin, rest: 'x'.repeat(20_000) }),
  })) {
    it(`does not take ${what}`, () => {
      assert.equal(readOrigin(metadata), null)
    })
  }
})
