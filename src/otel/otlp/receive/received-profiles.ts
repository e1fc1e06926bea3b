// What services sent, as records of a store: one for each trace, service and batch, or several if they are large.

import { isErrorLevel, type LogLevel } from '../../../base/log/logger.ts'
import { noFacts, spansMethod, summaryName, type Profile } from '../../../observe/profile.ts'
import type { Attributes, TraceSpan, AttributeValue, TraceEvent } from '../../../profiles/trace-span.ts'
import { traceSpanKinds, traceSpanStatuses, traceToken } from '../../../profiles/trace-span.ts'
import { cutText } from '../../../base/redact/cut-text.ts'
import type { Redactor } from '../../../base/redact/redactor.ts'
import type { AnyValue, KeyValue, Long, OtlpSpan, OtlpLogRecord, Scope } from '../messages.ts'

/** Bytes of JSON in one record, nearly: a profile may hold 256 KB. */
const maxRecordBytes = 192 * 1024
/** How far the time of a record may be in the past, in milliseconds: its age decides how long it is kept. */
const maxAgeMs = 86_400_000

interface Sender {
  readonly ip: string
  readonly newToken: () => string
  readonly now: number
}

interface Batch {
  readonly traceId: string
  readonly resource: Attributes
  readonly spans: TraceSpan[]
  readonly lines: ReceivedLine[]
  bytes: number
}

/** Gathers spans and log lines, and makes records of them. */
export class ReceivedProfiles {
  readonly #sender: Sender
  readonly #full: Profile[] = []
  readonly #open = new Map<string, Batch>()

  constructor(sender: Sender) {
    this.#sender = sender
  }

  addSpan(span: TraceSpan, resource: Attributes): void {
    this.#batchFor(span.traceId, resource, span).spans.push(span)
  }

  addLine(line: ReceivedLine, resource: Attributes): void {
    this.#batchFor(line.traceId, resource, line).lines.push(line)
  }

  made(): readonly Profile[] {
    return [...this.#full, ...[...this.#open.values()].map((batch) => recordOf(batch, this.#sender))]
  }

  #batchFor(traceId: string, resource: Attributes, item: TraceSpan | ReceivedLine): Batch {
    const bytes = Buffer.byteLength(JSON.stringify(item))
    const key = `${traceId} ${String(resource['service.name'])} ${String(resource['service.instance.id'])}`
    const known = this.#open.get(key)
    if (known !== undefined && known.bytes + bytes <= maxRecordBytes) {
      known.bytes += bytes
      return known
    }
    if (known !== undefined) this.#full.push(recordOf(known, this.#sender))
    const batch: Batch = { traceId, resource, spans: [], lines: [], bytes }
    this.#open.set(key, batch)
    return batch
  }
}

function recordOf({ traceId, resource, spans, lines }: Batch, { ip, newToken, now }: Sender): Profile {
  const starts = [...spans.map(({ startTime }) => startTime), ...lines.map(({ time }) => time)]
  const ends = [...spans.map(({ startTime, durationMs }) => startTime + durationMs), ...lines.map(({ time }) => time)]
  const began = Math.min(...starts)
  const time = Math.min(now, Math.max(now - maxAgeMs, Math.floor(began)))
  const [first] = spans.toSorted((one, other) => one.startTime - other.startTime)
  const service = nameOf(resource, 'service.name')
  const handler = first?.name ?? 'log lines'
  const records = lines.map(({ traceId: _, time: at, ...line }) => ({ ...line, timeMs: at - time }))
  return {
    token: newToken(),
    ...noFacts,
    parentToken: traceToken(traceId),
    childTokens: [],
    method: spansMethod,
    url: `http://${encodeURIComponent(service ?? 'unknown')}/${encodeURIComponent(handler.toWellFormed())}`,
    status: spans.some(({ status }) => status === 'error') ? 500 : 200,
    ip,
    time,
    durationMs: Math.max(0, Math.max(...ends) - began),
    handler,
    logErrorCount: lines.filter(({ level }) => isErrorLevel(level)).length,
    logCount: lines.length,
    // What other services do must not push out what this one found.
    findings: [],
    traceId,
    version: nameOf(resource, 'service.version'),
    service,
    tags: [],
    data: {
      spans: { spans, dropped: 0, resource },
      ...(lines.length === 0 ? {} : { logger: { records, dropped: 0 } }),
      notes: [],
    },
  }
}

function nameOf(resource: Attributes, name: string): string | null {
  const value = resource[name]
  return typeof value === 'string' ? summaryName(value.toWellFormed()) : null
}

/** Attributes of a span, an event or a log line that are kept. */
const maxAttributes = 64
/** Events of a span that are kept. */
const maxEvents = 32
/** Characters of a name and of a value; a stack trace may have more. */
const maxNameLength = 200
const maxValueLength = 1000
const maxStackLength = 4000
/** Items of a list that are kept. */
const maxItems = 32

/** How many were not kept; the names of the specification. */
const droppedAttributes = 'otel.dropped_attributes_count'
const droppedEvents = 'otel.dropped_events_count'

/** The trace of a span that can be shown; `undefined` without a valid id of a trace, id of a span or start. */
export function traceOfSpan({ traceId = '', spanId = '', startTimeUnixNano }: OtlpSpan): string | undefined {
  return isId(traceId, 32) && isId(spanId, 16) && milliseconds(startTimeUnixNano) !== null ? traceId : undefined
}

/** Of a span that can be shown. */
export function receivedSpan(span: OtlpSpan, redactor: Redactor): TraceSpan {
  const { traceId = '', spanId = '', parentSpanId = '', name = '', kind = 0, status = {}, events = [] } = span
  const startTime = milliseconds(span.startTimeUnixNano) ?? 0
  const attributes = receivedAttributes(span.attributes, redactor)
  const beyond = events.length - maxEvents
  return held({
    traceId,
    spanId,
    parentSpanId: isId(parentSpanId, 16) ? parentSpanId : null,
    name: redactor.text(name, maxNameLength),
    kind: traceSpanKinds[kind - 1] ?? 'internal',
    startTime,
    durationMs: Math.max(0, (milliseconds(span.endTimeUnixNano) ?? startTime) - startTime),
    status: traceSpanStatuses[status.code ?? 0] ?? 'unset',
    statusMessage:
      status.message === undefined || status.message === '' ? null : redactor.text(status.message, maxValueLength),
    attributes: beyond > 0 ? { ...attributes, [droppedEvents]: beyond } : attributes,
    events: events.slice(0, maxEvents).map((event): TraceEvent => ({
      name: redactor.text(event.name ?? '', maxNameLength),
      time: milliseconds(event.timeUnixNano) ?? startTime,
      attributes: receivedAttributes(event.attributes, redactor),
    })),
  })
}

/** Without its events, and then without its attributes, if it is too large. */
function held(span: TraceSpan): TraceSpan {
  if (fits(span)) return span
  const before = Number(span.attributes[droppedEvents] ?? 0)
  const counts = { [droppedEvents]: before + span.events.length }
  const bare = { ...span, events: [], attributes: { ...span.attributes, ...counts } }
  if (fits(bare)) return bare
  return { ...bare, attributes: { ...counts, [droppedAttributes]: Object.keys(span.attributes).length } }
}

/** Whether one of many parts of a record is small enough. */
function fits(value: unknown): boolean {
  return Buffer.byteLength(JSON.stringify(value)) <= maxPartBytes
}

const maxPartBytes = 32 * 1024

/** Masked by name, place and form, as everything that is kept. */
export function receivedAttributes(given: readonly KeyValue[] = [], redactor: Redactor): Attributes {
  const kept: [string, AttributeValue][] = []
  for (const { key = '', value = {} } of given.slice(0, maxAttributes)) {
    const name = cutText(key, maxNameLength)
    kept.push([redactor.text(name), receivedValue(name, value, redactor)])
  }
  if (given.length > maxAttributes) kept.push([droppedAttributes, given.length - maxAttributes])
  const attributes = Object.fromEntries(kept)
  return fits(attributes) ? attributes : { ...namesOf(attributes), [droppedAttributes]: given.length }
}

/** What tells services apart. */
function namesOf(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes)
      .filter(([name]) => name.startsWith('service.'))
      .slice(0, 4),
  )
}

/** A value as it is kept: a scalar, a list of them, or JSON of what is nested deeper. */
function receivedValue(
  name: string,
  value: AnyValue,
  redactor: Redactor,
  maxLength: number = name.endsWith('.stacktrace') ? maxStackLength : maxValueLength,
): AttributeValue {
  const { stringValue = '' } = value
  if (urlNames.has(name)) return cutText(redactor.url(stringValue), maxLength)
  if (name === 'url.query') return cutText(redactor.url(`?${stringValue}`).slice(1), maxLength)
  const masked = redactor.record({ [name]: jsonValue(value) })[name]
  const isList = Array.isArray(masked) && masked.every(isScalar)
  if (isList)
    return masked.slice(0, maxItems).map((item) => (typeof item === 'string' ? cutText(item, maxLength) : item))
  if (isScalar(masked)) return typeof masked === 'string' ? cutText(masked, maxLength) : masked
  return cutText(JSON.stringify(masked ?? null), maxLength)
}

const urlNames: ReadonlySet<string> = new Set(
  'url.full url.path http.url http.target http.request.header.referer'.split(' '),
)

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function jsonValue({ arrayValue, kvlistValue, ...value }: AnyValue): unknown {
  if (arrayValue !== undefined) return (arrayValue.values ?? []).map(jsonValue)
  if (kvlistValue !== undefined) {
    return Object.fromEntries(
      (kvlistValue.values ?? []).map(({ key = '', value: inner = {} }) => [key, jsonValue(inner)]),
    )
  }
  const { stringValue, boolValue, intValue, doubleValue, bytesValue } = value
  if (intValue === undefined) return stringValue ?? boolValue ?? doubleValue ?? bytesValue ?? null
  return Number.isSafeInteger(Number(intValue)) ? Number(intValue) : intValue
}

/** `null` for a time that is not set. */
function milliseconds(nanoseconds: Long | undefined): number | null {
  const ms = Number(nanoseconds ?? 0) / 1e6
  return ms > 0 && ms <= maxTime ? ms : null
}

/** The last instant that a Date can hold. */
const maxTime = 8.64e15

/** A span has 16 digits, a trace 32. */
function isId(id: string, digits: 16 | 32): boolean {
  return id.length === digits && /^[0-9a-f]+$/.test(id) && !/^0+$/.test(id)
}

const maxMessageLength = 4000

interface ReceivedLine {
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
  return isId(traceId, 32) ? traceId : undefined
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
      ...(isId(spanId, 16) ? { span_id: spanId } : {}),
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
