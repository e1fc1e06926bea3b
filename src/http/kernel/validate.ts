// Checks a request by the schemas of its route.

import { tracingChannel } from 'node:diagnostics_channel'
import { asApplication } from '../../base/timing/builtins.ts'
import { ValidationError, type ValidationIssue } from '../../base/http/http-error.ts'
import { joinPath } from '../../base/http/json.ts'
import type { AnyHandlerOptions, ValidValues } from '../../routing/route-definition.ts'
import type { Exchange } from './exchange.ts'
import { innermost, type StandardIssue, type StandardResult, type StandardSchema } from './handler-options.ts'

const parts = ['params', 'query', 'form', 'body'] as const
type Part = (typeof parts)[number]

/**
 * What the schemas make of the request. Throws a `ValidationError` with what all of them find, and the errors of a body that cannot be
 * read: 400, 413, 415.
 */
export async function validate(exchange: Exchange, options: readonly AnyHandlerOptions[]): Promise<ValidValues> {
  const valid: Record<Part, unknown> = { body: undefined, form: undefined, query: undefined, params: undefined }
  const issues: ValidationIssue[] = []
  for (const part of parts) {
    const schema = schemaOf(exchange, options, part)
    if (schema === undefined) continue
    const given = await read(exchange, part)
    const result = await resultOf(schema, given, part)
    if (result.issues === undefined) valid[part] = result.value
    else issues.push(...result.issues.map((issue) => describe(part, issue, given)))
  }
  if (issues.length > 0) throw new ValidationError(issues)
  return valid
}

/** The innermost schema of a part. A body is read once, so of `body` and `form` the innermost one counts; GET and HEAD have none. */
function schemaOf(
  { request: { method } }: Exchange,
  options: readonly AnyHandlerOptions[],
  part: Part,
): StandardSchema | undefined {
  if (part === 'params' || part === 'query') return innermost(options, part)
  if (method === 'GET' || method === 'HEAD') return undefined
  return options.findLast(({ body, form }) => body !== undefined || form !== undefined)?.[part]
}

async function read({ request }: Exchange, part: Part): Promise<unknown> {
  switch (part) {
    case 'params':
      return { ...request.params }
    case 'query':
      return recordOf([...request.query.keys()], (name) => request.query.getAll(name))
    case 'form': {
      const form = await request.body.form()
      return recordOf(form.keys(), (name) => form.get(name) ?? [])
    }
    case 'body':
      return request.body.json()
  }
}

/** One value as it is, several as a list. */
function recordOf(names: Iterable<string>, valuesOf: (name: string) => readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Array.from(new Set(names), (name) => {
      const values = valuesOf(name)
      return [name, values.length === 1 ? values[0] : values]
    }),
  )
}

/** Tracing channel that tells what the schemas of routes check. */
export const validationChannel = 'fanlight.validation'

export interface PublishedValidation {
  readonly part: Part
  readonly schema: StandardSchema
  readonly given: unknown
  /** At the end. */
  readonly result?: StandardResult<unknown>
  /** What the schema threw. */
  readonly error?: unknown
}

const published = tracingChannel<string, PublishedValidation>(validationChannel)

async function resultOf(schema: StandardSchema, given: unknown, part: Part): Promise<StandardResult<unknown>> {
  const check = async (): Promise<StandardResult<unknown>> => asApplication(() => schema['~standard'].validate(given))
  const result = await published.tracePromise(check, { part, schema, given })
  if (typeof result === 'object' && result !== null && ('value' in result || Array.isArray(result.issues)))
    return result
  throw new TypeError(`The schema "${part}" (${schema['~standard'].vendor}) gave neither a value nor issues`)
}

function describe(part: Part, { path = [], message }: StandardIssue, given: unknown): ValidationIssue {
  const { place, value } = memberAt(path, given)
  return { in: part, path: place, message: withoutValues(message, value) }
}

/** Where the path of an issue leads: the place in words, the value there, and the object that has it under a key; `null` if nothing is there. */
export function memberAt(
  path: readonly (PropertyKey | { readonly key: PropertyKey } | null)[],
  given: unknown,
): { readonly place: string; readonly value: unknown; readonly holder: object | null; readonly key: PropertyKey } {
  let [place, key, value]: [string, PropertyKey, unknown] = ['', '', given]
  let holder: object | null = null
  for (const segment of path) {
    key = typeof segment === 'object' ? (segment?.key ?? 'null') : segment
    place = joinPath(place, String(key), Array.isArray(value))
    holder = typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? value : null
    value = holder === null ? undefined : Reflect.get(holder, key)
  }
  return { place, value, holder, key }
}

const maxMessage = 300
/** Parts of a value that are looked for. */
const maxParts = 200

/** The message with `…` for each text and number of the value. */
export function withoutValues(message: string, value: unknown): string {
  let safe = message
  for (const part of partsOf(value)) {
    if (typeof part === 'string') {
      for (const quoted of [JSON.stringify(part), `'${part}'`, `"${part}"`, `\`${part}\``]) {
        safe = safe.replaceAll(quoted, (text) => `${text.charAt(0)}…${text.charAt(0)}`)
      }
    } else safe = replaceNumber(safe, String(part))
  }
  return safe.length > maxMessage ? `${safe.slice(0, maxMessage)}…` : safe
}

/** Texts and numbers of a value, its own or those inside it, the longest texts first. */
function partsOf(value: unknown): (string | number | bigint)[] {
  const quoted: (string | number | bigint)[] = []
  const waiting = [value]
  for (let index = 0; index < waiting.length && quoted.length < maxParts; index += 1) {
    const one = waiting[index]
    if (typeof one === 'string' || typeof one === 'number' || typeof one === 'bigint') quoted.push(one)
    else if (typeof one === 'object' && one !== null) waiting.push(...Object.values(one).slice(0, maxParts))
  }
  return quoted.toSorted((one, other) => String(other).length - String(one).length)
}

/** Not inside a longer number or a word: `8` stays in `18` and `u8`. */
function replaceNumber(message: string, digits: string): string {
  let safe = ''
  let from = 0
  for (let at = message.indexOf(digits); at >= 0; at = message.indexOf(digits, from)) {
    const end = at + digits.length
    const isPart = /[\w.]/.test(message.charAt(at - 1)) || /^(?:\w|\.\d)/.test(message.slice(end, end + 2))
    safe += message.slice(from, at) + (isPart ? digits : '…')
    from = end
  }
  return safe + message.slice(from)
}
