// The messages of OTLP, the protocol of OpenTelemetry, as far as they are sent and read here: the table has the names of the JSON form and
// the numbers of the protobuf form, and the types are made of it.

import { nameError } from '../../base/http/http-error.ts'

/** 64 bits: a number, or decimal digits if a number is not exact. */
export type Long = number | string

/** Values by their types in the table. */
interface Scalars {
  readonly string: string
  /** Bytes that are hexadecimal in JSON. */
  readonly id: string
  /** Bytes that are base64 in JSON. */
  readonly bytes: string
  readonly bool: boolean
  readonly int32: number
  readonly int64: Long
  readonly fixed64: Long
  /** Text for `NaN` and the infinities, which JSON has no numbers for. */
  readonly double: number | string
}

export type Scalar = keyof Scalars

/** Number and type of each member; a list has one entry for each of its items. Times are nanoseconds since 1970. */
export const messages = {
  AnyValue: {
    stringValue: [1, 'string'],
    boolValue: [2, 'bool'],
    intValue: [3, 'int64'],
    doubleValue: [4, 'double'],
    arrayValue: [5, 'ArrayValue'],
    kvlistValue: [6, 'KeyValueList'],
    bytesValue: [7, 'bytes'],
  },
  ArrayValue: { values: [1, 'AnyValue', 'list'] },
  KeyValueList: { values: [1, 'KeyValue', 'list'] },
  KeyValue: { key: [1, 'string'], value: [2, 'AnyValue'] },
  /** What made the spans or log lines: a process of a service. */
  Resource: { attributes: [1, 'KeyValue', 'list'] },
  /** The library that recorded them. */
  Scope: { name: [1, 'string'], version: [2, 'string'] },
  SpanEvent: { timeUnixNano: [1, 'fixed64'], name: [2, 'string'], attributes: [3, 'KeyValue', 'list'] },
  /** The code is 0 for unset, 1 for ok, 2 for an error. */
  SpanStatus: { message: [2, 'string'], code: [3, 'int32'] },
  OtlpSpan: {
    traceId: [1, 'id'],
    spanId: [2, 'id'],
    parentSpanId: [4, 'id'],
    name: [5, 'string'],
    /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
    kind: [6, 'int32'],
    startTimeUnixNano: [7, 'fixed64'],
    endTimeUnixNano: [8, 'fixed64'],
    attributes: [9, 'KeyValue', 'list'],
    events: [11, 'SpanEvent', 'list'],
    status: [15, 'SpanStatus'],
  },
  ScopeSpans: { scope: [1, 'Scope'], spans: [2, 'OtlpSpan', 'list'] },
  ResourceSpans: { resource: [1, 'Resource'], scopeSpans: [2, 'ScopeSpans', 'list'] },
  TraceRequest: { resourceSpans: [1, 'ResourceSpans', 'list'] },
  OtlpLogRecord: {
    timeUnixNano: [1, 'fixed64'],
    /** 1 to 24: four for each of trace, debug, info, warn, error and fatal. */
    severityNumber: [2, 'int32'],
    severityText: [3, 'string'],
    body: [5, 'AnyValue'],
    attributes: [6, 'KeyValue', 'list'],
    traceId: [9, 'id'],
    spanId: [10, 'id'],
    observedTimeUnixNano: [11, 'fixed64'],
    eventName: [12, 'string'],
  },
  ScopeLogs: { scope: [1, 'Scope'], logRecords: [2, 'OtlpLogRecord', 'list'] },
  ResourceLogs: { resource: [1, 'Resource'], scopeLogs: [2, 'ScopeLogs', 'list'] },
  LogsRequest: { resourceLogs: [1, 'ResourceLogs', 'list'] },
  /** What a receiver says of the spans that it did not take. */
  PartialSuccess: { rejectedSpans: [1, 'int64'], errorMessage: [2, 'string'] },
  PartialLogsSuccess: { rejectedLogRecords: [1, 'int64'], errorMessage: [2, 'string'] },
  TraceResponse: { partialSuccess: [1, 'PartialSuccess'] },
  LogsResponse: { partialSuccess: [1, 'PartialLogsSuccess'] },
  /** Why a receiver refused a request. Codes are those of gRPC: 3 if it cannot be read, 8 if it is too large. */
  RefusalStatus: { code: [1, 'int32'], message: [2, 'string'] },
} as const

type Table = typeof messages

export type MessageName = keyof Table

/** An entry of the table. */
export type Field = readonly [number: number, type: Scalar | MessageName, isList?: 'list']

type Typed<Type> = Type extends MessageName ? Messages[Type] : Type extends Scalar ? Scalars[Type] : never

type ValueOf<Entry> = Entry extends readonly [number, infer Type, 'list']
  ? readonly Typed<Type>[]
  : Entry extends readonly [number, infer Type]
    ? Typed<Type>
    : never

/** Each message as it is in JSON; a member that is not there has the value that protobuf gives it. */
export type Messages = {
  readonly [Name in MessageName]: { readonly [Member in keyof Table[Name]]?: ValueOf<Table[Name][Member]> }
}

export type AnyValue = Messages['AnyValue']
export type KeyValue = Messages['KeyValue']
export type Scope = Messages['Scope']
export type OtlpSpan = Messages['OtlpSpan']
export type OtlpLogRecord = Messages['OtlpLogRecord']
export type TraceRequest = Messages['TraceRequest']
export type TraceResponse = Messages['TraceResponse']
export type LogsRequest = Messages['LogsRequest']
export type LogsResponse = Messages['LogsResponse']
export type RefusalStatus = Messages['RefusalStatus']

export function isMessage(type: Field[1]): type is MessageName {
  return Object.hasOwn(messages, type)
}

/** Not a message of the kind. Its message continues a sentence about the body: `it ends too early`. */
export class OtlpReadError extends Error {}
nameError(OtlpReadError)

/** A message that has more parts, or more levels, than its reader takes. */
export class OtlpBoundError extends OtlpReadError {}
nameError(OtlpBoundError)

export const maxMessageDepth = 64
