import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { describe, it } from 'node:test'
import { anyCharacter, fc } from '../../support/fast-check.ts'
import { isWithin, maxTokenMs, maxTokenPath, tokenProblem, signToken } from '../../../src/profiles/sampling/sampler.ts'

const key = createSecretKey('a secret of thirty-two characters', 'utf8')
const other = createSecretKey('another secret of the same length', 'utf8')
const now = Date.parse('2026-11-21T10:00:00Z')
const minute = 60_000

const paths = fc
  .array(fc.stringMatching(/^[a-zA-Z0-9._~%!$&'()*+,;=:@-]{0,12}$/), { maxLength: 5 })
  .map((segments) => `/${segments.join('/')}`)

describe('tokenProblem', () => {
  it('takes a token until it expires, for its path and all below', () => {
    const pass = signToken({ expiresAt: now + 10 * minute, path: '/orders' }, key)
    const problem = (path: string, at = now): string | null => tokenProblem(pass, key, { path, now: at })
    assert.equal(problem('/orders'), null)
    assert.equal(problem('/orders/7'), null)
    assert.equal(problem('/orders', now + 10 * minute - 1), null)
    assert.equal(problem('/orders', now + 10 * minute), 'expired')
    for (const path of ['/', '/order', '/orders-old', '/Orders', '//orders', '/a/orders']) {
      assert.equal(problem(path), 'for another path')
    }
  })

  it('takes any token that was signed with its key, for every path below the one it names', () => {
    fc.assert(
      fc.property(paths, fc.integer({ min: 1, max: maxTokenMs / 1000 }), paths, (path, seconds, below) => {
        const pass = signToken({ expiresAt: now + seconds * 1000, path }, key)
        assert.match(pass, /^[!-~]+$/)
        const asked = `${path.replace(/\/$/, '')}${below}`
        assert.equal(tokenProblem(pass, key, { path: asked, now }), null)
        assert.equal(tokenProblem(pass, other, { path: asked, now }), 'forged')
      }),
      { numRuns: 200 },
    )
  })

  it('refuses a token in which a single character was changed', () => {
    const pass = signToken({ expiresAt: now + minute, path: '/orders' }, key)
    fc.assert(
      fc.property(fc.nat({ max: pass.length - 1 }), fc.stringMatching(/^[ -~]$/), (index, character) => {
        fc.pre(pass[index] !== character)
        const changed = pass.slice(0, index) + character + pass.slice(index + 1)
        // The last character of a signature carries two bits that mean nothing.
        fc.pre(index < pass.length - 1)
        assert.ok(['forged', 'malformed'].includes(String(tokenProblem(changed, key, { path: '/orders', now }))))
      }),
      { numRuns: 200 },
    )
  })

  it('refuses any other text, and never throws', () => {
    const pieces = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 80 }),
      fc.constantFrom('v1', '.', '9'.repeat(13), 'L28'),
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        assert.notEqual(tokenProblem(parts.join(''), key, { path: '/', now }), null)
      }),
      { numRuns: 200 },
    )
    for (const text of ['', '.', 'v1...', 'v2.1.Lw.x', 'v1.1.Lw.'.padEnd(100_000, 'a'), `v1.${'9'.repeat(100_000)}`]) {
      assert.equal(tokenProblem(text, key, { path: '/', now }), 'malformed')
    }
  })

  it('refuses a token that was signed for longer than a day', () => {
    const pass = signToken({ expiresAt: now + maxTokenMs + 1000, path: '/' }, key)
    assert.equal(tokenProblem(pass, key, { path: '/', now }), 'valid for too long')
    assert.equal(tokenProblem(pass, key, { path: '/', now: now + 1000 }), null)
  })
})

it('signToken: refuses a path that no request can have', () => {
  for (const path of ['', 'orders', '/a b', '/ä', '/a?b=1', '/a#b', '/a\r\nX: 1', `/${'a'.repeat(maxTokenPath)}`]) {
    assert.throws(() => signToken({ expiresAt: now, path }, key), /cannot be signed; allowed: a path as it is sent/)
  }
  const longest = `/${'a'.repeat(maxTokenPath - 1)}`
  assert.equal(
    tokenProblem(signToken({ expiresAt: now + minute, path: longest }, key), key, { path: longest, now }),
    null,
  )
})

it('isWithin: tells a path below from one that only begins alike', () => {
  assert.ok(isWithin('/a/b', '/a') && isWithin('/a', '/a') && isWithin('/a/b', '/a/') && isWithin('/x', '/'))
  assert.ok(!isWithin('/ab', '/a') && !isWithin('/a', '/a/') && !isWithin('a', '/'))
})
