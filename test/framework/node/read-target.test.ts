// Request targets, cut and never changed.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyCharacter, fc } from '../../support/fast-check.ts'
import { readTarget } from '../../../src/http/node/app-request.ts'

describe('readTarget', () => {
  const targets: readonly [string, string, string, string | null][] = [
    ['/', '/', '', null],
    ['/a/b.php?x=1&y', '/a/b.php', 'x=1&y', null],
    ['//a/b', '//a/b', '', null],
    ['///evil.example/..', '///evil.example/..', '', null],
    ['/%zz/../%2e?a?b', '/%zz/../%2e', 'a?b', null],
    ['/?', '/', '', null],
    ['/a#b?c', '/a#b', 'c', null],
    ['/http://x/y', '/http://x/y', '', null],
    ['*', '*', '', null],
    ['http://evil/x?y', '/x', 'y', 'evil'],
    ['HTTPS://Evil:443//x', '//x', '', 'Evil:443'],
    ['http://evil', '/', '', 'evil'],
    ['http://evil?q=1', '/', 'q=1', 'evil'],
    ['http://u:p@evil/', '/', '', 'u:p@evil'],
    ['http:///x', '/x', '', ''],
  ]
  for (const [target, path, query, authority] of targets) {
    it(`cuts ${target}`, () => assert.deepEqual(readTarget(target), { path, query, authority }))
  }

  for (const target of ['', 'a', '?x', 'ftp://x/', 'evil:443', 'http:/x', 'javascript:alert(1)', '**', ' /']) {
    it(`refuses ${JSON.stringify(target)}`, () => assert.equal(readTarget(target), null))
  }

  it('keeps every character of a path and query as sent', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (rest) => {
        const parts = readTarget(`/${rest}`)
        assert.ok(parts !== null)
        const hasQuery = rest.includes('?')
        assert.equal(hasQuery ? `${parts.path}?${parts.query}` : parts.path, `/${rest}`)
      }),
      { numRuns: 200 },
    )
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (target) => void readTarget(target)),
      { numRuns: 200 },
    )
    fc.assert(
      fc.property(fc.string(), (rest) => void readTarget(`http://${rest}`)),
      { numRuns: 200 },
    )
  })
})
