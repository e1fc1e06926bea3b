// The schema of WebSockets and streams of events.

import type { Happening } from '../../activities/activity.ts'
import type { ConnectionFacts, ConnectionMessage, MessageCount } from '../../activities/kinds.ts'
import type { ConnectionsData } from '../../collectors/connections.ts'
import { activities, happening } from './activities.ts'
import { nullableText } from './profiles.ts'
import { integer, list, nullable, number, object, oneOf, text, type Schema } from './schema.ts'

const messageCount = object<MessageCount>({ count: integer(), bytes: integer() })

export const connections: Schema<ConnectionsData> = activities(
  'ConnectionsData',
  'WebSockets and streams of events, in the order they were opened. Times are milliseconds; null: still open.',
  object<ConnectionFacts & Happening>({
    ...happening,
    protocol: oneOf('websocket', 'event-stream'),
    role: oneOf('server', 'client'),
    url: nullableText,
    subprotocol: nullableText,
    encoding: nullableText,
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
    closed: nullable(object<NonNullable<ConnectionFacts['closed']>>({ code: integer(), reason: text() })),
  }),
)
