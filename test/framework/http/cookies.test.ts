// Cookies as browsers and attackers send them, and as browsers take them.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyCharacter, fc } from '../../support/fast-check.ts'
import { readCookies, writeCookie, type CookieOptions } from '../../../src/base/http/cookies.ts'

describe('readCookies', () => {
  it('reads names and values', () => {
    assert.deepEqual(
      [...readCookies('a=1; b=x y;c=%C3%A4 ; d=1=2')],
      [
        ['a', '1'],
        ['b', 'x y'],
        ['c', 'ä'],
        ['d', '1=2'],
      ],
    )
    assert.equal(readCookies(undefined).size, 0)
  })

  it('lets the first cookie of a name count', () => assert.equal(readCookies('a=first; a=second').get('a'), 'first'))

  it('passes over what is not a cookie', () => {
    assert.deepEqual(
      [...readCookies(';;= 1; nothing; =x; %=%; __proto__=1')],
      [
        ['%', '%'],
        ['__proto__', '1'],
      ],
    )
  })

  it('never throws', () =>
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (header) => void readCookies(header)),
      { numRuns: 200 },
    ))
})

describe('writeCookie', () => {
  const http = { isHttps: false, signer: null }
  const https = { isHttps: true, signer: null }
  const field = (options: CookieOptions, setting = http, name = 'a', value = '1'): string =>
    writeCookie({ name, value, options }, setting).field

  it('has safe defaults', () => {
    assert.equal(field({}), 'a=1; Path=/; HttpOnly; SameSite=Lax')
    assert.equal(field({}, https), 'a=1; Path=/; HttpOnly; Secure; SameSite=Lax')
  })

  it('sends each option', () => {
    const options = {
      maxAgeSeconds: 60,
      path: '/shop',
      domain: 'example.org',
      httpOnly: false,
      secure: true,
      sameSite: 'strict',
      partitioned: true,
    } as const
    assert.equal(
      field(options),
      'a=1; Max-Age=60; Domain=example.org; Path=/shop; Secure; Partitioned; SameSite=Strict',
    )
    assert.equal(field({ secure: false }, https), 'a=1; Path=/; HttpOnly; SameSite=Lax')
  })

  it('is Secure where browsers want it', () => {
    assert.match(field({ sameSite: 'none' }), /; Secure; SameSite=None$/)
    assert.match(field({ partitioned: true }), /; Secure; Partitioned; /)
    assert.match(field({}, http, '__Host-a'), /; Secure; /)
    for (const name of ['__Secure-a', '__secure-a', '__HOST-a']) assert.match(field({}, http, name), /; Secure; /)
  })

  it('encodes what a cookie cannot hold, and readCookies reads it again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), (value) => {
        const [pair = ''] = field({}, http, 'a', value).split(';')
        assert.match(pair, /^a=[!-+\--:<-~]*$/)
        assert.equal(readCookies(pair).get('a'), value)
      }),
      { numRuns: 200 },
    )
  })

  for (const [what, options, message] of [
    ['an unknown option', { maxAge: 1 }, /^Option "maxAge" of cookie "a" is unknown\. Allowed: maxAgeSeconds, /],
    [
      'a fraction of a second',
      { maxAgeSeconds: 0.5 },
      /^Option "maxAgeSeconds" of cookie "a" is 0\.5; allowed: a whole/,
    ],
    ['a path without slash', { path: 'shop' }, /^Option "path" of cookie "a" is "shop"; allowed: a path that starts/],
    ['a path with a semicolon', { path: '/a;b' }, /^Cookie "a" cannot be sent: .*path/],
    ['a domain with a space', { domain: 'a b' }, /^Cookie "a" cannot be sent: .*domain/],
    [
      'a word that SameSite does not have',
      { sameSite: 'Lax' },
      /^Option "sameSite" of cookie "a" is "Lax"; allowed: 'lax'/,
    ],
    [
      'SameSite=None without Secure',
      { sameSite: 'none', secure: false },
      /^Option "secure" of cookie "a" is false, but/,
    ],
    ['no object', 'Path=/', /^The options of cookie "a" are "Path=\/"; allowed: an object with /],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.throws(
        () => Reflect.apply(writeCookie, undefined, [{ name: 'a', value: '1', options }, http]),
        (error) => error instanceof TypeError && message.test(error.message),
      )
    })
  }

  it('refuses names and values that cannot be sent', () => {
    assert.throws(() => field({}, http, 'a b'), /Cookie "a b" cannot be sent: .*name/)
    assert.throws(() => field({}, http, 'a', '\ud800'), /The value of cookie "a" is not valid Unicode/)
    assert.throws(() => field({}, http, 'a', 'x'.repeat(4096)), /Cookie "a" has 4098 bytes, .* at most 4096/)
    for (const name of ['__Host-a', '__host-a'])
      assert.throws(() => field({ path: '/x' }, http, name), /must have the path "\/" and no domain/)
    assert.throws(() => Reflect.apply(writeCookie, undefined, [{ name: 'a', value: 1, options: {} }, http]), {
      message: 'The value of cookie "a" is not a string',
    })
  })
})
