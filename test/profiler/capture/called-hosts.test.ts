// What is known of the hosts that are called.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CalledHosts } from '../../../src/profiler/capture/called-hosts.ts'
import { Redactor } from '../../../src/framework/redact/redactor.ts'

describe('CalledHosts', () => {
  it('tells address and port apart', () => {
    const hosts = new CalledHosts()
    const parts = ['prices.example', 'prices.example:8443', '[::1]:80', '[::1]', 'odd:', 'odd:123456', ''].map(
      (authority) => {
        const { address, port } = hosts.of(authority)
        return [address, port]
      },
    )
    assert.deepEqual(parts, [
      ['prices.example', null],
      ['prices.example', 8443],
      ['[::1]', 80],
      ['[::1]', null],
      ['odd:', null],
      ['odd:123456', null],
      ['', null],
    ])
  })

  it('names spans by method and host, however many of both there are', () => {
    const hosts = new CalledHosts()
    for (let turn = 0; turn < 2; turn += 1) {
      for (let index = 0; index < 300; index += 1) {
        assert.equal(hosts.of(`h${index}.example:80`).spanName('GET'), `GET h${index}.example:80`)
        assert.equal(hosts.of('a.example').spanName(`M${index}`), `M${index} a.example`)
      }
    }
  })

  it('gives spans of calls that are alike the very same attributes, and others their own', () => {
    const host = new CalledHosts().of('a.example:80')
    const asked = { 'http.request.method': 'GET', 'url.full': 'http://a.example:80/', 'server.address': 'a.example' }
    const known = host.attributes('GET', 'http://a.example:80/', null)
    assert.deepEqual(known, { ...asked, 'server.port': 80 })
    const answered = host.attributes('GET', 'http://a.example:80/', 200)
    assert.deepEqual(answered, { ...known, 'http.response.status_code': 200 })
    assert.equal(host.attributes('GET', 'http://a.example:80/', null), known)
    assert.equal(host.attributes('GET', 'http://a.example:80/', 200), answered)
    assert.equal(host.attributes('GET', 'http://a.example:80/', 404)['http.response.status_code'], 404)
    assert.equal(host.attributes('HEAD', 'http://a.example:80/', null)['http.request.method'], 'HEAD')
    assert.equal(host.attributes('GET', 'http://a.example:80/b', null)['url.full'], 'http://a.example:80/b')
  })

  it('masks each URL', () => {
    const [host, redactor] = [new CalledHosts().of('a.example'), new Redactor()]
    const urls = ['http://a.example/x', 'http://a.example/x', 'http://a.example/x?token=abc', 'http://a.example/y']
    for (const url of urls) assert.equal(host.masked(url, redactor), redactor.url(url))
  })
})
