// Reads the JSON form of messages, by their table. What is too deep or has too many parts is refused before it is parsed.

import {
  isMessage,
  maxMessageDepth,
  messages,
  OtlpBoundError,
  OtlpReadError,
  type Field,
  type MessageName,
  type Messages,
  type Scalar,
} from './messages.ts'
import { membersOf } from '../../base/members.ts'

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
