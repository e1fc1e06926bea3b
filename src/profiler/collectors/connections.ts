// The WebSockets and streams of events of the request: their messages, masked.

import type { Redactor } from '../../framework/redact/redactor.ts'
import type { Activities } from '../activities/activity.ts'
import { activityCollector } from '../activities/collector.ts'
import type { ConnectionFacts } from '../activities/kinds.ts'
import type { BuiltInCollector } from '../request-record.ts'

export type ConnectionsData = Activities<ConnectionFacts>

export function connectionsCollector(redactor: Redactor): BuiltInCollector<ConnectionsData> {
  return activityCollector('connections', ({ url, messages }) => ({
    url: url === null ? null : redactor.url(url),
    messages: messages.map((message) => {
      return message.text === null
        ? message
        : Object.assign({ ...message }, { text: maskedMessage(message.text, redactor) })
    }),
  }))
}

/** JSON is masked by its keys and written again. */
function maskedMessage(text: string, redactor: Redactor): string {
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.stringify(redactor.value(JSON.parse(text)))
    } catch {
      // Cut, or no JSON: masked as text.
    }
  }
  return redactor.text(text)
}
