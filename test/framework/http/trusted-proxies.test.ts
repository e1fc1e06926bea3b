// Who the client is behind proxies.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import { canonicalAddress, TrustedProxies } from '../../../src/base/http/trusted-proxies.ts'

const proxies = new TrustedProxies(['10.0.0.0/8', '192.168.1.1', 'fd00::/8', '::1'])

describe('TrustedProxies', () => {
  it('knows its networks, in every form of an address', () => {
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '::FFFF:0a01:0203', '192.168.1.1', 'fd12::1', '::1']) {
      assert.equal(proxies.isTrusted(address), true, address)
    }
    for (const address of ['11.0.0.1', '192.168.1.2', 'fe80::1', '127.0.0.1', '', 'nonsense', '10.0.0.1 ']) {
      assert.equal(proxies.isTrusted(address), false, address)
    }
    assert.equal(new TrustedProxies(['::ffff:10.0.0.0/104']).isTrusted('10.9.9.9'), true)
  })

  it('trusts nobody by default, the own machine neither', () => {
    const none = new TrustedProxies()
    assert.equal(none.resolve('127.0.0.1', ['X-Forwarded-For', '1.2.3.4']), null)
  })

  it('refuses what is not an address or network, and names it', () => {
    for (const network of ['10.0.0.0/33', 'fd00::/129', 'example.org', '', '10.0.0.1/8/8', '10.0.0.0/x', '10.0.0.0/']) {
      assert.throws(
        () => new TrustedProxies([network]),
        (error: Error) => error.message.includes(`"${network}"`),
      )
    }
  })

  it('passes over the headers of a peer that is not trusted', () => {
    assert.equal(proxies.resolve('8.8.8.8', ['X-Forwarded-For', '1.2.3.4']), null)
  })

  it('walks the addresses from the right to the first one that is not trusted', () => {
    const headers = ['X-Forwarded-For', '6.6.6.6, 1.2.3.4', 'x-forwarded-for', '10.0.0.7']
    assert.equal(proxies.resolve('::ffff:10.0.0.1', headers)?.clientAddress, '1.2.3.4')
    assert.equal(proxies.resolve('10.0.0.1', ['X-Forwarded-For', '10.0.0.3, 10.0.0.2'])?.clientAddress, '10.0.0.3')
    assert.equal(proxies.resolve('10.0.0.1', ['X-Forwarded-For', '[2001:DB8::1]:4711'])?.clientAddress, '2001:db8::1')
    assert.equal(proxies.resolve('10.0.0.1', ['X-Forwarded-For', '1.2.3.4:4711'])?.clientAddress, '1.2.3.4')
  })

  it('knows no client where none is named, or none that can be read', () => {
    assert.equal(proxies.resolve('10.0.0.1', [])?.clientAddress, '')
    for (const list of ['', 'unknown', 'unix:', '_hidden', '203.0.113.5, unknown', '1.2.3.4, rubbish, 10.0.0.2'])
      assert.equal(proxies.resolve('10.0.0.1', ['X-Forwarded-For', list])?.clientAddress, '', list)
  })

  it('takes scheme, host and port that the same hop wrote', () => {
    const headers = [
      'X-Forwarded-For',
      '1.2.3.4, 10.0.0.2',
      'X-Forwarded-Proto',
      'gopher, HTTPS, http',
      'X-Forwarded-Host',
      'shop.example',
      'X-Forwarded-Port',
      '8443',
    ]
    assert.deepEqual(proxies.resolve('10.0.0.1', headers), {
      clientAddress: '1.2.3.4',
      scheme: 'https',
      host: 'shop.example',
      port: 8443,
    })
    const spoofed = [
      'X-Forwarded-For',
      '9.9.9.9, 1.2.3.4',
      'X-Forwarded-Proto',
      'https, http',
      'X-Forwarded-Port',
      '99999',
    ]
    assert.deepEqual(proxies.resolve('10.0.0.1', spoofed), {
      clientAddress: '1.2.3.4',
      scheme: 'http',
      host: null,
      port: null,
    })
  })

  it('never throws, whatever a trusted peer forwards', () => {
    const names = fc.constantFrom('X-Forwarded-For', 'x-forwarded-proto', 'X-Forwarded-Host', 'X-FORWARDED-PORT')
    fc.assert(
      fc.property(fc.array(fc.tuple(names, fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()))), (fields) => {
        const forwarded = proxies.resolve('10.0.0.1', fields.flat())
        assert.ok(forwarded?.clientAddress === '' || canonicalAddress(forwarded?.clientAddress ?? '') !== null)
      }),
      { numRuns: 200 },
    )
  })
})
