// A lock in front of another server: no way of framing a request, or of hiding one behind it, reaches a listener while it is closed.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { describe, it } from 'node:test'
import type { LockState } from '../../src/index.ts'
import { forAll } from '../support/for-all.ts'
import { openGate } from '../support/gate.ts'
import { wire } from '../support/wire.ts'

const host = 'Host: a\r\n'
const hidden = 'GET /closed/hidden HTTP/1.1\r\nHost: a\r\n\r\n'
const length = `Content-Length: ${hidden.length}\r\n`
const upgrade = 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n'

/** What a client sends; `/closed` and what is below it are closed by name. */
const messages: Readonly<Record<string, string>> = {
  'a request': `GET /closed HTTP/1.1\r\n${host}\r\n`,
  'an absolute target': `GET http://a/closed HTTP/1.1\r\n${host}\r\n`,
  'a target of another scheme': `GET ftp://a/closed HTTP/1.1\r\n${host}\r\n`,
  'a target without slash': `GET closed HTTP/1.1\r\n${host}\r\n`,
  'two hosts': `GET /closed HTTP/1.1\r\n${host}Host: b\r\n\r\n`,
  'no host': 'GET /closed HTTP/1.1\r\n\r\n',
  'HTTP/1.0 without host': 'GET /closed HTTP/1.0\r\n\r\n',
  'chunks of HTTP/1.0': `POST /closed HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
  'a tunnel': 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n',
  'a tunnel to a path': `CONNECT /closed HTTP/1.1\r\n${host}\r\n`,
  TRACE: `TRACE /closed HTTP/1.1\r\n${host}\r\n`,
  'a method that carries a query': `QUERY /closed HTTP/1.1\r\n${host}Content-Length: 2\r\n\r\n{}`,
  'an expectation': `POST /closed HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 2\r\n\r\nab`,
  'an unknown expectation': `POST /closed HTTP/1.1\r\n${host}Expect: more\r\nContent-Length: 2\r\n\r\nab`,
  'an expectation of a handshake': `GET /closed HTTP/1.1\r\n${host}Expect: 100-continue\r\n${upgrade}\r\n`,
  'a handshake with a request behind it': `GET /closed HTTP/1.1\r\n${host}${upgrade}\r\n${hidden}`,
  'a handshake with a body': `POST /closed HTTP/1.1\r\n${host}${upgrade}${length}\r\n${hidden}`,
  'an upgrade to HTTP/2': `GET /closed HTTP/1.1\r\n${host}Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n`,
  'a request in a body': `POST /closed HTTP/1.1\r\n${host}${length}\r\n${hidden}${hidden}`,
  'a request behind chunks': `POST /closed HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n2;a=b\r\nab\r\n0\r\nHost: b\r\n\r\n${hidden}`,
  'a length beside chunks': `POST /closed HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
  'an unknown coding': `POST /closed HTTP/1.1\r\n${host}Transfer-Encoding: xchunked\r\n\r\n${hidden}`,
  'thirty behind each other': hidden.repeat(30),
  'too many fields': `GET /closed HTTP/1.1\r\n${'A: b\r\n'.repeat(1900)}${host}\r\n`,
  'line feeds alone': 'GET /closed HTTP/1.1\nHost: a\n\n',
  'another method by a field': `GET /closed HTTP/1.1\r\n${host}X-HTTP-Method-Override: POST\r\nX-Original-URL: /open\r\n\r\n`,
  'two passes': `GET /closed?fanlight-pass=a&fanlight-pass=b HTTP/1.1\r\n${host}\r\n`,
}

const link = { key: 'k'.repeat(43), expiresAt: '2099-01-01T00:00:00.000Z' }
const locks: Readonly<Record<string, Partial<LockState>>> = {
  'by name': { only: ['/closed', '/closed/*'] },
  'as a whole': { value: 1 },
  'as a whole, with a link': { value: 1, link },
}

describe('app.guardServer() with messages', async () => {
  const gate = await forAll(openGate({ except: ['links', '/health/*'] }))
  const served: string[] = []
  const listener = ({ method, url }: IncomingMessage, response: ServerResponse): void => {
    served.push(`${method} ${url}`)
    response.end('served')
  }
  const plain = createServer(listener)
  const whole = createServer(listener).on('checkContinue', listener).on('checkExpectation', listener)
  for (const event of ['upgrade', 'connect'] as const) {
    whole.on(event, ({ method, url }: IncomingMessage, socket: Duplex) => {
      served.push(`${method} ${url}`)
      socket.end('HTTP/1.1 101 served\r\n\r\n')
    })
  }
  for (const server of [plain, whole]) {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    gate.guard(server)
  }
  const send = async (state: Partial<LockState>, message: string): Promise<readonly string[]> => {
    await gate.set(state)
    served.length = 0
    for (const server of [plain, whole]) {
      const { isClosed } = await wire((server.address() as AddressInfo).port, message, { endsHalf: true })
      assert.ok(isClosed)
    }
    return [...served]
  }

  it('would be seen: what is open is served', async () => {
    const open = await send({}, messages['thirty behind each other'] ?? '')
    assert.equal(open.length, 60)
  })

  for (const [how, state] of Object.entries(locks)) {
    for (const [what, message] of Object.entries(messages)) {
      it(`serves nothing of ${what}, closed ${how}`, async () => {
        assert.deepEqual(await send(state, message), [])
      })
    }
  }
})
