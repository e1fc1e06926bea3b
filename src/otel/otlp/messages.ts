// The messages of OTLP, the protocol of OpenTelemetry, as far as they are sent and read here: the table has the names of the JSON form and
// the numbers of the protobuf form, and the types are made of it. Reading is bounded in depth and in the number of members, and counts before
// it keeps: a few bytes must not become many objects.

import { nameError } from '../../base/http/http-error.ts'
import { membersOf, listOf } from '../../base/members.ts'

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

type Scalar = keyof Scalars

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
export type LogsRequest = Messages['LogsRequest']

function isMessage(type: Field[1]): type is MessageName {
  return Object.hasOwn(messages, type)
}

/** Not a message of the kind. Its message continues a sentence about the body: `it ends too early`. */
export class OtlpReadError extends Error {}
nameError(OtlpReadError)

/** A message that has more parts, or more levels, than its reader takes. */
export class OtlpBoundError extends OtlpReadError {}
nameError(OtlpBoundError)

const maxMessageDepth = 64

type WireType = 0 | 1 | 2 | 5

const wireTypes: Readonly<Record<Scalar, WireType>> = {
  string: 2,
  id: 2,
  bytes: 2,
  bool: 0,
  int32: 0,
  int64: 0,
  double: 1,
  fixed64: 1,
}

function wireTypeOf(type: Field[1]): WireType {
  return isMessage(type) ? 2 : wireTypes[type]
}

export function encodeProtobuf<Name extends MessageName>(name: Name, message: Messages[Name]): Buffer {
  const given = membersOf(message)
  const blocks = Object.entries<Field>(messages[name]).flatMap(([member, [number, type, isList]]) => {
    const value = given[member]
    if (value === undefined) return []
    const tag = varint((number << 3) | wireTypeOf(type))
    return (isList === undefined ? [value] : listOf(value)).flatMap((item) => {
      const block = isMessage(type) ? encodeProtobuf(type, item as object) : scalar(type, item as string)
      return wireTypeOf(type) === 2 ? [tag, varint(block.byteLength), block] : [tag, block]
    })
  })
  return Buffer.concat(blocks)
}

function scalar(type: Scalar, value: string | number | boolean): Buffer {
  const eight = Buffer.alloc(8)
  switch (type) {
    case 'string':
      return Buffer.from(String(value))
    case 'id':
      return Buffer.from(String(value), 'hex')
    case 'bytes':
      return Buffer.from(String(value), 'base64')
    case 'bool':
    case 'int32':
    case 'int64':
      return varint(BigInt.asUintN(64, BigInt(value)))
    case 'double':
      eight.writeDoubleLE(Number(value))
      return eight
    case 'fixed64':
      eight.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)))
      return eight
  }
}

/** Seven bits a byte, the lowest first; all but the last have the eighth bit. */
function varint(value: bigint | number): Buffer {
  if (value < 0x80) return Buffer.of(Number(value))
  const bytes: number[] = []
  let rest = BigInt(value)
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(rest)])
}

/** Reads one. `maxParts`: how many members it and the messages in it may have. Throws an OtlpReadError. */
export function decodeProtobuf<Name extends MessageName>(
  name: Name,
  bytes: Uint8Array,
  maxParts: number,
): Messages[Name] {
  return new Reader(bytes, maxParts).message(name, bytes.byteLength, 0)
}

class Reader {
  readonly #bytes: Buffer
  readonly #maxParts: number
  #count = 0
  #at = 0

  constructor(bytes: Uint8Array, maxParts: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#maxParts = maxParts
  }

  message<Name extends MessageName>(name: Name, end: number, depth: number): Messages[Name] {
    if (depth > maxMessageDepth) throw new OtlpBoundError(`it is nested deeper than ${maxMessageDepth} levels`)
    const read: Record<string, unknown> = {}
    const fields = fieldsByNumber.get(name)
    while (this.#at < end) {
      this.#count += 1
      if (this.#count > this.#maxParts) {
        throw new OtlpBoundError(`it has more than ${this.#maxParts.toLocaleString('en')} parts`)
      }
      const tag = Number(this.#varint(end))
      const known = fields?.get(tag >>> 3)
      const wireType = tag & 7
      if (known === undefined) {
        this.#skip(wireType, end)
        continue
      }
      const [member, , type, isList] = known
      if (wireType !== wireTypeOf(type)) throw new OtlpReadError(`${member} of ${name} has the wrong type`)
      const value = isMessage(type) ? this.#nested(type, end, depth) : this.#scalar(type, end)
      if (isList === 'list') ((read[member] ??= []) as unknown[]).push(value)
      else read[member] = value
    }
    // The compiler checks the table against the interfaces.
    return read
  }

  #nested(type: MessageName, end: number, depth: number): unknown {
    const size = this.#size(end)
    return this.message(type, this.#at + size, depth + 1)
  }

  #scalar(type: Scalar, end: number): unknown {
    switch (type) {
      case 'string':
        return this.#block(end).toString('utf8')
      case 'id':
        return this.#block(end).toString('hex')
      case 'bytes':
        return this.#block(end).toString('base64')
      case 'bool':
        return this.#varint(end) !== 0n
      case 'int32':
        return Number(BigInt.asIntN(32, this.#varint(end)))
      case 'int64':
        return longOf(BigInt.asIntN(64, this.#varint(end)))
      case 'double':
        return this.#bytes.readDoubleLE(this.#take(8, end))
      case 'fixed64':
        return longOf(this.#bytes.readBigUInt64LE(this.#take(8, end)))
    }
  }

  #varint(end: number): bigint {
    let value = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#bytes[this.#take(1, end)] ?? 0
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return BigInt(value)
    }
    let long = BigInt(value)
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#take(1, end)] ?? 0
      long |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, long)
    }
    throw new OtlpReadError('a number in it has more than 64 bits')
  }

  #size(end: number): number {
    const size = Number(this.#varint(end))
    if (size > end - this.#at) throw new OtlpReadError('it ends too early')
    return size
  }

  #block(end: number): Buffer {
    const size = this.#size(end)
    const start = this.#take(size, end)
    return this.#bytes.subarray(start, start + size)
  }

  /** Where the next bytes begin, which are taken. */
  #take(size: number, end: number): number {
    const start = this.#at
    if (size > end - start) throw new OtlpReadError('it ends too early')
    this.#at += size
    return start
  }

  /** What a later version of the protocol may have added. */
  #skip(wireType: number, end: number): void {
    if (wireType === 0) this.#varint(end)
    else if (wireType === 1) this.#take(8, end)
    else if (wireType === 2) this.#block(end)
    else if (wireType === 5) this.#take(4, end)
    else throw new OtlpReadError(`it is not protobuf: no field has the wire type ${wireType}`)
  }
}

function longOf(value: bigint): Long {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

const fieldsByNumber: ReadonlyMap<string, ReadonlyMap<number, readonly [string, ...Field]>> = new Map(
  Object.entries(messages).map(([name, fields]) => [
    name,
    new Map(Object.entries<Field>(fields).map(([member, field]) => [field[0], [member, ...field] as const])),
  ]),
)

/** Objects and lists that one level of messages takes at most: a value is in an object, which is in a list. */
const maxNesting = maxMessageDepth * 3

/** Reads one. `maxParts`: how many objects, lists, members and items it may hold. Throws an OtlpReadError. */
export function decodeJson<Name extends MessageName>(name: Name, bytes: Buffer, maxParts: number): Messages[Name] {
  checkParts(bytes, maxParts)
  return readMessage(name, parse(bytes), '')
}

/** Nothing is allocated: a body of brackets would become a hundred times its size. */
function checkParts(bytes: Buffer, maxParts: number): void {
  let depth = 0
  let parts = 0
  for (let at = 0; at < bytes.byteLength; at += 1) {
    const byte = bytes[at]
    if (byte === quote) {
      for (at += 1; at < bytes.byteLength && bytes[at] !== quote; at += 1) if (bytes[at] === backslash) at += 1
    } else if (byte === comma || byte === brace || byte === bracket) {
      parts += 1
      if (byte !== comma) depth += 1
      if (depth > maxNesting) throw new OtlpBoundError(`it is nested deeper than ${maxNesting} levels`)
      if (parts > maxParts) throw new OtlpBoundError(`it has more than ${maxParts.toLocaleString('en')} parts`)
    } else if (byte === endBrace || byte === endBracket) depth -= 1
  }
}

const [quote, backslash, comma, brace, bracket, endBrace, endBracket] = Buffer.from('"\\,{[}]')

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new OtlpReadError(`it is not JSON: ${reason.slice(0, 200)}`, { cause })
  }
}

function readMessage(name: MessageName, value: unknown, place: string): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrongType(place, 'an object')
  const given = membersOf(value)
  const read: Record<string, unknown> = {}
  // What a later version of the protocol may have added is left out.
  for (const [member, field] of Object.entries<Field>(messages[name])) {
    const found = Object.hasOwn(given, member) ? given[member] : undefined
    if (found === undefined || found === null) continue
    read[member] = readField(field, found, place === '' ? member : `${place}.${member}`)
  }
  return read
}

function readField([, type, isList]: Field, value: unknown, place: string): unknown {
  if (isList === undefined) return readValue(type, value, place)
  if (!Array.isArray(value)) throw wrongType(place, 'a list')
  return value.map((item: unknown, index) => readValue(type, item, `${place}[${index}]`))
}

function readValue(type: Field[1], value: unknown, place: string): unknown {
  if (isMessage(type)) return readMessage(type, value, place)
  const { allowed, read } = scalars[type]
  const found = read(value)
  if (found === undefined) throw wrongType(place, allowed)
  return found
}

function wrongType(place: string, allowed: string): OtlpReadError {
  return new OtlpReadError(`${place === '' ? 'the body' : place} must be ${allowed}`)
}

interface ScalarRule {
  readonly allowed: string
  /** `undefined` for a value of another type. */
  readonly read: (value: unknown) => unknown
}

const string: ScalarRule = { allowed: 'a string', read: (value) => (typeof value === 'string' ? value : undefined) }
const integer: ScalarRule = {
  allowed: 'a whole number',
  read: (value) => {
    if (typeof value === 'number') return Number.isInteger(value) ? value : undefined
    return typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? value : undefined
  },
}

const scalars: Readonly<Record<Scalar, ScalarRule>> = {
  string,
  bytes: string,
  id: {
    allowed: 'hexadecimal digits',
    read: (value) => (typeof value === 'string' && /^[\da-f]*$/i.test(value) ? value.toLowerCase() : undefined),
  },
  bool: { allowed: 'true or false', read: (value) => (typeof value === 'boolean' ? value : undefined) },
  int32: { allowed: 'a number', read: (value) => (Number.isInteger(value) ? value : undefined) },
  int64: integer,
  fixed64: integer,
  double: {
    allowed: 'a number',
    read: (value) => (typeof value === 'number' || isNoNumber(value) ? value : undefined),
  },
}

/** JSON has no number for them. */
function isNoNumber(value: unknown): boolean {
  return value === 'NaN' || value === 'Infinity' || value === '-Infinity'
}
