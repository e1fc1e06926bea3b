// Which form of an answer a client would rather have.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import { preferredFormat } from '../../../src/base/http/media-type.ts'

describe('preferredFormat', () => {
  const chrome = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'
  const cases: readonly (readonly [header: string | undefined, format: string])[] = [
    [undefined, 'html'],
    ['', 'html'],
    ['*/*', 'html'],
    [' */* ', 'html'],
    ['*', 'html'],
    [chrome, 'html'],
    ['text/*', 'html'],
    ['image/png', 'html'],
    ['text/html;q=0, */*;q=0', 'html'],
    ['application/json', 'json'],
    ['Application/JSON', 'json'],
    ['application/json; charset=UTF-8', 'json'],
    ['application/problem+json', 'json'],
    ['application/problem+json, application/json', 'json'],
    ['application/json, text/plain, */*', 'json'],
    ['application/*', 'html'],
    ['text/markdown', 'markdown'],
    ['text/markdown, text/html;q=0.9', 'markdown'],
    ['text/plain', 'text'],
    ['text/plain;q=0.5, application/json;q=0.4', 'text'],
    ['text/html;q=0.5, application/json', 'json'],
    ['text/html, application/json', 'html'],
    ['application/json, text/html', 'json'],
    ['text/html, application/json; charset=utf-8', 'json'],
    ['text/plain,*/*', 'text'],
    [`text/plain,${'a/b,'.repeat(600)}`, 'html'],
  ]
  for (const [header, format] of cases) {
    it(`answers ${JSON.stringify(header)} with ${format}`, () => assert.equal(preferredFormat(header), format))
  }

  it('takes hostile headers for no wish at all', () => {
    for (const header of [
      '/',
      ';;;,,,',
      '"',
      'text/html;q=NaN',
      '__proto__/constructor',
      '\0',
      ','.repeat(2000),
      'a/b,'.repeat(5000),
    ]) {
      assert.equal(preferredFormat(header), 'html')
    }
  })

  it('never throws and always names one of the four', () => {
    const piece = fc.constantFrom(
      'text/html',
      'application/json',
      'text/plain',
      '*/*',
      ';q=',
      '0.5',
      ',',
      ';',
      '=',
      '"',
      ' ',
      'x/y',
    )
    const header = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 30 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(header, (value) => ['html', 'json', 'markdown', 'text'].includes(preferredFormat(value))),
      { numRuns: 200 },
    )
  })
})
