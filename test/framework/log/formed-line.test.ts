// Lines that come again: what was made of one is what is made of the next, and nothing of another, or of a secret, is kept.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { OwnLines, type LineMask } from '../../../src/framework/log/formed-line.ts'
import type { LogLine } from '../../../src/framework/log/logger.ts'
import { matchedRoute } from '../../../src/framework/log/router-lines.ts'
import { Redactor } from '../../../src/framework/redact/redactor.ts'
import { fc } from '../../support/fast-check.ts'

const redactor = new Redactor()
const mask: LineMask = {
  mask: (context) => redactor.record(context),
  maskOwn: (context) => redactor.ownRecord(context),
  maskText: (text) => redactor.text(text),
}

function lineOf(route: string, uri: string, routeParameters: Readonly<Record<string, unknown>> = {}): LogLine {
  return matchedRoute({ route, routeParameters, requestUri: uri, method: 'GET' })
}

describe('OwnLines', () => {
  it('makes the same of an equal line, and texts that are JSON', () => {
    const lines = new OwnLines(mask)
    const first = lines.form(lineOf('home', 'http://h/'))
    assert.equal(lines.form(lineOf('home', ['http:', '', 'h', ''].join('/'))), first)
    assert.equal(JSON.parse(first.textJson), 'Matched route "home".')
    assert.deepEqual(JSON.parse(first.contextJson), {
      route: 'home',
      route_parameters: {},
      request_uri: 'http://h/',
      method: 'GET',
    })
  })

  it('makes of any lines what each alone would be', () => {
    const line = fc.record({
      route: fc.constantFrom('home', 'list', 'ho"me'),
      uri: fc.constantFrom('http://h/', 'http://h/?a=1', 'http://h/?password=hunter2', 'http://u:p@h/'),
      parameters: fc.constantFrom({}, { id: '1' }, { id: '2' }, { token: 'hunter2' }),
    })
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (asked) => {
        const lines = new OwnLines(mask)
        for (const { route, uri, parameters } of asked) {
          const formed = lines.form(lineOf(route, uri, parameters))
          const alone = new OwnLines(mask).form(lineOf(route, uri, parameters))
          assert.equal(formed.contextJson, alone.contextJson)
          assert.equal(formed.textJson, alone.textJson)
          assert.doesNotMatch(formed.contextJson, /hunter2|u:p@/)
        }
      }),
    )
  })

  it('tells a line of parameters that became empty from one without any', () => {
    const lines = new OwnLines(mask)
    const first = lines.form(lineOf('item', 'http://h/1', { id: '1' }))
    assert.notEqual(lines.form(lineOf('item', 'http://h/1')).contextJson, first.contextJson)
    assert.match(lines.form(lineOf('item', 'http://h/1', { id: '1' })).contextJson, /"id":"1"/)
  })

  it('keeps nothing of a line in which something was masked', () => {
    const lines = new OwnLines(mask)
    const secret = (): LogLine => lineOf('home', 'http://h/?password=hunter2')
    assert.notEqual(lines.form(secret()), lines.form(secret()))
  })
})
