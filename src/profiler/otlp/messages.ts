// The messages of OTLP, the protocol of OpenTelemetry, as far as they are sent and read here. The members have the names and values of the
// JSON form; the table below has the numbers of the protobuf form.

/** 64 bits: a number, or decimal digits where a number is not exact. */
export type Long = number | string

export interface AnyValue {
  readonly stringValue?: string
  readonly boolValue?: boolean
  readonly intValue?: Long
  readonly doubleValue?: number | string
  readonly arrayValue?: ArrayValue
  readonly kvlistValue?: KeyValueList
  /** In base64. */
  readonly bytesValue?: string
}

export interface ArrayValue {
  readonly values?: readonly AnyValue[]
}

export interface KeyValueList {
  readonly values?: readonly KeyValue[]
}

export interface KeyValue {
  readonly key?: string
  readonly value?: AnyValue
}

/** What made the spans or log lines: a process of a service. */
export interface Resource {
  readonly attributes?: readonly KeyValue[]
}

/** The library that recorded them. */
export interface Scope {
  readonly name?: string
  readonly version?: string
}

export interface SpanEvent {
  /** Nanoseconds since 1970. */
  readonly timeUnixNano?: Long
  readonly name?: string
  readonly attributes?: readonly KeyValue[]
}

export interface SpanStatus {
  readonly message?: string
  /** 0 unset, 1 ok, 2 error. */
  readonly code?: number
}

export interface OtlpSpan {
  /** Hexadecimal. */
  readonly traceId?: string
  readonly spanId?: string
  readonly parentSpanId?: string
  readonly name?: string
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind?: number
  readonly startTimeUnixNano?: Long
  readonly endTimeUnixNano?: Long
  readonly attributes?: readonly KeyValue[]
  readonly events?: readonly SpanEvent[]
  readonly status?: SpanStatus
}

export interface ScopeSpans {
  readonly scope?: Scope
  readonly spans?: readonly OtlpSpan[]
}

export interface ResourceSpans {
  readonly resource?: Resource
  readonly scopeSpans?: readonly ScopeSpans[]
}

export interface TraceRequest {
  readonly resourceSpans?: readonly ResourceSpans[]
}

export interface OtlpLogRecord {
  readonly timeUnixNano?: Long
  readonly observedTimeUnixNano?: Long
  /** 1 to 24; four for each of trace, debug, info, warn, error, fatal. */
  readonly severityNumber?: number
  readonly severityText?: string
  readonly body?: AnyValue
  readonly attributes?: readonly KeyValue[]
  readonly traceId?: string
  readonly spanId?: string
  readonly eventName?: string
}

export interface ScopeLogs {
  readonly scope?: Scope
  readonly logRecords?: readonly OtlpLogRecord[]
}

export interface ResourceLogs {
  readonly resource?: Resource
  readonly scopeLogs?: readonly ScopeLogs[]
}

export interface LogsRequest {
  readonly resourceLogs?: readonly ResourceLogs[]
}

/** What a receiver says of the spans or log lines that it did not take. */
export interface PartialSuccess {
  readonly rejectedSpans?: Long
  readonly errorMessage?: string
}

export interface PartialLogsSuccess {
  readonly rejectedLogRecords?: Long
  readonly errorMessage?: string
}

export interface TraceResponse {
  readonly partialSuccess?: PartialSuccess
}

export interface LogsResponse {
  readonly partialSuccess?: PartialLogsSuccess
}

/** Why a receiver refused a request. */
export interface RefusalStatus {
  /** As in gRPC: 3 for a request that cannot be read, 8 for one that is too large. */
  readonly code?: number
  readonly message?: string
}

export interface Messages {
  readonly AnyValue: AnyValue
  readonly ArrayValue: ArrayValue
  readonly KeyValueList: KeyValueList
  readonly KeyValue: KeyValue
  readonly Resource: Resource
  readonly Scope: Scope
  readonly SpanEvent: SpanEvent
  readonly SpanStatus: SpanStatus
  readonly OtlpSpan: OtlpSpan
  readonly ScopeSpans: ScopeSpans
  readonly ResourceSpans: ResourceSpans
  readonly TraceRequest: TraceRequest
  readonly OtlpLogRecord: OtlpLogRecord
  readonly ScopeLogs: ScopeLogs
  readonly ResourceLogs: ResourceLogs
  readonly LogsRequest: LogsRequest
  readonly PartialSuccess: PartialSuccess
  readonly PartialLogsSuccess: PartialLogsSuccess
  readonly TraceResponse: TraceResponse
  readonly LogsResponse: LogsResponse
  readonly RefusalStatus: RefusalStatus
}

export type MessageName = keyof Messages

/** `id`: bytes that are hexadecimal in JSON; `bytes`: base64 in JSON. */
export type Scalar = 'string' | 'id' | 'bytes' | 'bool' | 'int32' | 'int64' | 'double' | 'fixed64'

/** Number and type of a member; a list has one entry for each of its items. */
export type Field = readonly [number: number, type: Scalar | MessageName, isList?: 'list']

export const messages: {
  readonly [Name in MessageName]: { readonly [Member in keyof Required<Messages[Name]>]: Field }
} = {
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
  Resource: { attributes: [1, 'KeyValue', 'list'] },
  Scope: { name: [1, 'string'], version: [2, 'string'] },
  SpanEvent: { timeUnixNano: [1, 'fixed64'], name: [2, 'string'], attributes: [3, 'KeyValue', 'list'] },
  SpanStatus: { message: [2, 'string'], code: [3, 'int32'] },
  OtlpSpan: {
    traceId: [1, 'id'],
    spanId: [2, 'id'],
    parentSpanId: [4, 'id'],
    name: [5, 'string'],
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
  PartialSuccess: { rejectedSpans: [1, 'int64'], errorMessage: [2, 'string'] },
  PartialLogsSuccess: { rejectedLogRecords: [1, 'int64'], errorMessage: [2, 'string'] },
  TraceResponse: { partialSuccess: [1, 'PartialSuccess'] },
  LogsResponse: { partialSuccess: [1, 'PartialLogsSuccess'] },
  RefusalStatus: { code: [1, 'int32'], message: [2, 'string'] },
}

export function isMessage(type: Field[1]): type is MessageName {
  return Object.hasOwn(messages, type)
}
