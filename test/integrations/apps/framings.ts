// Responses whose heads Node completes in its own ways, and a server of them that nobody observes: this file as a worker.

import assert from 'node:assert/strict'
import { createServer, type OutgoingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort } from 'node:worker_threads'

export const framings: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'a whole body': (response) => response.end('whole'),
  'a length that was removed': (response) => {
    response.removeHeader('Content-Length')
    response.end('whole')
  },
  'no body and a length that was removed': (response) => {
    response.statusCode = 205
    response.removeHeader('Content-Length')
    response.end()
  },
  'a length and a coding that were removed': (response) => {
    response.removeHeader('Content-Length')
    response.removeHeader('Transfer-Encoding')
    response.end('whole')
  },
  trailers: (response) => {
    // Of a HEAD request Node refuses them.
    if (response.req.method === 'GET') response.setHeader('Trailer', 'X-Sum')
    response.addTrailers({ 'X-Sum': '7' })
    response.end('whole')
  },
  'no content': (response) => {
    response.statusCode = 204
    response.end()
  },
  'a callback in place of a body': (response) => response.end(() => undefined),
  'a length of its own': (response) => response.setHeader('Content-Length', 5).end('whole'),
  'an empty piece first': (response) => {
    response.write('')
    response.end('whole')
  },
  'a body that Node refuses, then another': (response) => {
    for (const send of [response.write, response.end] as readonly ((chunk: unknown) => void)[]) {
      assert.throws(() => send.call(response, 7), { code: 'ERR_INVALID_ARG_TYPE' })
    }
    response.statusCode = 500
    response.end('refused')
  },
  'a status that Node refuses, then another': (response) => {
    response.statusCode = 1000
    assert.throws(() => response.end('whole'), { code: 'ERR_HTTP_INVALID_STATUS_CODE' })
    response.statusCode = 500
    response.end('refused')
  },
  'a setHeader() of the application, in the order of setting': (response) => {
    const { setHeader } = response
    response.setHeader = function (this: ServerResponse, name, value) {
      return setHeader.call(this, name, name === 'Location' ? `http://localhost${String(value)}` : value)
    }
    response.setHeader('Location', '/a').setHeader('Vary', 'Origin').setHeader('Set-Cookie', ['a=1', 'b=2'])
    response.writeHead(201, { Vary: 'Accept', 'X-Last': ['1', '2'] }).end('made')
  },
  'a list of fields': (response) => {
    response.writeHead(200, ['X-A', '1', 'X-B', '2', 'X-A', '3'] as unknown as OutgoingHttpHeaders).end('list')
  },
  'a list of fields over others': (response) => {
    response.setHeader('X-A', '0').setHeader('X-C', '4')
    response.writeHead(200, ['X-A', '1', 'X-B', '2', 'X-A', '3'] as unknown as OutgoingHttpHeaders).end('list')
  },
  'fields that are added when the head leaves': (response) => {
    const { writeHead } = response
    let count = 0
    response.writeHead = function (this: ServerResponse, ...given: never[]) {
      response.setHeader('X-Count', (count += 1))
      return Reflect.apply(writeHead, this, given) as ServerResponse
    }
    response.end('whole')
  },
}

/** The path names the response. */
export const serveFraming: RequestListener = (request, response) =>
  framings[decodeURIComponent(request.url?.slice(1) ?? '')]?.(response)

const port = parentPort
if (port !== null) {
  const server = createServer(serveFraming)
  server.listen(0, '127.0.0.1', () => port.postMessage((server.address() as AddressInfo).port))
}
