// One connection of a client that writes bytes as it likes and keeps what comes back, also when the server cuts it off.

import { connect, type Socket } from 'node:net'
import { until } from './until.ts'

/** A connection under a test's control. */
export class RawConnection {
  readonly socket: Socket
  #received = ''
  #isClosed = false

  private constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => (this.#received += text))
    socket.on('error', () => undefined)
    socket.on('close', () => (this.#isClosed = true))
  }

  /** Opens a connection to this machine. */
  static async open(port: number): Promise<RawConnection> {
    const connection = new RawConnection(connect(port, '127.0.0.1'))
    await until(() => !connection.socket.connecting)
    return connection
  }

  /** Everything received so far, one character a byte. */
  get received(): string {
    return this.#received
  }

  /** Whether the connection is closed, by either side. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** How many answers have begun. */
  get answerCount(): number {
    return this.#received.split('HTTP/1.1 ').length - 1
  }

  /** Writes text, one byte a character. */
  send(text: string): void {
    this.socket.write(Buffer.from(text, 'latin1'))
  }

  /** Waits until the text has been received. */
  async receive(text: string): Promise<void> {
    await until(() => this.#received.includes(text))
  }

  /** Waits until the connection is closed and gives everything received. */
  async end(): Promise<string> {
    await until(() => this.#isClosed)
    return this.#received
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }
}

/** Sends bytes on their own connection and gives everything that comes back until it closes. */
export async function exchangeBytes(port: number, bytes: string): Promise<string> {
  using connection = await RawConnection.open(port)
  connection.send(bytes)
  return await connection.end()
}
