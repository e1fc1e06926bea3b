// An SMTP server that keeps what it gets, and refuses recipients whose address begins with `nobody`.

import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export interface MailServer {
  readonly port: number
  /** Whole messages, as they came. */
  readonly received: readonly string[]
  [Symbol.asyncDispose](): Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const received: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: ({ address }, _session, callback) => {
      if (address.startsWith('nobody')) callback(new Error(`there is no mailbox ${address}`))
      else callback()
    },
    onData: (stream, _session, callback) => {
      text(stream).then(
        (message) => {
          received.push(message)
          callback()
        },
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
      )
    },
  })
  const listening = server.listen(0, '127.0.0.1')
  await new Promise((resolve) => listening.once('listening', resolve))
  return {
    port: (listening.address() as AddressInfo).port,
    received,
    [Symbol.asyncDispose]: async () => new Promise((resolve) => server.close(() => resolve())),
  }
}
