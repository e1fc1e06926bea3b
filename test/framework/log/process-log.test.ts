// The process log: lines that cannot be forged, on sinks that are slow, full or gone.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { Writable } from 'node:stream'
import { anyCharacter, fc } from '../../support/fast-check.ts'
import { createProcessLog, type ProcessLogOptions } from '../../../src/base/log/process-log.ts'
import { Redactor } from '../../../src/base/redact/redactor.ts'
import type { LogLine } from '../../../src/base/log/logger.ts'
import { until } from '../../support/until.ts'

class Lines extends Writable {
  text = ''
  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString('utf8')
    done()
  }
}

function line(message: string, context: Record<string, unknown> = {}, level: LogLine['level'] = 'info'): LogLine {
  return { level, channel: 'router', message, context, time: Date.now() }
}

function write(options: ProcessLogOptions, ...lines: LogLine[]): string {
  const destination = new Lines()
  const log = createProcessLog({ ...options, destination })
  for (const one of lines) log.write(one)
  return destination.text
}

const forbidden = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/

describe('createProcessLog', () => {
  it('writes one JSON object a line', () => {
    const written = JSON.parse(write({}, line('Matched route "{route}".', { route: 'product' }))) as Record<
      string,
      unknown
    >
    assert.equal(written['level'], 'info')
    assert.equal(written['channel'], 'router')
    assert.equal(written['msg'], 'Matched route "product".')
    assert.deepEqual(written['context'], { route: 'product' })
    assert.equal(typeof written['time'], 'number')
  })

  it('leaves out what is below its level', () => {
    assert.equal(write({ level: 'warn' }, line('quiet')), '')
    assert.match(write({ level: 'trace' }, line('loud', {}, 'trace')), /loud/)
    assert.equal(write({ level: 'silent' }, line('fatal', {}, 'fatal')), '')
  })

  it('goes by the level of the channel if it has one, and says beforehand what it wants', () => {
    const options = { channelLevels: { router: 'warn' } } as const
    assert.equal(write(options, line('quiet')), '')
    assert.match(write(options, line('loud', {}, 'warn')), /loud/)
    assert.match(write(options, { ...line('other'), channel: 'app' }), /other/)
    assert.match(write({ level: 'error', channelLevels: { router: 'debug' } }, line('lower', {}, 'debug')), /lower/)
    assert.equal(write({ channelLevels: { router: 'silent' } }, line('fatal', {}, 'fatal')), '')
    const log = createProcessLog({ ...options, destination: new Lines() })
    assert.deepEqual(
      [log.wants('info', 'router'), log.wants('error', 'router'), log.wants('info', 'app'), log.wants('debug', 'app')],
      [false, true, true, false],
    )
  })

  it('escapes control and direction characters and loses nothing', () => {
    const hostile = '\nFORGED\u001b[31m\u009b31m\u2028\u202e\u0000\u007f'
    const written = write({}, line(hostile, { path: hostile }))
    assert.equal(written.split('\n').length, 2)
    assert.doesNotMatch(written, forbidden)
    assert.deepEqual((JSON.parse(written) as { context: unknown }).context, { path: hostile })
  })

  it('writes short lines for people that cannot be forged either', () => {
    const hostile = 'a\nFORGED\u001b[31m\u009b31m\u202e\\n'
    const written = write({ pretty: true }, line(`Path {path} ${hostile}`, { path: hostile }))
    assert.equal(written.split('\n').length, 2)
    assert.doesNotMatch(written, forbidden)
    assert.match(written, /^\d\d:\d\d:\d\d\.\d{3} INFO {2}\[router\] Path a\\nFORGED\\u001b/)
  })

  it('writes for people the message with its values, the context, and a stack line by line', () => {
    const context = { order: 7, stack: 'Error: refused\n    at pay (app/pay.ts:3:9)\n    at \u001b[2Jforged\r' }
    const lines = write({ pretty: true }, line('Order {order} failed.', context, 'error')).split('\n')
    assert.match(lines[0] ?? '', / ERROR \[router\] Order 7 failed\. \{"order":7\}$/)
    assert.deepEqual(lines.slice(1), [
      '    Error: refused',
      '    at pay (app/pay.ts:3:9)',
      '    at \\u001b[2Jforged',
      '',
    ])
    assert.match(write({ pretty: true }, line('x', { trace: ['f (a.ts:1)', 'g'] })), / x\n {4}f \(a\.ts:1\)\n {4}g\n$/)
    assert.match(write({ pretty: true }, line('Started.')), / INFO {2}\[router\] Started\.\n$/)
  })

  it('writes for people the stacks of errors and of their causes, and the id of the request', () => {
    const error = new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'E1' }) })
    const context = { order: 7, ...new Redactor().record({ error }) }
    const lines = write({ pretty: true }, { ...line('It failed.', context, 'error'), requestId: 'r1' }).split('\n')
    assert.match(lines[0] ?? '', / It failed\. \{"order":7,"error":\{"name":"Error","message":"outer"\}\} r1$/)
    assert.equal(lines[1], '    Error: outer')
    const below = lines.indexOf('    caused by Error: inner')
    assert.ok(below > 2)
    for (const index of [2, below + 1]) assert.match(lines[index] ?? '', /^ {4}at .*process-log\.test\.ts:\d+/)
  })

  it('writes lines that may wait with the next one that may not, at the end of the turn, and before the log closes', async () => {
    const chunks: string[] = []
    const destination = new Writable({
      write: (chunk, _encoding, done) => {
        chunks.push(String(chunk))
        done()
      },
    })
    const log = createProcessLog({ destination })
    const waiting = (message: string): LogLine => ({ ...line(message), mayWait: true })
    const messages = (): string[][] =>
      chunks.map((chunk) =>
        chunk
          .trim()
          .split('\n')
          .map((text) => (JSON.parse(text) as { msg: string }).msg),
      )
    log.write(waiting('a'))
    log.write(waiting('b'))
    assert.deepEqual(messages(), [])
    log.write(line('c'))
    assert.deepEqual(messages(), [['a', 'b', 'c']])
    log.write(waiting('d'))
    await until(() => chunks.length === 2)
    log.write(waiting('e'))
    await log.close()
    assert.deepEqual(messages(), [['a', 'b', 'c'], ['d'], ['e']])
    assert.equal(process.listeners('exit').filter((listener) => String(listener).includes('write')).length, 0)
  })

  it('writes lines of any length in their order, also of many characters, and to a destination that keeps what it gets', () => {
    const chunks: Buffer[] = []
    const destination = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        chunks.push(chunk)
        done()
      },
    })
    const log = createProcessLog({ destination })
    const texts = [
      'short',
      'ü€😀\n"\\',
      'ü'.repeat(50_000),
      'x'.repeat(200_000),
      ...Array<string>(900).fill('y'.repeat(100)),
    ]
    for (const text of texts) log.write({ ...line('{text}', { text, length: text.length }), mayWait: true })
    log.write(line('last', { text: 'last', length: 4 }))
    const written = Buffer.concat(chunks).toString().trim().split('\n')
    assert.deepEqual(
      written.map((one) => (JSON.parse(one) as { context: { text: string } }).context.text),
      [...texts, 'last'],
    )
    assert.ok(chunks.length > 2 && chunks.length < 20, `${chunks.length} writes`)
  })

  it('writes a context as JSON does, whatever its members are', () => {
    for (const context of [
      {},
      { none: undefined, inner: { list: [1, 'a'] }, when: new Date(0) },
      { 'a"b\u202e': true, zero: -0, huge: 1e300, not: Number.NaN, nothing: null },
      { toJSON: () => 'own' },
    ]) {
      const written = JSON.parse(write({}, line('x', context))) as { context: unknown }
      assert.deepEqual(written.context, JSON.parse(JSON.stringify(context)))
    }
  })

  it('colours its own words only, and only where the destination has colours', () => {
    const written = [true, false].map((answer) => {
      const destination = Object.assign(new Lines(), { hasColors: () => answer })
      createProcessLog({ pretty: true, destination }).write(line('Saved \u001b[31m.', { a: 1 }, 'warn'))
      return destination.text
    })
    assert.match(
      written[0] ?? '',
      /\u001b\[33mWARN \u001b\[39m \[router\] Saved \\u001b\[31m\. \u001b\[2m\{"a":1\}\u001b\[22m\n$/,
    )
    assert.doesNotMatch(written[1] ?? '', forbidden)
  })

  it('keeps every line one line, whatever it holds; for people, with its stack indented', () => {
    for (const pretty of [false, true]) {
      fc.assert(
        fc.property(
          fc.string({ unit: anyCharacter }),
          fc.dictionary(fc.oneof(fc.string(), fc.constant('stack')), fc.string({ unit: anyCharacter })),
          (message, context) => {
            const written = write({ pretty }, line(message, context))
            assert.match(written, pretty ? /^\d\d:[^\n]*\n(?: {4}[^\n]*\n)*$/ : /^[^\n]*\n$/)
            assert.doesNotMatch(written, forbidden)
          },
        ),
        { numRuns: 100 },
      )
    }
  })

  it('survives contexts that cannot be written', () => {
    const throws = {
      get a() {
        throw new Error('getter')
      },
    }
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    for (const context of [
      throws,
      circular,
      { big: 1n },
      {
        toJSON: () => {
          throw new Error('toJSON')
        },
      },
    ]) {
      for (const pretty of [false, true]) {
        const written = write({ pretty }, line('still here', context))
        assert.match(written, /still here/)
        assert.match(written, /\[Unreadable\]/)
      }
    }
  })

  it('drops and counts lines that a slow sink cannot take, and never holds more than its bound', () => {
    const stuck = new Writable({ write: () => undefined })
    const log = createProcessLog({ destination: stuck, maxPendingBytes: 10_000 })
    for (let index = 0; index < 1000; index += 1) log.write(line('x'.repeat(100)))
    assert.ok(stuck.writableLength < 20_000)
    assert.ok(log.dropped > 800)
  })

  it('survives a sink that is full or gone, and counts', async () => {
    const full = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('no space'), { code: 'ENOSPC' })),
    })
    const log = createProcessLog({ destination: full })
    log.write(line('lost'))
    await log.flush()
    await until(() => full.destroyed && log.dropped > 0)
    log.write(line('lost too'))
    assert.equal(log.dropped, 2)
  })

  it('flushes what waits, and does not wait for ever', async () => {
    const pending: (() => void)[] = []
    const slow = new Writable({ write: (_chunk, _encoding, done) => void pending.push(done) })
    const log = createProcessLog({ destination: slow })
    log.write(line('waits'))
    await log.flush(10)
    const flushed = log.flush(60_000)
    for (const done of pending) done()
    await flushed
    assert.equal(slow.writableLength, 0)
  })

  for (const [end, code] of [
    ['ends', 'process.exit(3)'],
    [
      'ends by an error that nobody caught',
      "process.on('uncaughtException', () => process.exit(3)); throw new Error('crash')",
    ],
  ] as const) {
    for (const mayWait of [false, true])
      it(`loses nothing when the process ${end} in the same turn${mayWait ? ', also of what may wait' : ''}`, () => {
        const url = new URL('../../../src/base/log/process-log.ts', import.meta.url).href
        const script = `import { createProcessLog } from ${JSON.stringify(url)}
        createProcessLog().write({ level: 'info', channel: 'app', message: 'last words', context: {}, time: 0, mayWait: ${mayWait} })
        ${code}`
        const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
          encoding: 'utf8',
        })
        assert.equal(status, 3)
        assert.match(stdout, /"last words"/)
      })
  }
})
