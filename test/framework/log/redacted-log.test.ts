// Entries on their way to sinks: masked once, before anybody sees them.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type LogEntry, type LogLine, type LogSink, RedactedLog, RecordLogger } from '../../../src/base/log/logger.ts'
import { Redactor } from '../../../src/base/redact/redactor.ts'
import { pick } from '../../support/pick.ts'

class Lines implements LogSink {
  readonly lines: LogLine[] = []
  write(line: LogLine): void {
    this.lines.push(line)
  }
}

function lineOf(entry: Partial<LogEntry>): LogLine | undefined {
  const sink = new Lines()
  new RedactedLog(sink, new Redactor()).write({ level: 'info', channel: 'app', message: '', context: {}, ...entry })
  return sink.lines[0]
}

describe('RedactedLog', () => {
  it('masks message and context, and stamps the line', () => {
    const before = Date.now()
    const line = lineOf({
      message: 'Bearer abcdefghijklmnop for {user}',
      context: { user: 'ann', password: 'hunter2' },
    })
    assert.ok(line !== undefined && line.time >= before && line.time <= Date.now())
    assert.equal(line.message, 'Bearer ****** for {user}')
    assert.deepEqual({ ...line.context }, { user: 'ann', password: '******' })
  })

  it('masks a secret that shows only where message and value meet', () => {
    const line = lineOf({ message: 'Sent Bearer {value}.', context: { value: 'abcdefghijklmnop' } })
    assert.equal(line?.message, 'Sent Bearer ******')
  })

  it('gives plain data for any context', () => {
    const circular: Record<string, unknown> = { big: 1n }
    circular['self'] = circular
    const hostile = {
      get a(): never {
        throw new Error('getter')
      },
    }
    for (const context of [circular, hostile]) assert.doesNotThrow(() => JSON.stringify(lineOf({ context })?.context))
  })

  it('gives errors with their stacks and those of their causes and members, with codes, without undefined members', () => {
    const cause = Object.assign(new Error('inner of password=zq-secret'), {
      code: '42P01',
      detail: undefined,
      originalCode: 'E7',
    })
    const members = new AggregateError([new TypeError('a member')], 'several')
    const context = lineOf({ context: { error: new RangeError('outer', { cause }), several: members } })?.context
    const { error, several } = JSON.parse(JSON.stringify(context)) as {
      readonly error: { readonly stack: string; readonly cause: { readonly stack: string } }
      readonly several: { readonly errors: unknown }
    }
    assert.match(error.stack, /^RangeError: outer\n {4}at .*redacted-log\.test\.ts:\d+/)
    const { stack, ...inner } = error.cause
    assert.match(stack, /^Error: inner of password=\*{6}\n {4}at /)
    assert.deepEqual(inner, { name: 'Error', message: 'inner of password=******', code: '42P01', originalCode: 'E7' })
    assert.match(JSON.stringify(several.errors), /TypeError: a member\\n {4}at /)
  })

  it('reads no stack by code of somebody else', () => {
    const error = Object.defineProperty(new Error('x'), 'stack', {
      get: () => {
        throw new Error('getter')
      },
    })
    assert.match(JSON.stringify(lineOf({ context: { error } })), /"stack":"\[Getter\]"/)
  })

  it('asks the sink which lines it wants', () => {
    const sink = Object.assign(new Lines(), { wants: (level: string) => level !== 'debug' })
    const log = new RedactedLog(sink, new Redactor())
    for (const level of ['debug', 'warn'] as const) log.write({ level, channel: 'app', message: level, context: {} })
    assert.deepEqual(pick(sink.lines, 'message'), ['warn'])
  })
})

it('RecordLogger: keeps the first and last of what the sink gets, and counts the rest', () => {
  const sink = new Lines()
  const log = new RecordLogger({ sink, redactor: new Redactor(), maxRecords: 2 }, { elapsedMs: () => 5 })
  for (const order of [1, 2, 3])
    log.write({ level: 'info', channel: 'app', message: 'Order {order}', context: { order, password: 'x' } })
  assert.deepEqual([log.records.length, log.dropped, sink.lines.length], [2, 1, 3])
  const [first, , third] = sink.lines.map(({ time: _time, ...line }) => line)
  assert.deepEqual(log.records, [
    { ...first, timeMs: 5 },
    { ...third, timeMs: 5, leftOutBefore: 1 },
  ])
  log.forget()
  assert.deepEqual(log.records, [])
})
