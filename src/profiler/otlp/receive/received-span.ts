// A span that another service sent, as it is kept: checked, cut and masked. It is not trusted.

import { cutText } from '../../../framework/redact/cut-text.ts'
import type { Redactor } from '../../../framework/redact/redactor.ts'
import {
  traceSpanKinds,
  traceSpanStatuses,
  type Attributes,
  type AttributeValue,
  type TraceEvent,
  type TraceSpan,
} from '../../traces/trace-span.ts'
import type { AnyValue, KeyValue, Long, OtlpSpan } from '../messages.ts'

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
  return isTraceId(traceId) && isSpanId(spanId) && milliseconds(startTimeUnixNano) !== null ? traceId : undefined
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
    parentSpanId: isSpanId(parentSpanId) ? parentSpanId : null,
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
    kept.push([name, receivedValue(name, value, redactor)])
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
export function receivedValue(
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

const urlNames: ReadonlySet<string> = new Set([
  'url.full',
  'url.path',
  'http.url',
  'http.target',
  'http.request.header.referer',
])

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
export function milliseconds(nanoseconds: Long | undefined): number | null {
  const ms = Number(nanoseconds ?? 0) / 1e6
  return ms > 0 && ms <= maxTime ? ms : null
}

/** The last instant that a Date can hold. */
const maxTime = 8.64e15

export function isTraceId(id: string): boolean {
  return /^[0-9a-f]{32}$/.test(id) && !/^0+$/.test(id)
}

export function isSpanId(id: string): boolean {
  return /^[0-9a-f]{16}$/.test(id) && !/^0+$/.test(id)
}
