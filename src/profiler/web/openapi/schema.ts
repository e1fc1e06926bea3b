// JSON Schemas that the compiler holds to a TypeScript type: a member that is missing, unknown or of another type does not compile.

export type JsonSchema = { readonly [keyword: string]: unknown }

/** Only the compiler sees it: it ties a schema to the type of its values. */
declare const valueType: unique symbol

export interface AnySchema {
  readonly json: JsonSchema
  /** Definitions of the named schemas in it. */
  readonly components: Readonly<Record<string, JsonSchema>>
}

/** Describes exactly the values of `T`. */
export interface Schema<T> extends AnySchema {
  readonly [valueType]?: (value: T) => T
}

/** The schema of a member that may be absent. */
export interface Optional<T> {
  readonly optional: Schema<T>
}

/** A schema for each member of `T`: `optional()` for those that may be absent. */
export type Members<T> = {
  readonly [Name in keyof T]-?: undefined extends T[Name] ? Optional<Exclude<T[Name], undefined>> : Schema<T[Name]>
}

type ValueOf<S> = S extends Schema<infer T> ? T : never

export function text(keywords: JsonSchema = {}): Schema<string> {
  return plain({ type: 'string', ...keywords })
}

export function number(keywords: JsonSchema = {}): Schema<number> {
  return plain({ type: 'number', ...keywords })
}

export function integer(keywords: JsonSchema = {}): Schema<number> {
  return plain({ type: 'integer', ...keywords })
}

export function boolean(): Schema<boolean> {
  return plain({ type: 'boolean' })
}

/** Any JSON. `T` is what TypeScript calls it. */
export function anything<T = unknown>(): Schema<T> {
  return plain({})
}

export function nothing(): Schema<null> {
  return plain({ type: 'null' })
}

/** One of these texts, numbers or truth values. */
export function oneOf<const T extends string | number | boolean>(...values: readonly T[]): Schema<T> {
  return plain({ enum: values })
}

export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  const { json, components } = schema
  const { type } = json
  // Unlike `anyOf`, a list of types keeps its other keywords together.
  return typeof type === 'string'
    ? { json: { ...json, type: [type, 'null'] }, components }
    : { json: { anyOf: [json, { type: 'null' }] }, components }
}

export function list<T>(item: Schema<T>, keywords: JsonSchema = {}): Schema<readonly T[]> {
  return { json: { type: 'array', items: item.json, ...keywords }, components: item.components }
}

/** A list of exactly these members. */
export function tuple<const Items extends readonly AnySchema[]>(
  ...items: Items
): Schema<{ readonly [Index in keyof Items]: ValueOf<Items[Index]> }> {
  const size = items.length
  const json = { type: 'array', prefixItems: items.map((item) => item.json), minItems: size, maxItems: size }
  return { json, components: together(items) }
}

/** Members of any name. */
export function record<T>(member: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return { json: { type: 'object', additionalProperties: member.json }, components: member.components }
}

export function anyOf<const Schemas extends readonly AnySchema[]>(
  ...schemas: Schemas
): Schema<ValueOf<Schemas[number]>> {
  return { json: { anyOf: schemas.map(({ json }) => json) }, components: together(schemas) }
}

export function optional<T>(schema: Schema<T>): Optional<T> {
  return { optional: schema }
}

/** An object of exactly these members, unless `keywords` allow more. */
export function object<T extends object>(members: Members<T>, keywords: JsonSchema = {}): Schema<T> {
  const given: readonly (readonly [string, AnySchema | Optional<unknown>])[] = Object.entries(members)
  const all = given.map(([name, member]) => {
    const isOptional = 'optional' in member
    return { name, isOptional, schema: isOptional ? member.optional : member }
  })
  const json = {
    type: 'object',
    properties: Object.fromEntries(all.map(({ name, schema }) => [name, schema.json])),
    required: all.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
    additionalProperties: false,
    ...keywords,
  }
  return { json, components: together(all.map(({ schema }) => schema)) }
}

/** Gives a schema a name, under which the document holds it once. */
export function named<T>(name: string, description: string, schema: Schema<T>): Schema<T> {
  return {
    json: reference(name),
    components: { ...schema.components, [name]: { description, ...schema.json } },
  }
}

/** A named schema that contains itself. */
export function recursive<T>(name: string, description: string, define: (self: Schema<T>) => Schema<T>): Schema<T> {
  return named(name, description, define(plain(reference(name))))
}

/** Definitions of all of them. */
export function together(schemas: readonly AnySchema[]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(schemas.flatMap(({ components }) => Object.entries(components)))
}

function plain<T>(json: JsonSchema): Schema<T> {
  return { json, components: {} }
}

function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}
