// Writes and reads the protobuf form of messages, by their table. Reading is bounded in depth and in the number of members, and counts
// before it keeps: a few bytes must not become many objects.

import { isMessage, messages, type Field, type Long, type MessageName, type Messages, type Scalar } from './messages.ts'
import { maxMessageDepth, OtlpBoundError, OtlpReadError } from './read-errors.ts'

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
  const writer = new Writer()
  writer.message(name, message)
  return writer.written()
}

class Writer {
  #bytes = Buffer.allocUnsafe(4096)
  #length = 0

  written(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  message(name: MessageName, message: object): void {
    const given = message as Readonly<Record<string, unknown>>
    for (const [member, field] of Object.entries<Field>(messages[name])) {
      const value = given[member]
      if (value === undefined) continue
      const [, , isList] = field
      if (isList === undefined) this.#field(field, value)
      else for (const item of value as readonly unknown[]) this.#field(field, item)
    }
  }

  #field([number, type]: Field, value: unknown): void {
    this.#varint(BigInt((number << 3) | wireTypeOf(type)))
    if (isMessage(type)) this.#nested(() => this.message(type, value as object))
    else this.#scalar(type, value as string | number | boolean)
  }

  #scalar(type: Scalar, value: string | number | boolean): void {
    switch (type) {
      case 'string':
        return this.#block(Buffer.from(String(value)))
      case 'id':
        return this.#block(Buffer.from(String(value), 'hex'))
      case 'bytes':
        return this.#block(Buffer.from(String(value), 'base64'))
      case 'bool':
      case 'int32':
      case 'int64':
        return this.#varint(BigInt.asUintN(64, BigInt(value)))
      case 'double':
        return this.#eight((at) => this.#bytes.writeDoubleLE(Number(value), at))
      case 'fixed64':
        return this.#eight((at) => this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), at))
    }
  }

  #varint(value: bigint): void {
    this.#reserve(10)
    let rest = value
    for (; rest > 0x7fn; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80
    this.#bytes[this.#length++] = Number(rest)
  }

  #eight(write: (at: number) => void): void {
    this.#reserve(8)
    write(this.#length)
    this.#length += 8
  }

  #block(block: Buffer): void {
    this.#varint(BigInt(block.byteLength))
    this.#reserve(block.byteLength)
    block.copy(this.#bytes, this.#length)
    this.#length += block.byteLength
  }

  /** The length comes before the content, and is known after it. */
  #nested(write: () => void): void {
    const start = this.#length
    write()
    const size = this.#length - start
    this.#varint(BigInt(size))
    const prefix = Buffer.from(this.#bytes.subarray(start + size, this.#length))
    this.#bytes.copyWithin(start + prefix.byteLength, start, start + size)
    prefix.copy(this.#bytes, start)
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.byteLength) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.byteLength * 2, this.#length + more))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
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
    return read as Messages[Name]
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
