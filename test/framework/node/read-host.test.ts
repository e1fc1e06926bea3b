// A host with its port, as clients and attackers write it.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyCharacter, fc } from '../../support/fast-check.ts'
import { readHost, rememberHost } from '../../../src/http/node/app-request.ts'

describe('readHost', () => {
  const good: readonly [string, string, number | null][] = [
    ['example.org', 'example.org', null],
    ['Example.ORG:8000', 'example.org', 8000],
    ['example.org.', 'example.org.', null],
    ['127.0.0.1:80', '127.0.0.1', 80],
    ['[::1]', '[::1]', null],
    ['[::FFFF:127.0.0.1]:80', '[::ffff:127.0.0.1]', 80],
    ['a_b-c:0', 'a_b-c', 0],
    ['example.org:', 'example.org', null],
    ['example.org:65535', 'example.org', 65_535],
    ['example.org:00080', 'example.org', 80],
  ]
  for (const [text, host, port] of good) {
    it(`reads ${text}`, () => assert.deepEqual(readHost(text), { host, port }))
  }

  const bad = [
    '',
    ' ',
    'a b',
    'a/b',
    'u@h',
    '[::1',
    '[]',
    '[::1]x',
    '[::1]:',
    '[fe80::1%eth0]',
    'a:b:c',
    ':80',
    '..',
    '.a',
    'a..b',
    'a%00b',
  ]
  const worse = [
    'a:99999',
    'a:65536',
    'a:-1',
    'a:1e3',
    'a: 80',
    'a"><i>',
    'ä.org',
    'a\u0000',
    'a\r\nb',
    '::1',
    'A'.repeat(5000),
  ]
  for (const text of [...bad, ...worse].filter((text) => text !== '[::1]:')) {
    it(`refuses ${JSON.stringify(text.slice(0, 30))}`, () => assert.equal(readHost(text), null))
  }

  it('never throws, and gives only what it read', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: anyCharacter }), fc.string({ unit: fc.constantFrom(...'[]:.%@a1-f/\\'.split('')) })),
        (text) => {
          const read = readHost(text)
          if (read !== null) {
            assert.ok(text.toLowerCase().startsWith(read.host))
            assert.ok(read.port === null || (read.port >= 0 && read.port <= 65_535))
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  it('reads the same again where it remembers the last one', () => {
    const again = rememberHost()
    for (const text of [...good.map(([one]) => one), ...bad])
      for (const time of ['first', 'second']) assert.deepEqual(again(text), readHost(text), `${text}, the ${time} time`)
  })
})
