// What a profile keeps of a connection that stays open: it is read while messages still pass. Server-sent events are read as they leave,
// byte by byte or all at once (WHATWG HTML, section 9.2.6).

import { bodyRule, keeperOf } from '../http/recording/body-rule.ts'
import { keptResponseName } from '../http/recording/captured-body.ts'
import { currentExchange, runInExchange } from '../http/kernel/current-exchange.ts'
import { type RunningActivity } from '../observe/activities/activity.ts'
import { beginActivity } from '../observe/activities/begin-activity.ts'
import { connections, type ConnectionFacts, type ConnectionMessage } from './activities/connections.ts'
import { ownerOf } from '../observe/owner.ts'
import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Reply } from '../base/http/reply.ts'
import type { Exchange } from '../http/kernel/exchange.ts'

/** Messages of a connection that are kept, the newest ones. */
export const maxMessages = 50
/** Characters of a message that are kept. */
export const maxMessageText = 2000
/** Characters of names, protocols and reasons. */
const maxName = 200

type Changing<Facts> = { -readonly [Name in keyof Facts]: Facts[Name] }

export interface LiveConnection extends Pick<RunningActivity<ConnectionFacts>, 'fail'> {
  /** Whether the profile is made: nothing can be added to it. */
  readonly isOver: boolean
  /** Adds one that passes now. `text` is cut; `null` for bytes. */
  message(passed: Omit<ConnectionMessage, 'atMs'>): void
  /** Counts bytes that leave, and cannot be read. */
  unread(bytes: number): void
  end(): void
  close(code: number, reason: string): void
}

/** A connection as its source reports it when it is open. */
interface ConnectionStart extends Pick<ConnectionFacts, 'protocol' | 'role' | 'url' | 'subprotocol'> {
  /** Default: `null`. */
  readonly encoding?: string | null
  /** As that of an activity. */
  readonly site: Error | number | null
}

/** Reports a connection that opens now, in the request that is running. `undefined` if that is not recorded. */
export function beginConnection(start: () => ConnectionStart): LiveConnection | undefined {
  const exchange = currentExchange()
  const messages: ConnectionMessage[] = []
  const facts: Changing<ConnectionFacts> = {
    protocol: 'websocket',
    role: 'server',
    url: null,
    subprotocol: null,
    encoding: null,
    messages,
    received: { count: 0, bytes: 0 },
    sent: { count: 0, bytes: 0 },
    closed: null,
  }
  const running = beginActivity(connections, () => {
    const { site, subprotocol, ...known } = start()
    Object.assign(facts, known, { subprotocol: subprotocol === null ? null : subprotocol.slice(0, maxName) })
    return { facts, site }
  })
  const recording = exchange?.recording
  if (exchange === undefined || recording === undefined || running === undefined) return undefined
  const capturesText = ownerOf(recording)?.capturesMessages === true
  return {
    get isOver() {
      return exchange.sent !== undefined
    },
    message: ({ direction, event, id, bytes, text }) => {
      if (exchange.sent !== undefined) return
      const { count, bytes: before } = facts[direction]
      facts[direction] = { count: count + 1, bytes: before + bytes }
      if (messages.length >= maxMessages) messages.shift()
      messages.push({
        atMs: recording.stopwatch.elapsedMs(),
        direction,
        event: event === null ? null : event.slice(0, maxName),
        id: id === null ? null : id.slice(0, maxName),
        bytes,
        text: text === null || !capturesText ? null : text.slice(0, maxMessageText),
      })
    },
    unread: (bytes) => (facts.sent = { ...facts.sent, bytes: facts.sent.bytes + bytes }),
    end: () => running.end(),
    close: (code, reason) => {
      facts.closed = { code, reason: reason.slice(0, maxName) }
      running.end()
    },
    fail: (thrown) => running.fail(thrown),
  }
}

/** Characters of an unfinished line that are kept: what follows is counted, not read. */
const maxLine = 2 * maxMessageText

/** The events of one stream. Of one that is compressed already only the bytes are counted. */
class EventStream {
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
