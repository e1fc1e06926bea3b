import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Recorder } from '../../src/profiler/recorder.ts'
import { Redactor } from '../../src/framework/redact/redactor.ts'
import { LineList } from '../support/exchange.ts'

function recorder(createToken?: () => string): Recorder {
  return new Recorder({
    redactor: new Redactor(),
    sink: new LineList(),
    ...(createToken === undefined ? {} : { createToken }),
  })
}

/** A source that gives these in turn, the last one for ever. */
function repeating(...tokens: readonly string[]): () => string {
  let index = 0
  return () => tokens[Math.min(index++, tokens.length - 1)]!
}

describe('Recorder', () => {
  it('gives a sub-request a token of its own, too', () => {
    const parent = recorder(repeating('aaaaaaaaaaaa', 'aaaaaaaaaaaa', 'cccccccccccc')).begin()
    const child = parent.createChild()
    assert.equal(child.token, 'cccccccccccc')
    assert.equal(child.parent, parent)
    assert.deepEqual(parent.children, [child])
  })

  it('asks for the ending of every token', () => {
    const endings = ['x', '7']
    const recorder = new Recorder({
      redactor: new Redactor(),
      sink: new LineList(),
      newTokenEnding: () => endings.shift() ?? assert.fail(),
    })
    const parent = recorder.begin()
    const child = parent.createChild()
    assert.match(parent.token, /^[0-9a-z]{12}x$/)
    assert.match(child.token, /^[0-9a-z]{12}7$/)
  })

  it('masks what is logged before it is kept', () => {
    const recording = recorder().begin()
    recording.logger.write({
      level: 'info',
      channel: 'app',
      message: 'Bearer abcdefghijklmnop',
      context: { password: 'hunter2' },
    })
    assert.ok(!JSON.stringify(recording.logger.records).match(/hunter2|abcdefghijklmnop/))
  })
})
