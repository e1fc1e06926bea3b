// Reads server-sent events as they leave, byte by byte or all at once (WHATWG HTML, section 9.2.6).

import { bodyRule, keeperOf } from '../http/recording/body-rule.ts'
import { keptResponseName } from '../http/recording/captured-body.ts'
import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Reply } from '../base/http/reply.ts'
import { runInExchange } from '../http/kernel/current-exchange.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import { beginConnection, maxMessageText, type LiveConnection } from './live-connection.ts'

/** Characters of an unfinished line that are kept: what follows is counted, not read. */
const maxLine = 2 * maxMessageText

/** The events of one stream. Of one that is compressed already only the bytes are counted. */
export class EventStream {
  readonly #connection: LiveConnection
  readonly #isEncoded: boolean
  readonly #decoder = new StringDecoder('utf8')
  #line = ''
  #endedWithReturn = false
  #bytes = 0
  #event: string | null = null
  #id: string | null = null
  #data: string[] = []
  #dataLength = 0

  constructor(connection: LiveConnection, isEncoded: boolean) {
    this.#connection = connection
    this.#isEncoded = isEncoded
  }

  take(chunk: string | Uint8Array): void {
    if (this.#isEncoded) {
      this.#connection.unread(Buffer.byteLength(chunk))
      return
    }
    let text = typeof chunk === 'string' ? chunk : this.#decoder.write(Buffer.from(chunk))
    if (this.#endedWithReturn && text.startsWith('\n')) text = text.slice(1)
    if (text !== '') this.#endedWithReturn = text.endsWith('\r')
    // Lines and what ends them in turn.
    for (const [index, part] of text.split(/(\r\n|\r|\n)/).entries()) {
      this.#bytes += Buffer.byteLength(part)
      if (index % 2 === 1) this.#lineEnds()
      else if (this.#line.length < maxLine) this.#line += part.slice(0, maxLine)
    }
  }

  /** Text without an empty line after it is not an event. */
  end(): void {
    this.#connection.end()
  }

  #lineEnds(): void {
    const line = this.#line
    this.#line = ''
    if (line === '') {
      this.#eventEnds()
      return
    }
    const colon = line.indexOf(':')
    // A comment keeps the connection alive.
    if (colon === 0) return
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'event') this.#event = value
    else if (field === 'id') this.#id = value
    else if (field === 'data' && this.#dataLength <= maxMessageText) {
      this.#data.push(value)
      this.#dataLength += value.length + 1
    }
  }

  #eventEnds(): void {
    const bytes = this.#bytes
    this.#bytes = 0
    if (this.#data.length > 0) {
      this.#connection.message({
        direction: 'sent',
        event: this.#event ?? 'message',
        id: this.#id,
        bytes,
        text: this.#data.join('\n'),
      })
    }
    this.#event = null
    this.#id = null
    this.#data = []
    this.#dataLength = 0
  }
}

const isEvents = /^\s*text\/event-stream\s*(?:;|$)/i

/** Gets a body as it leaves. */
export interface BodyFollower {
  take(chunk: string | Uint8Array): void
  end(): void
}

/** Follows the events of a response, or keeps the beginning of its body; `undefined` for one of which nothing is kept. */
export function followReply(exchange: Exchange, reply: Reply): BodyFollower | undefined {
  const events = beginEventStream(exchange, reply)
  const first = events === undefined ? keeperOf(bodyRule(exchange), (name) => reply.header(name)) : undefined
  if (first === undefined) return events
  exchange.recording?.keep(keptResponseName, first)
  return { take: (chunk) => first.add(Buffer.from(chunk)), end: () => undefined }
}

/** `undefined` for every other response, and if it is not recorded. */
function beginEventStream(exchange: Exchange, reply: Reply): EventStream | undefined {
  if (!isEvents.test(reply.header('content-type') ?? '')) return undefined
  const encoding = reply.header('content-encoding') ?? 'identity'
  const isEncoded = encoding !== 'identity'
  const start = {
    protocol: 'event-stream',
    role: 'server',
    url: null,
    subprotocol: null,
    encoding: isEncoded ? encoding.slice(0, 50) : null,
    site: null,
  } as const
  const connection = runInExchange(exchange, () => beginConnection(() => start))
  return connection === undefined ? undefined : new EventStream(connection, isEncoded)
}

/** The same body, which is followed as it is taken. */
export function tapped(body: Readable, follower: BodyFollower): Readable {
  async function* read(): AsyncGenerator<unknown, void, undefined> {
    for await (const chunk of body) {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) follower.take(chunk)
      yield chunk
    }
  }
  const taken = Readable.from(read())
  taken.once('close', () => {
    follower.end()
    // A body that waits for its next event does not notice that nobody takes it.
    body.destroy()
  })
  return taken
}
