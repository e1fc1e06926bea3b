// What a job carries through its queue: written beside what another telemetry wrote, and read as anybody may have written it.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { originMetadata, readOrigin } from '../../../src/libraries/observed/bullmq-telemetry.ts'

const origin = { token: 'j7pmnkfoqt6z', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }

it('originMetadata: keeps what another telemetry wrote, and writes nothing where there is nothing to tell', () => {
  assert.deepEqual(JSON.parse(originMetadata(undefined, origin)), {
    traceparent: origin.traceparent,
    fanlight: origin,
  })
  const theirs = '{"traceparent":"theirs","tracestate":"a=1"}'
  assert.deepEqual(JSON.parse(originMetadata(theirs, origin)), {
    traceparent: 'theirs',
    tracestate: 'a=1',
    fanlight: origin,
  })
  assert.equal(originMetadata(theirs, null), theirs)
  assert.equal(originMetadata('no json', origin), 'no json')
  assert.equal(originMetadata(undefined, null), '')
})

describe('readOrigin', () => {
  it('reads what originMetadata wrote', () => {
    assert.deepEqual(readOrigin(originMetadata('{"other":1}', origin)), origin)
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
