import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hostOf, nameOf, parseRedisAddress } from '../../../src/redis/redis-address.ts'

const secret = 'canary-5f02'

describe('the address of a store in Redis', () => {
  it('names one node or several, on the usual port unless it says another', () => {
    const { name, hosts, user, password, tls } = parseRedisAddress('redis://a:7001,b.example.org,10.0.0.3:7003', '/app')
    assert.deepEqual(hosts, [
      { host: 'a', port: 7001 },
      { host: 'b.example.org', port: 6379 },
      { host: '10.0.0.3', port: 7003 },
    ])
    assert.equal(name, 'redis://a:7001,b.example.org:6379,10.0.0.3:7003')
    assert.deepEqual([user, password, tls], [null, null, null])
  })

  it('takes IPv6 addresses in brackets', () => {
    const { name, hosts } = parseRedisAddress('redis://[::1]:7001,[fd00::2]', '/app')
    assert.deepEqual(hosts, [
      { host: '::1', port: 7001 },
      { host: 'fd00::2', port: 6379 },
    ])
    assert.equal(name, 'redis://[::1]:7001,[fd00::2]:6379')
    assert.deepEqual(hosts.map(nameOf).map(hostOf), hosts)
  })

  it('decodes user and password, and leaves both out of its name', () => {
    const { name, user, password, tls } = parseRedisAddress('rediss://sh%6Fp:p%3A%40%2F%25%20ü@a:7001', '/app')
    assert.deepEqual([user, password], ['shop', 'p:@/% ü'])
    assert.equal(name, 'rediss://a:7001')
    assert.deepEqual(tls, { caFile: null })
  })

  it('takes a password without a user, and one with a colon or an at sign in it', () => {
    const { user, password } = parseRedisAddress(`redis://:${secret}@a`, '/app')
    assert.deepEqual([user, password], [null, secret])
    assert.equal(parseRedisAddress('redis://shop:one:two@three@a', '/app').password, 'one:two@three')
  })

  it('finds certificates from the folder of the project', () => {
    assert.deepEqual(parseRedisAddress('rediss://a?ca=certs%2Fredis%20ca.pem', '/app').tls, {
      caFile: '/app/certs/redis ca.pem',
    })
    assert.deepEqual(parseRedisAddress('rediss://a/?ca=/etc/ca.pem', '/app').tls, { caFile: '/etc/ca.pem' })
  })

  for (const [address, problem] of [
    ['redis:', /not of the form redis:\/\/host:port/],
    ['redis://', /host 1 of 1 cannot be read/],
    ['redis://a:7001,', /host 2 of 2 cannot be read/],
    ['redis://a b', /host 1 of 1 cannot be read/],
    ['redis://::1', /host 1 of 1 cannot be read/],
    ['redis://[1.2.3.4]:7001', /host 1 of 1 cannot be read/],
    ['redis://a:0', /the port of host 1 of 1 is not within 1 to 65535/],
    ['redis://a,b:65536', /the port of host 2 of 2/],
    ['redis://a/1', /names a database/],
    [`redis://shop:${secret}/x@a`, /percent-encoded: \/ is %2F/],
    [`redis://shop:x?${secret}@a`, /percent-encoded/],
    [`redis://shop:${secret}#x@a`, /not of the form/],
    [`redis://shop:%${secret}%@a`, /% itself is %25/],
    ['redis://shop@a', /a user without a password/],
    ['redis://shop:@a', /a user without a password/],
    ['redis://a?ca=x', /only rediss:\/\/ has parameters/],
    [`rediss://a?password=${secret}`, /a parameter other than ca=/],
    [`rediss://a?ca=x&password=${secret}`, /a parameter other than ca=/],
    [`redis:/shop:${secret}@a`, /not of the form/],
  ] as const) {
    it(`is refused in one line that repeats nothing of it: ${address}`, () => {
      assert.throws(
        () => parseRedisAddress(address, '/app'),
        (error: Error & { code?: string }) => {
          assert.equal(error.code, 'ERR_STORE_URL')
          assert.match(error.message, problem)
          assert.match(error.message, /^The address of the store in Redis cannot be used: [^\n]*\.$/)
          assert.equal(error.message.includes(secret), false)
          return true
        },
      )
    })
  }
})
