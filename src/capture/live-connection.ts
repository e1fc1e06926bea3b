// What a profile keeps of a connection that stays open: it is read while messages still pass.

import { currentExchange } from '../http/kernel/current-exchange.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import type { RunningActivity } from '../observe/activities/activity.ts'
import { beginActivity } from '../observe/activities/begin-activity.ts'
import { connections, type ConnectionFacts, type ConnectionMessage } from '../observe/activities/connections.ts'
import { ownerOf } from '../observe/owner.ts'

/** Messages of a connection that are kept, the newest ones. */
export const maxMessages = 50
/** Characters of a message that are kept. */
export const maxMessageText = 2000
/** Characters of names, protocols and reasons. */
const maxName = 200

type Changing<Facts> = { -readonly [Name in keyof Facts]: Facts[Name] }

interface LiveConnectionParts {
  readonly exchange: Exchange
  readonly running: RunningActivity<ConnectionFacts>
  readonly facts: Changing<ConnectionFacts>
  /** Those in the facts. */
  readonly messages: ConnectionMessage[]
  readonly capturesText: boolean
}

/** A connection of a recorded request. */
export class LiveConnection {
  readonly #parts: LiveConnectionParts

  constructor(parts: LiveConnectionParts) {
    this.#parts = parts
  }

  /** Whether the profile is made: nothing can be added to it. */
  get isOver(): boolean {
    return this.#parts.exchange.sent !== undefined
  }

  /** Adds one that passes now. `text` is cut; `null` for bytes. */
  message({ direction, event, id, bytes, text }: Omit<ConnectionMessage, 'atMs'>): void {
    const { exchange, facts, messages, capturesText } = this.#parts
    const { recording } = exchange
    if (recording === undefined || this.isOver) return
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
  }

  /** Counts bytes that leave, and cannot be read. */
  unread(bytes: number): void {
    const { sent } = this.#parts.facts
    this.#parts.facts.sent = { ...sent, bytes: sent.bytes + bytes }
  }

  /** Ends it. `code` and `reason` are those of a WebSocket. */
  close(code: number, reason: string): void {
    this.#parts.facts.closed = { code, reason: reason.slice(0, maxName) }
    this.end()
  }

  end(): void {
    this.#parts.running.end()
  }

  fail(thrown: unknown): void {
    this.#parts.running.fail(thrown)
  }
}

/** A connection as its source reports it when it is open. */
export interface ConnectionStart extends Pick<ConnectionFacts, 'protocol' | 'role' | 'url' | 'subprotocol'> {
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
  if (exchange === undefined || running === undefined) return undefined
  const capturesText = ownerOf(exchange.recording)?.capturesMessages === true
  return new LiveConnection({ exchange, running, facts, messages, capturesText })
}
