// What a tool takes, written once as JSON Schema for the client: the reader and its sentences are drawn from it.

import { didYouMean } from '../../framework/options/nearest-name.ts'
import { shortened } from '../query/profile-facts.ts'
import { AgentError } from './agent-error.ts'

/** The part of JSON Schema that one parameter needs. */
export interface Parameter {
  readonly type: 'string' | 'integer' | 'boolean' | 'array'
  readonly description: string
  readonly enum?: readonly string[]
  /** Of an integer. Bounds are given for every one. */
  readonly minimum?: number
  readonly maximum?: number
  /** Of a text. Default: 2,000. */
  readonly maxLength?: number
  /** Of a list: texts. */
  readonly items?: { readonly type: 'string' }
}

export type Parameters = Readonly<Record<string, Parameter>>

type ValueOf<Of extends Parameter> = Of extends { readonly enum: readonly (infer Name)[] }
  ? Name
  : { string: string; integer: number; boolean: boolean; array: readonly string[] }[Of['type']]

/** The values of parameters; `undefined` for what is not given. */
export type ValuesOf<Given extends Parameters, Required extends keyof Given> = {
  readonly [Name in keyof Given]: ValueOf<Given[Name]> | (Name extends Required ? never : undefined)
}

/** Characters of a text and texts of a list, at most. */
const maxText = 2000
const maxTexts = 50

/** Reads what a client sent. Throws an AgentError that names the parameter and says what to use. */
export function readParameters<Given extends Parameters, Required extends keyof Given & string>(
  parameters: Given,
  required: readonly Required[],
  sent: unknown,
): ValuesOf<Given, Required> {
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
      if (required.some((one) => one === name)) throw invalid(`\`${name}\` is missing. Use ${useOf(parameter)}.`)
      continue
    }
    const read = readValue(parameter, value)
    if (read === undefined) throw invalid(`\`${name}\`: ${shown(value)} cannot be used. Use ${useOf(parameter)}.`)
    values[name] = read
  }
  return values as ValuesOf<Given, Required>
}

/** Models often write a number or a list of one as a text, and the other way round. */
function readValue({ type, enum: names, minimum = 0, maximum = 0, maxLength }: Parameter, value: unknown): unknown {
  if (names !== undefined) return names.find((name) => name === value)
  if (type === 'boolean')
    return value === true || value === 'true' ? true : value === false || value === 'false' ? false : undefined
  if (type === 'string') return asText(value, maxLength)
  if (type === 'array') {
    const texts = (Array.isArray(value) ? value : [value]).map((one: unknown) => asText(one))
    return texts.length <= maxTexts && !texts.includes(undefined) ? texts : undefined
  }
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return Number.isInteger(number) && Number(number) >= minimum && Number(number) <= maximum ? number : undefined
}

function useOf({ type, enum: names, minimum, maximum, maxLength = maxText }: Parameter): string {
  if (names !== undefined) return names.join(', ')
  if (type === 'boolean') return 'true or false'
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`
  return type === 'array' ? `a list of at most ${maxTexts} texts` : `a text of at most ${maxLength} characters`
}

function asText(value: unknown, maxLength = maxText): string | undefined {
  const written = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  return typeof written === 'string' && written.length <= maxLength ? written : undefined
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

export function invalid(message: string): AgentError {
  return new AgentError('invalid_arguments', message)
}
