// Writes and reads the protobuf form of messages, by their table. Reading is bounded in depth and in the number of members, and counts
// before it keeps: a few bytes must not become many objects.

import {
  isMessage,
  maxMessageDepth,
  messages,
  OtlpBoundError,
  OtlpReadError,
  type Field,
  type Long,
  type MessageName,
  type Messages,
  type Scalar,
} from './messages.ts'
import { membersOf, listOf } from '../../base/members.ts'

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
