// What a tool takes: described once, as JSON Schema for the client and as a reader that says what to use instead.

import { didYouMean } from '../../framework/options/nearest-name.ts'
import { shortened } from '../query/profile-facts.ts'
import { AgentError } from './agent-error.ts'

/** One parameter of a tool. */
export interface Parameter<Value, IsRequired extends boolean = boolean> {
  /** For the client: what it means, in what unit, and what is allowed. */
  readonly description: string
  readonly schema: JsonSchema
  readonly isRequired: IsRequired
  /** `undefined`: the value cannot be used. */
  readonly read: (value: unknown) => Value | undefined
  /** What is allowed, behind `Use`. */
  readonly use: string
}

/** The part of JSON Schema that parameters need. */
interface JsonSchema {
  readonly type: 'string' | 'integer' | 'boolean' | 'array'
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: number
  readonly items?: JsonSchema
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>

/** The values of parameters; `undefined` for what is not given. */
export type ValuesOf<Given extends Parameters> = {
  readonly [Name in keyof Given]: Given[Name] extends Parameter<infer Value, infer IsRequired>
    ? IsRequired extends true
      ? Value
      : Value | undefined
    : never
}

/** Characters of a text at most. */
const maxText = 2000

/** A text; numbers and yes or no are taken for their text. */
export function text(description: string, use = `a text of at most ${maxText} characters`): Parameter<string, false> {
  return { description, schema: { type: 'string' }, isRequired: false, read: asText, use }
}

/** The same, and a call without it is refused. */
export function requiredText(description: string): Parameter<string, true> {
  return { ...text(description), isRequired: true }
}

/** Characters of a body at most. */
const maxBody = 64 * 1024

/** A text that is taken as it is: a body. */
export function body(description: string): Parameter<string, false> {
  const read = (value: unknown): string | undefined =>
    typeof value === 'string' && value.length <= maxBody ? value : undefined
  return { ...text(description), read, use: `a text of at most ${maxBody} characters` }
}

/** A whole number with bounds. */
export function count(
  description: string,
  { least, most, byDefault }: { readonly least: number; readonly most: number; readonly byDefault?: number },
): Parameter<number, false> {
  return {
    description,
    schema: {
      type: 'integer',
      minimum: least,
      maximum: most,
      ...(byDefault === undefined ? {} : { default: byDefault }),
    },
    isRequired: false,
    read: (value) => {
      const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
      return typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most
        ? number
        : undefined
    },
    use: `a whole number from ${least} to ${most}`,
  }
}

/** One of several names. */
export function choice<Name extends string>(description: string, names: readonly Name[]): Parameter<Name, false> {
  return {
    description,
    schema: { type: 'string', enum: names },
    isRequired: false,
    read: (value) => names.find((name) => name === value),
    use: names.join(', '),
  }
}

/** Yes or no. */
export function flag(description: string): Parameter<boolean, false> {
  return {
    description,
    schema: { type: 'boolean' },
    isRequired: false,
    read: (value) =>
      value === true || value === 'true' ? true : value === false || value === 'false' ? false : undefined,
    use: 'true or false',
  }
}

/** Texts of a list at most. */
const maxTexts = 50

/** Several texts; one text is a list of one. */
export function texts(description: string): Parameter<readonly string[], false> {
  return {
    description,
    schema: { type: 'array', items: { type: 'string' } },
    isRequired: false,
    read: (value) => {
      const list: readonly unknown[] = Array.isArray(value) ? value : [value]
      const read = list.map(asText).filter((one) => one !== undefined)
      return read.length === list.length && list.length <= maxTexts ? read : undefined
    },
    use: `a list of at most ${maxTexts} texts`,
  }
}

/** The JSON Schema of all of them. */
export function schemaOf(parameters: Parameters): Readonly<Record<string, unknown>> {
  const all = Object.entries(parameters)
  return {
    type: 'object',
    properties: Object.fromEntries(all.map(([name, { schema, description }]) => [name, { ...schema, description }])),
    required: all.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
    additionalProperties: false,
  }
}

/** Reads what a client sent. Throws an AgentError that names the parameter and says what to use. */
export function readParameters<Given extends Parameters>(parameters: Given, sent: unknown): ValuesOf<Given> {
  const given = asRecord(sent)
  const names = Object.keys(parameters)
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue
    throw invalid(`There is no parameter ${shown(name)}.${didYouMean(name, names)} Known: ${names.join(', ')}.`)
  }
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(parameters)) {
    const value = given[name]
    if (value === undefined || value === null || value === '') {
      if (parameter.isRequired) throw invalid(`\`${name}\` is missing. Use ${parameter.use}.`)
      continue
    }
    const read = parameter.read(value)
    if (read === undefined) throw invalid(`\`${name}\`: ${shown(value)} cannot be used. Use ${parameter.use}.`)
    values[name] = read
  }
  return values as ValuesOf<Given>
}

/** A value that a client sent, as a sentence repeats it. */
export function shown(value: unknown): string {
  const json = typeof value === 'object' ? (Array.isArray(value) ? 'a list' : 'an object') : JSON.stringify(value)
  return shortened(json ?? typeof value, 60)
}

function asRecord(sent: unknown): Readonly<Record<string, unknown>> {
  if (sent === undefined || sent === null) return {}
  if (typeof sent === 'object' && !Array.isArray(sent)) return sent as Readonly<Record<string, unknown>>
  throw invalid('The arguments are not an object. Use an object of parameters.')
}

function asText(value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const written = typeof value === 'number' ? String(value) : value
  return typeof written === 'string' && written.length <= maxText ? written.trim() : undefined
}

function invalid(message: string): AgentError {
  return new AgentError('invalid_arguments', message)
}
