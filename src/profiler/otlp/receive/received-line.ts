// A log record that another service sent, as it is kept: checked, cut and masked.

import type { LogLevel } from '../../../framework/log/logger.ts'
import type { Redactor } from '../../../framework/redact/redactor.ts'
import type { AttributeValue } from '../../traces/trace-span.ts'
import type { OtlpLogRecord, Scope } from '../messages.ts'
import { isSpanId, isTraceId, milliseconds, receivedAttributes, receivedValue } from './received-span.ts'

const maxMessageLength = 4000

export interface ReceivedLine {
  readonly traceId: string
  /** Milliseconds since 1970. */
  readonly time: number
  readonly level: LogLevel
  readonly channel: string
  readonly message: string
  /** `span_id` names the span that wrote it. */
  readonly context: Readonly<Record<string, AttributeValue>>
}

/** The trace of a record; `undefined` for one of no trace: there is nothing to show it with. */
export function traceOfLine({ traceId = '' }: OtlpLogRecord): string | undefined {
  return isTraceId(traceId) ? traceId : undefined
}

/** Of a record of a trace. `now`: for one that has no time. */
export function receivedLine(record: OtlpLogRecord, scope: Scope, redactor: Redactor, now: number): ReceivedLine {
  const { traceId = '', spanId = '', body = {}, severityNumber = 0, eventName = '' } = record
  return {
    traceId,
    time: milliseconds(record.timeUnixNano) ?? milliseconds(record.observedTimeUnixNano) ?? now,
    level: levelOf(severityNumber),
    channel: redactor.text(scope.name ?? '', 100) || 'log',
    message:
      Object.keys(body).length === 0
        ? redactor.text(eventName, maxMessageLength)
        : String(receivedValue('body', body, redactor, maxMessageLength)),
    context: {
      ...receivedAttributes(record.attributes, redactor),
      ...(isSpanId(spanId) ? { span_id: spanId } : {}),
    },
  }
}

/** Four numbers for each of trace, debug, info, warn, error, fatal; 0: not said. */
function levelOf(severity: number): LogLevel {
  if (severity <= 0) return 'info'
  if (severity <= 8) return 'debug'
  if (severity <= 12) return 'info'
  if (severity <= 16) return 'warn'
  return severity <= 20 ? 'error' : 'fatal'
}
