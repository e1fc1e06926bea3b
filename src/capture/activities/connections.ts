// The WebSockets and streams of events of the request, with their messages in the order they passed.

import { counted, formatBytes, formatDuration } from '../../base/html/components.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import type { Redactor } from '../../base/redact/redactor.ts'
import { failureNote, note, place, table, text } from '../../observe/blocks/blocks.ts'
import type { Blocks, Card, Line } from '../../observe/blocks/blocks.ts'
import { bodyContent, contentText } from '../../http/recording/body-content.ts'
import type { Activities, ActivityKind, Happening } from '../../observe/activities/activity.ts'

/** A WebSocket, or a stream of events. It changes while it is open. */
export interface ConnectionFacts {
  readonly protocol: 'websocket' | 'event-stream'
  /** Whether this process accepted the connection or opened it. */
  readonly role: 'server' | 'client'
  /** Where a client is connected to; `null` on the server: that is the request itself. */
  readonly url: string | null
  /** The protocol that a WebSocket agreed on; `null` if none. */
  readonly subprotocol: string | null
  /** What a stream is compressed with before its events can be read, `gzip`; `null` if it is not. */
  readonly encoding: string | null
  /** The newest ones. */
  readonly messages: readonly ConnectionMessage[]
  /** How many there were, and their bytes before compression. */
  readonly received: MessageCount
  readonly sent: MessageCount
  /** How a WebSocket was closed; `null` while it is open, and of streams. */
  readonly closed: { readonly code: number; readonly reason: string } | null
}

export interface MessageCount {
  readonly count: number
  readonly bytes: number
}

export interface ConnectionMessage {
  /** Milliseconds since the request started. */
  readonly atMs: number
  readonly direction: 'received' | 'sent'
  /** Name of an event of a stream, `ping` and `pong` of a WebSocket; `null` for a message. */
  readonly event: string | null
  /** That of an event of a stream; `null` without one. */
  readonly id: string | null
  readonly bytes: number
  /** Its beginning; `null` for bytes, and where texts are not kept. */
  readonly text: string | null
}

type Connection = ConnectionFacts & Happening

export type ConnectionsData = Activities<ConnectionFacts>

export const connections: ActivityKind<ConnectionFacts> = {
  name: 'connections',
  title: 'Connections',
  noun: ['connection', 'connections'],
  most: 20,
  empty:
    'No WebSocket and no stream of events. Streams of this application and the WebSocket of Node are recorded by themselves; hand a WebSocketServer of ws to observe().',
  flag: {
    word: 'broken',
    tone: 'error',
    is: ({ error, closed }) => error !== null || (closed !== null && abnormalCodes.has(closed.code)),
  },
  mask: ({ url, messages }, { redactor }) => ({
    url: url === null ? null : redactor.url(url),
    messages: messages.map((message) =>
      message.text === null ? message : Object.assign({ ...message }, { text: maskedMessage(message.text, redactor) }),
    ),
  }),
  draw: ({ entries }) => entries.map(card),
}

/** 1006: the connection ended without a word. */
const abnormalCodes: ReadonlySet<number> = new Set([1002, 1003, 1006, 1007, 1008, 1009, 1010, 1011, 1015])

function maskedMessage(text: string, redactor: Redactor): string {
  if (!/^\s*[[{]/.test(text)) return redactor.text(text)
  const facts = { contentType: 'application/json', encoding: '', isWhole: true, maxText: 8192 }
  return contentText(bodyContent(Buffer.from(text), facts, redactor)) ?? ''
}

function card(connection: Connection): Card {
  const { protocol, role, url, subprotocol, durationMs, startMs, error, callSite } = connection
  return {
    kind: 'card',
    head: [...state(connection), protocol === 'websocket' ? 'WebSocket' : 'Server-Sent Events'],
    name: url === null ? 'of this request' : { code: cutText(url, 2000) },
    time: durationMs === null ? null : formatDuration(durationMs),
    facts: [
      `+${formatDuration(startMs)}`,
      role === 'server' ? 'accepted here' : 'opened from here',
      traffic(connection),
      subprotocol === null ? null : ['protocol', { code: subprotocol }],
      place(callSite),
    ],
    blocks: [failureNote(error), ...messageBlocks(connection)],
  }
}

function state({ error, closed, durationMs }: Connection): readonly Exclude<Line, readonly unknown[]>[] {
  if (error !== null) return [{ mark: 'failed', tone: 'error' }]
  if (closed !== null) {
    const { code, reason } = closed
    const mark = { mark: `closed ${code}`, tone: abnormalCodes.has(code) ? 'error' : 'neutral' } as const
    return [mark, reason === '' ? null : { recorded: reason }]
  }
  return [durationMs === null ? { mark: 'open', tone: 'success' } : { mark: 'ended' }]
}

function traffic({ received, sent, protocol, encoding }: Connection): Line {
  if (encoding !== null) return [`${formatBytes(sent.bytes)} sent, compressed with`, { recorded: encoding }]
  const amount = ({ count, bytes }: MessageCount, word: string): string =>
    `${counted(count, word)} (${formatBytes(bytes)})`
  if (protocol === 'event-stream') return `${amount(sent, 'event')} sent`
  return `${amount(sent, 'message')} sent, ${amount(received, 'message')} received`
}

function messageBlocks({ messages, sent, received, encoding, protocol }: Connection): Blocks {
  if (encoding !== null) {
    return [
      note([
        'Compressed events cannot be read here. Leave',
        { code: 'text/event-stream' },
        'out of the compression: it also holds events back until a block is full.',
      ]),
    ]
  }
  const count = sent.count + received.count
  if (messages.length === 0) {
    return [text(count === 0 ? 'No message passed.' : 'No message was kept.')]
  }
  const earlier = count - messages.length
  return [
    note(earlier > 0 && `${counted(earlier, 'earlier message')} not kept.`),
    table(
      'Messages in the order they passed',
      'message',
      [{ number: 'At' }, 'Direction', { number: 'Bytes' }, 'Message'],
      messages.map((message) => cellsOf(message, protocol)),
    ),
  ]
}

function cellsOf(
  { atMs, direction, event, id, bytes, text }: ConnectionMessage,
  protocol: Connection['protocol'],
): readonly Line[] {
  return [
    `+${formatDuration(atMs)}`,
    // Events go one way.
    protocol === 'event-stream' ? null : direction === 'sent' ? '→ sent' : '← received',
    formatBytes(bytes),
    [
      event === null ? null : { code: event },
      id === null ? null : { quiet: ['id', { recorded: id }] },
      text === null ? { quiet: 'not kept' } : { code: text },
    ],
  ]
}
