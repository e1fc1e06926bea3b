// A WebSocket endpoint in a few lines: it agrees, and sends back what it gets.

import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

export function answerUpgrade(request: IncomingMessage, socket: Duplex): void {
  const key = request.headers['sec-websocket-key'] ?? ''
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  socket.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept}`,
      '',
      '',
    ].join('\r\n'),
  )
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => {
    // A close frame, or a text of up to 125 bytes, masked by the client.
    const kind = (chunk[0] ?? 0) & 0x0f
    if (kind !== 1) return socket.end()
    const length = (chunk[1] ?? 0) & 0x7f
    const mask = chunk.subarray(2, 6)
    const text = chunk.subarray(6, 6 + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0))
    socket.write(Buffer.concat([Buffer.from([0x81, length]), text]))
  })
}
