// The service that the measured application fetches from.

import { createServer } from 'node:http'
import { listening } from '../../http/servers/listening.ts'

const body = JSON.stringify({ currency: 'EUR', rate: 1.0823 })

const server = createServer({ optimizeEmptyRequests: true }, (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => listening(server.address().port))
