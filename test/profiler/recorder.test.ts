import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Recorder } from '../../src/profiles/recorder.ts'
import { Redactor } from '../../src/base/redact/redactor.ts'
import { LineList } from '../support/exchange.ts'

function recorder(): Recorder {
  return new Recorder({ redactor: new Redactor(), sink: new LineList() })
}

describe('Recorder', () => {
  it('gives a sub-request its own token, too', () => {
    const parent = recorder().begin()
    const child = parent.createChild()
    assert.match(child.token, /^[0-9a-z]{12}$/)
    assert.notEqual(child.token, parent.token)
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
