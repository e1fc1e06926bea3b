// The schema of WebSockets and streams of events.

import type { ConnectionMessage, MessageCount } from '../../activities/kinds.ts'
import type { ConnectionsData } from '../../collectors/connections.ts'
import { nullableNumber, nullableText } from './profiles.ts'
import { integer, list, named, nullable, number, object, oneOf, text, type Schema } from './schema.ts'

type Connection = ConnectionsData['entries'][number]

const messageCount = object<MessageCount>({ count: integer(), bytes: integer() })

export const connections: Schema<ConnectionsData> = named(
  'ConnectionsData',
  'WebSockets and streams of events, in the order they were opened. Times are milliseconds; null: still open.',
  object<ConnectionsData>({
    entries: list(
      object<Connection>({
        protocol: oneOf('websocket', 'event-stream'),
        role: oneOf('server', 'client'),
        url: nullableText,
        subprotocol: nullableText,
        messages: list(
          object<ConnectionMessage>({
            atMs: number(),
            direction: oneOf('received', 'sent'),
            event: nullableText,
            id: nullableText,
            bytes: integer(),
            text: nullableText,
          }),
        ),
        received: messageCount,
        sent: messageCount,
        closed: nullable(object<NonNullable<Connection['closed']>>({ code: integer(), reason: text() })),
        startMs: number(),
        durationMs: nullableNumber,
        error: nullableText,
        callSite: nullableText,
      }),
    ),
    dropped: integer(),
  }),
)
