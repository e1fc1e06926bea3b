import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { levelTone, logTable } from '../../../src/errors/page/log.ts'
import { makeRecord } from '../../support/error-view.ts'
import { pageText } from '../../support/page-text.ts'

describe('logTable', () => {
  it('shows time, level, channel and the message with its placeholders filled in', () => {
    const record = makeRecord({
      timeMs: 12.34,
      level: 'info',
      channel: 'router',
      message: 'Matched route "{route}".',
      context: { route: 'a"<b' },
    })
    assert.match(pageText(logTable([record])), /12\.3 ms\s*info\s*router\s*Matched route "a"<b"\./)
  })
  it('folds the context under its names', () => {
    const markup = String(logTable([makeRecord({ context: { id: 7, user: { name: '<b>' } } })]))
    assert.match(markup, /<details class="fold">\s*<summary>\s*<span>[^<]+<\/span> <em>id, user<\/em>/)
    assert.match(pageText(markup), /"id": 7, "user": \{ "name": "<b>" \}/)
    assert.doesNotMatch(String(logTable([makeRecord()])), /<details/)
  })
  it('folds long messages and those of several lines, and says at its place what was cut', () => {
    const markup = String(
      logTable([makeRecord({ message: 'first\nsecond' }), makeRecord({ message: 'after', leftOutBefore: 12 })]),
    )
    assert.match(markup, /<summary>\s*<span>first<\/span>/)
    assert.match(pageText(markup), /first second .*12 lines cut here\. .*after/s)
  })
  it('says so when nothing was logged', () => {
    assert.equal(pageText(logTable([])), 'Nothing was logged during this request.')
  })
  it('folds nothing where the message says it all', () => {
    const context = { route: 'page', count: 2 }
    const said = (message: string): boolean =>
      !String(logTable([makeRecord({ message, context })])).includes('<details')
    assert.ok(said('Matched {route} {count} times.'))
    assert.ok(!said('Matched {route}.'))
    assert.ok(!said('Matched {routes} {count} times.'))
    const long = { route: 'x'.repeat(5000) }
    assert.match(String(logTable([makeRecord({ message: 'Matched {route}.', context: long })])), /<details/)
  })

  it('says an object once, on its line or below, and an error as class and message, with its stack below', () => {
    const object = String(logTable([makeRecord({ message: 'Paid {value1}', context: { value1: { i: 0 } } })]))
    assert.match(pageText(object), /Paid \{"i":0\}$/)
    assert.doesNotMatch(object, /<details|value1/)
    const list = Array.from({ length: 60 }, (_, index) => `item ${index}`)
    const long = pageText(logTable([makeRecord({ message: '{value1}', context: { value1: list } })]))
    assert.equal(long.match(/item 59/g)?.length, 1)
    const value1 = {
      name: 'TypeError',
      message: 'late',
      stack: 'TypeError: late\n    at pay (a.ts:1:2)',
      code: 'E_LATE',
    }
    const error = String(logTable([makeRecord({ message: '{value1}', context: { value1 } })]))
    assert.match(error, /<span>TypeError: late<\/span>\s*<\/summary>\s*<pre[^>]*>TypeError: late\n {4}at pay/)
    assert.match(pageText(error), /"code": "E_LATE"/)
    assert.equal(error.match(/at pay/g)?.length, 1)
  })

  it('survives a context that is not plain data', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    assert.match(pageText(logTable([makeRecord({ context: cycle })])), /cannot be shown/)
  })
  it('stops when the page is full, and says how many lines are missing', () => {
    const records = Array.from({ length: 500 }, () => makeRecord({ message: 'x'.repeat(4000) }))
    const markup = String(logTable(records))
    assert.ok(Buffer.byteLength(markup) < 220_000)
    assert.match(pageText(markup), /\d+ more lines not shown/)
  })
})

it('levelTone: gives each level its tone', () => {
  const tones = (['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const).map(levelTone)
  assert.deepEqual(tones, ['neutral', 'neutral', 'info', 'warning', 'error', 'error'])
})
