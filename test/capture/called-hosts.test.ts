// What is known of the hosts that are called.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CalledHosts } from '../../src/capture/called-hosts.ts'

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
})
