// JSON Schemas of TypeScript types, as the compiler sees them: what a type says is written once.

import { resolve } from 'node:path'
import { API, SymbolFlags, TypeFlags, type Checker, type Symbol, type Type } from 'typescript/unstable/sync'
import type { ShortSchema } from '../src/profiler/web/openapi/schema.ts'

/** Names of numbers that count something. All other numbers may have fractions. */
const counts =
  /(?:^|[a-z.])(?:count|bytes|dropped|omitted|refused|rejected\w*|failures|failed|sent|received|written|queued|waiting|requests|profiles|spans|records|processes|frames|times|parts|lines?|column|status|code|tokens|p?id)$/i
/** Names of numbers that are an instant. */
const instants = /(?:^|[a-z.])(?:time|at|since|until|now|starts)$/i

/**
 * The schema of each member of an interface, described by its doc comment. Schemas refer to each other by the names of the members. An
 * index of `unknown` allows members of any name. Throws for a type that JSON does not have.
 */
export function jsonSchemas(file: string, interfaceName: string): Readonly<Record<string, ShortSchema>> {
  const api = new API({ cwd: process.cwd() })
  try {
    const project = api.updateSnapshot({ openProject: resolve('tsconfig.build.json') }).getProjects()[0]
    const source = project?.program.getSourceFile(resolve(file))
    const module = source && project?.checker.getSymbolAtLocation(source)
    const named = module && project?.checker.getMemberInModuleExports(module, interfaceName)
    if (named === undefined) throw new Error(`${file} does not export ${interfaceName}.`)
    return new TypeSchemas(project?.checker ?? fail(file), named).all()
  } finally {
    api.close()
  }
}

class TypeSchemas {
  readonly #checker: Checker
  readonly #members: readonly Symbol[]
  /** Names of types, by their identity. */
  readonly #names = new Map<string, string>()

  constructor(checker: Checker, named: Symbol) {
    this.#checker = checker
    this.#members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(named))
    for (const member of this.#members) {
      const type = this.#typeOf(member)
      if ((type.flags & (TypeFlags.Object | TypeFlags.Union)) !== 0) this.#names.set(identity(type), member.name)
    }
  }

  all(): Readonly<Record<string, ShortSchema>> {
    return Object.fromEntries(
      this.#members.map((member) => {
        const schema = this.#definition(this.#typeOf(member), member.name)
        const description = this.#checker.getDocumentationCommentOfSymbol(member).replace(/\s+/g, ' ').trim()
        return [member.name, { description, ...(typeof schema === 'string' ? { anyOf: [schema] } : schema) }]
      }),
    )
  }

  /** `place` is where the type is: `Profile.data.request`. */
  #schema(type: Type, place: string): ShortSchema {
    const name = this.#names.get(identity(type))
    return name === undefined ? this.#definition(type, place) : `#${name}`
  }

  #definition(type: Type, place: string): ShortSchema {
    // A type inside itself without its own name.
    if (place.split(/[.[]/).length > 20) fail(`a circle in ${place}`)
    if ((type.flags & (TypeFlags.Any | TypeFlags.Unknown)) !== 0) return {}
    if ((type.flags & (TypeFlags.String | TypeFlags.TemplateLiteral)) !== 0) return 'string'
    if ((type.flags & TypeFlags.Number) !== 0) return numberNamed(place.replaceAll(/\[\d*\]/g, ''))
    if ((type.flags & TypeFlags.Boolean) !== 0) return 'boolean'
    if ((type.flags & TypeFlags.Null) !== 0) return 'null'
    if (type.isLiteralType()) return { enum: [type.value] }
    if (type.isUnionType()) return this.#alternatives(type.getTypes(), place)
    if ((type.flags & (TypeFlags.Object | TypeFlags.Intersection)) !== 0) return this.#object(type, place)
    return fail(`${place}: ${this.#checker.typeToString(type)}`)
  }

  #alternatives(types: readonly Type[], place: string): ShortSchema {
    const values = types.flatMap((type) => (type.isLiteralType() ? [type.value] : []))
    const isBoolean = values.includes(true) && values.includes(false)
    const constants = values.filter((value) => !isBoolean || typeof value !== 'boolean')
    const others = types.filter((type) => !type.isLiteralType() && (type.flags & TypeFlags.Undefined) === 0)
    const isNullable = others.some((type) => (type.flags & TypeFlags.Null) !== 0)
    // The order of the compiler depends on what it has read before.
    const schemas: readonly ShortSchema[] = [
      ...others.filter((type) => (type.flags & TypeFlags.Null) === 0).map((type) => this.#schema(type, place)),
      ...(isBoolean ? ['boolean'] : []),
      ...(constants.length > 0 ? [{ enum: constants.toSorted(alphabetically) }] : []),
    ].toSorted(alphabetically)
    const [only = {}] = schemas
    if (schemas.length > 1) return { anyOf: [...schemas, ...(isNullable ? ['null'] : [])] }
    if (!isNullable) return only
    if (typeof only === 'string') return only.startsWith('#') ? { anyOf: [only, 'null'] } : `${only}|null`
    return 'properties' in only ? { ...only, isNullable } : { anyOf: [only, 'null'] }
  }

  #object(type: Type, place: string): ShortSchema {
    if (type.isTypeReference() && (type.isTupleType() || type.getTarget().isTupleType())) {
      const items = this.#checker.getTypeArguments(type).map((item, index) => this.#schema(item, `${place}[${index}]`))
      return { tuple: items }
    }
    if (type.isTypeReference() && this.#checker.isArrayType(type)) {
      const [item] = this.#checker.getTypeArguments(type)
      return { items: item === undefined ? {} : this.#schema(item, `${place}[]`) }
    }
    const members = this.#checker.getPropertiesOfType(type)
    const [index] = this.#checker.getIndexInfosOfType(type)
    if (members.length === 0) return { members: index === undefined ? {} : this.#schema(index.valueType, `${place}[]`) }
    const optional = members.filter(({ flags }) => (flags & SymbolFlags.Optional) !== 0).map(({ name }) => name)
    return {
      properties: Object.fromEntries(
        members.map((member) => [member.name, this.#schema(this.#typeOf(member), `${place}.${member.name}`)]),
      ),
      ...(optional.length === 0 ? {} : { optional }),
      ...(index === undefined ? {} : { isOpen: true }),
    }
  }

  #typeOf(member: Symbol): Type {
    return this.#checker.getTypeOfSymbol(member) ?? fail(member.name)
  }
}

/** The same for a union with and without `undefined`. */
function identity(type: Type): string {
  const members = type.isUnionType() ? type.getTypes() : [type]
  return members.flatMap(({ flags, id }) => ((flags & TypeFlags.Undefined) === 0 ? [id] : [])).join(' ')
}

function alphabetically(one: unknown, other: unknown): number {
  return JSON.stringify(one).localeCompare(JSON.stringify(other))
}

function numberNamed(name: string): ShortSchema {
  if (counts.test(name)) return 'integer'
  return instants.test(name) ? 'instant' : 'number'
}

function fail(what: string): never {
  throw new Error(`JSON has no such value: ${what}`)
}
