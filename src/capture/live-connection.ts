// What a profile keeps of a connection that stays open: it is read while messages still pass.

import { currentExchange } from '../http/kernel/current-exchange.ts'
import type { RunningActivity } from '../observe/activities/activity.ts'
import { beginActivity } from '../observe/activities/begin-activity.ts'
import { connections, type ConnectionFacts, type ConnectionMessage } from './activities/connections.ts'
import { ownerOf } from '../observe/owner.ts'

/** Messages of a connection that are kept, the newest ones. */
export const maxMessages = 50
/** Characters of a message that are kept. */
export const maxMessageText = 2000
/** Characters of names, protocols and reasons. */
const maxName = 200

type Changing<Facts> = { -readonly [Name in keyof Facts]: Facts[Name] }

/** A connection of a recorded request. */
export interface LiveConnection extends Pick<RunningActivity<ConnectionFacts>, 'fail'> {
  /** Whether the profile is made: nothing can be added to it. */
  readonly isOver: boolean
  /** Adds one that passes now. `text` is cut; `null` for bytes. */
  message(passed: Omit<ConnectionMessage, 'atMs'>): void
  /** Counts bytes that leave, and cannot be read. */
  unread(bytes: number): void
  end(): void
  /** Ends a WebSocket. */
  close(code: number, reason: string): void
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
