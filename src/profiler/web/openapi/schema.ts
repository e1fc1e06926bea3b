// JSON Schemas: those of the document's types, by their names, and plain text.

import type { JsonTypes } from './json-types.ts'
import written from './schemas.json' with { type: 'json' }

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

export const text: JsonSchema = { type: 'string' }

/** Refers to the schema of a type. */
export function schemaOf(name: keyof JsonTypes): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** The schemas of all types, by name. */
export function schemas(): Readonly<Record<string, JsonSchema>> {
  // Under other compiler options than ours, the type of the file has members that are not there.
  const file: unknown = written
  return mapped(file as Readonly<Record<string, ShortSchema>>, completed)
}

/** How `schemas.json` writes a schema, a third as long: a type (`string|null`), `instant`, the name of another schema (`#Span`), or an object. */
export type ShortSchema = string | ShortObject

interface ShortObject {
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly ShortSchema[]
  /** Of an array. */
  readonly items?: ShortSchema
  readonly tuple?: readonly ShortSchema[]
  /** Of an object whose members have any name. */
  readonly members?: ShortSchema
  /** Of an object. All are required but for those in `optional`. */
  readonly properties?: Readonly<Record<string, ShortSchema>>
  readonly optional?: readonly string[]
  /** Whether an object may have further members. Default: no. */
  readonly isOpen?: boolean
  readonly isNullable?: boolean
}

function completed(schema: ShortSchema): JsonSchema {
  if (typeof schema === 'string') return completedType(schema)
  const {
    anyOf,
    items,
    tuple,
    members,
    properties,
    optional = [],
    isOpen = false,
    isNullable = false,
    ...rest
  } = schema
  if (anyOf !== undefined) return { ...rest, anyOf: anyOf.map(completed) }
  if (items !== undefined) return { ...rest, type: 'array', items: completed(items) }
  if (tuple !== undefined) {
    const { length } = tuple
    return { ...rest, type: 'array', prefixItems: tuple.map(completed), minItems: length, maxItems: length }
  }
  if (members !== undefined) return { ...rest, type: 'object', additionalProperties: completed(members) }
  if (properties === undefined) return { ...rest }
  return {
    ...rest,
    type: isNullable ? ['object', 'null'] : 'object',
    properties: mapped(properties, completed),
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: isOpen,
  }
}

function completedType(type: string): JsonSchema {
  if (type.startsWith('#')) return { $ref: `#/components/schemas/${type.slice(1)}` }
  const [first = '', ...others] = type.split('|')
  const description = 'Milliseconds since 1970 (UTC).'
  const named = first === 'instant' ? 'number' : first
  return { type: others.length === 0 ? named : [named, ...others], ...(first === 'instant' ? { description } : {}) }
}

function mapped<From, To>(
  values: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
}
